package io.nodepool.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.conformance.ConformanceCheck.Outcome;
import io.nodepool.conformance.ConformanceCheck.Verdict;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * What all checks found in one run.
 *
 * @param hosts names of the tested Hosts
 */
public record ConformanceReport(List<String> hosts, Duration took, List<Outcome> outcomes) {
  private static final ObjectMapper JSON = new ObjectMapper();

  public ConformanceReport {
    hosts = List.copyOf(hosts);
    outcomes = List.copyOf(outcomes);
  }

  /** Judges a history by all checks. */
  public static ConformanceReport of(History history, List<String> hosts, Duration took) {
    return new ConformanceReport(
        hosts, took, ConformanceChecks.all().stream().map(each -> each.outcome(history)).toList());
  }

  /** How many checks ended so. */
  public long count(Verdict verdict) {
    return outcomes.stream().filter(each -> each.verdict() == verdict).count();
  }

  /** The lines for a terminal. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Outcome each : outcomes) {
      ConformanceCheck check = each.check();
      switch (each.verdict()) {
        case PASSED -> lines.add("passed   %-20s %d cases".formatted(check.name(), each.cases()));
        case SKIPPED ->
            lines.add("skipped  %-20s %s".formatted(check.name(), each.seen().getFirst()));
        case FAILED -> {
          lines.add(
              "FAILED   %-20s %d of %d cases. %s (docs/%s)"
                  .formatted(check.name(), each.wrong(), each.cases(), check.rule(), check.page()));
          each.seen().forEach(seen -> lines.add("         " + seen));
        }
      }
    }
    lines.add(
        "%d Hosts, %d s: %d checks passed, %d failed, %d skipped."
            .formatted(
                hosts.size(),
                took.toSeconds(),
                count(Verdict.PASSED),
                count(Verdict.FAILED),
                count(Verdict.SKIPPED)));
    return lines;
  }

  /** One JSON object. */
  public String json() {
    ObjectNode report = JSON.createObjectNode();
    report.put("seconds", took.toSeconds());
    hosts.forEach(report.putArray("hosts")::add);
    for (Verdict verdict : Verdict.values()) {
      report.put(word(verdict), count(verdict));
    }
    ArrayNode checks = report.putArray("checks");
    for (Outcome each : outcomes) {
      ObjectNode check = checks.addObject();
      check.put("name", each.check().name()).put("rule", each.check().rule());
      check.put("page", each.check().page()).put("outcome", word(each.verdict()));
      check.put("cases", each.cases()).put("wrong", each.wrong());
      each.seen().forEach(check.putArray("seen")::add);
    }
    return report.toPrettyString();
  }

  /** The XML of JUnit. */
  public String junit() {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "nodepool conformance");
      xml.writeAttribute("tests", Integer.toString(outcomes.size()));
      xml.writeAttribute("failures", Long.toString(count(Verdict.FAILED)));
      xml.writeAttribute("skipped", Long.toString(count(Verdict.SKIPPED)));
      xml.writeAttribute("time", Long.toString(took.toSeconds()));
      for (Outcome each : outcomes) {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "nodepool.conformance");
        xml.writeAttribute("name", each.check().name());
        if (each.verdict() != Verdict.PASSED) {
          boolean failed = each.verdict() == Verdict.FAILED;
          xml.writeStartElement(failed ? "failure" : "skipped");
          xml.writeAttribute("message", failed ? each.check().rule() : each.seen().getFirst());
          if (failed) {
            xml.writeCharacters(String.join("\n", each.seen()));
          }
          xml.writeEndElement();
        }
        xml.writeEndElement();
      }
      xml.writeEndElement();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("a text cannot be written as XML", e);
    }
    return text.toString();
  }

  private static String word(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }
}
