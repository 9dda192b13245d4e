package io.nodepool.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.conformance.ConformanceCheck.Outcome;
import io.nodepool.conformance.ConformanceCheck.Verdict;
import io.nodepool.conformance.ConformanceReport;
import java.io.StringWriter;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** The formats of a report about a fleet. */
enum ConformanceFormat {
  TEXT,
  JSON,
  JUNIT;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A report in this format. */
  String of(ConformanceReport report) {
    return switch (this) {
      case TEXT -> String.join("\n", report.lines());
      case JSON -> json(report);
      case JUNIT -> junit(report);
    };
  }

  private static String json(ConformanceReport tested) {
    ObjectNode report = MAPPER.createObjectNode();
    report.put("seconds", tested.took().toSeconds());
    tested.hosts().forEach(report.putArray("hosts")::add);
    for (Verdict verdict : Verdict.values()) {
      report.put(word(verdict), tested.count(verdict));
    }
    ArrayNode checks = report.putArray("checks");
    for (Outcome each : tested.outcomes()) {
      ObjectNode check = checks.addObject();
      check.put("name", each.rule().name()).put("rule", each.rule().text());
      check.put("page", each.rule().page()).put("outcome", word(each.verdict()));
      check.put("cases", each.cases()).put("wrong", each.wrong());
      each.seen().forEach(check.putArray("seen")::add);
    }
    return report.toPrettyString();
  }

  private static String junit(ConformanceReport report) {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", "nodepool conformance");
      xml.writeAttribute("tests", Integer.toString(report.outcomes().size()));
      xml.writeAttribute("failures", Long.toString(report.count(Verdict.FAILED)));
      xml.writeAttribute("skipped", Long.toString(report.count(Verdict.SKIPPED)));
      xml.writeAttribute("time", Long.toString(report.took().toSeconds()));
      for (Outcome each : report.outcomes()) {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "nodepool.conformance");
        xml.writeAttribute("name", each.rule().name());
        if (each.verdict() != Verdict.PASSED) {
          boolean failed = each.verdict() == Verdict.FAILED;
          xml.writeStartElement(failed ? "failure" : "skipped");
          xml.writeAttribute("message", failed ? each.rule().text() : each.seen().getFirst());
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
