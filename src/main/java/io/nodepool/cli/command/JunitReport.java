package io.nodepool.cli.command;

import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A report in the form of JUnit, which CI systems show.
 *
 * @param name of the suite
 * @param className the class of the cases
 */
public record JunitReport(String name, String className, Duration took, List<Case> cases) {
  /** The result of a case that did not pass. */
  public enum Kind {
    FAILURE("failure"),
    SKIPPED("skipped");

    private final String element;

    Kind(String element) {
      this.element = element;
    }
  }

  /**
   * Why a case did not pass.
   *
   * @param text its details; empty text for none
   */
  public record Problem(Kind kind, String message, String text) {}

  /** A case; without a problem it passed. */
  public record Case(String name, Optional<Problem> problem) {}

  public JunitReport {
    cases = List.copyOf(cases);
  }

  /** The document. */
  public String xml() {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", name);
      xml.writeAttribute("tests", Integer.toString(cases.size()));
      xml.writeAttribute("failures", Long.toString(count(Kind.FAILURE)));
      xml.writeAttribute("skipped", Long.toString(count(Kind.SKIPPED)));
      xml.writeAttribute("time", Long.toString(took.toSeconds()));
      for (Case each : cases) {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", className);
        xml.writeAttribute("name", each.name());
        if (each.problem().isPresent()) {
          Problem problem = each.problem().get();
          xml.writeStartElement(problem.kind().element);
          xml.writeAttribute("message", problem.message());
          if (!problem.text().isEmpty()) {
            xml.writeCharacters(problem.text());
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

  private long count(Kind kind) {
    return cases.stream()
        .filter(each -> each.problem().filter(problem -> problem.kind() == kind).isPresent())
        .count();
  }
}
