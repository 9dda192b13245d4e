package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.plugin.request.EventReading;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.SignalReading;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Node as text and as JSON.
 *
 * @param signals the signals about its machine, the strongest first
 * @param events its Events, oldest first; the last ones are shown
 */
record NodeDescription(NodeReading node, List<SignalReading> signals, List<JsonNode> events) {
  private static final int SHOWN = 15;
  private static final List<NodeCondition> CONDITIONS =
      List.of(
          NodeCondition.PHASE_STATE,
          NodeCondition.PENDING_PHASE_STATE,
          NodeCondition.ACTIVE,
          NodeCondition.NODE_REMOVAL,
          NodeCondition.IMMEDIATE_REBOOT);

  NodeDescription {
    events = List.copyOf(events.subList(Math.max(0, events.size() - SHOWN), events.size()));
  }

  /** The facts as one object. */
  ObjectNode json() {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    facts.put("name", node.name());
    facts.put("pool", node.label(NodeLabels.NODE_POOL));
    facts.put("type", node.label(NodeLabels.INSTANCE_TYPE));
    facts.put("zone", node.label(NodeLabels.ZONE));
    facts.put("rack", node.label(NodeLabels.RACK));
    facts.put("slot", node.label(NodeLabels.SLOT));
    facts.put("ready", node.isReady());
    facts.put("state", node.label(NodeLabels.STATE));
    facts.put("pendingState", node.label(NodeLabels.PENDING_STATE));
    facts.put("rebootPolicy", node.annotation(NodeAnnotations.REBOOT_POLICY));
    facts.put("bootID", node.bootId());
    facts.put("cordoned", node.isCordoned());
    facts.put("cordonReason", node.annotation(NodeAnnotations.CORDON_REASON));
    facts.put("disruption", disruption());
    ArrayNode taints = facts.putArray("taints");
    node.taints().forEach(taints::add);
    ArrayNode conditions = facts.putArray("conditions");
    CONDITIONS.forEach(type -> node.condition(type).ifPresent(conditions::add));
    ArrayNode reported = facts.putArray("signals");
    for (SignalReading signal : signals) {
      ObjectNode item = reported.addObject();
      item.put("name", signal.key().name());
      item.put("component", signal.key().component());
      item.put("source", signal.key().source());
      item.put("since", signal.since());
      item.put("endedAt", signal.ended());
      item.put("stale", signal.isStale());
      item.put("grade", signal.alert().grade().word());
      item.put("known", signal.alert().isKnown());
      item.put("message", signal.message());
    }
    ArrayNode list = facts.putArray("events");
    for (JsonNode event : events) {
      ObjectNode item = list.addObject();
      item.put("type", event.path("type").asText(""));
      item.put("reason", event.path("reason").asText(""));
      item.put("lastSeen", EventReading.lastSeen(event));
      item.put("count", event.path("count").asInt(1));
      item.put("from", from(event));
      item.put("message", event.path("message").asText(""));
    }
    return facts;
  }

  /** Prints the facts in the layout of {@code kubectl describe}. */
  void print(PrintWriter out, Instant now) {
    new TextTable("", 2)
        .row("Name:", node.name())
        .row("Pool:", orNone(NodeLabels.NODE_POOL))
        .row("Type:", orNone(NodeLabels.INSTANCE_TYPE))
        .row("Location:", location())
        .row("Ready:", node.readyWord())
        .row("State:", orNone(NodeLabels.STATE))
        .row("Pending state:", pending())
        .row("Cordoned:", String.valueOf(node.isCordoned()))
        .row("Cordon reason:", TextTable.orNone(node.annotation(NodeAnnotations.CORDON_REASON)))
        .row("Disruption:", TextTable.orNone(disruption()))
        .row("Taints:", taints())
        .row("Boot ID:", TextTable.orNone(node.bootId()))
        .print(out);
    conditions(now).printBelow("Conditions:", out);
    printSignals(out, now);
    events(now).printBelow("Events:", out);
  }

  private void printSignals(PrintWriter out, Instant now) {
    TextTable table =
        new TextTable("  ", 2)
            .row("Name", "Component", "Source", "Since", "Ended", "Grade", "Message");
    for (SignalReading signal : signals) {
      table.row(
          signal.key().name() + (signal.isStale() ? signal.mark() : ""),
          signal.key().component(),
          signal.key().source(),
          Age.since(signal.since(), now),
          signal.isEnded() ? Age.since(signal.ended(), now) : "<none>",
          signal.gradeWord(),
          signal.message());
    }
    table.printBelow("Signals:", out);
    if (!signals.isEmpty()) {
      out.println("  What is done about them:");
    }
    signals.stream()
        .filter(signal -> !signal.isEnded())
        .map(SignalReading::alert)
        .distinct()
        .forEach(alert -> out.println("    " + alert.name() + ": " + response(alert)));
  }

  private static String response(Alert alert) {
    if (!alert.isKnown()) {
      return "The catalogue does not have it: it is listed and counted only.";
    }
    return alert.grade().meaning()
        + (alert.hold().isZero()
            ? ""
            : " It counts once it has stood for %s.".formatted(Age.of(alert.hold())))
        + (alert.overridesEviction()
            ? " That ends the work also where the pool protects it (disableUnhealthyNodeEviction)."
            : "");
  }

  private String orNone(NodeLabels label) {
    return TextTable.orNone(node.label(label));
  }

  private String location() {
    return "zone %s, rack %s, slot %s"
        .formatted(orNone(NodeLabels.ZONE), orNone(NodeLabels.RACK), orNone(NodeLabels.SLOT));
  }

  private String pending() {
    String policy = node.annotation(NodeAnnotations.REBOOT_POLICY);
    return orNone(NodeLabels.PENDING_STATE) + (policy.isEmpty() ? "" : " (" + policy + ")");
  }

  /** Its disruption, and the last budget that refused an eviction; empty text if there is none. */
  private String disruption() {
    return node.disruption()
        .map(view ->
            Stream.concat(Stream.of(view.text()), node.refusal(events).stream())
                .collect(Collectors.joining(" ")))
        .orElse("");
  }

  private String taints() {
    return TextTable.orNone(
        node.taints()
            .valueStream()
            .map(taint -> {
              String value = taint.path("value").asText("");
              return "%s%s:%s"
                  .formatted(
                      taint.path("key").asText(""),
                      value.isEmpty() ? "" : "=" + value,
                      taint.path("effect").asText(""));
            })
            .collect(Collectors.joining(", ")));
  }

  private TextTable conditions(Instant now) {
    TextTable table = new TextTable("  ", 2).row("Type", "Status", "Since", "Reason", "Message");
    for (NodeCondition type : CONDITIONS) {
      node.condition(type)
          .ifPresentOrElse(
              condition ->
                  table.row(
                      type.type(),
                      condition.path("status").asText(""),
                      Age.since(condition.path("lastTransitionTime").asText(""), now),
                      TextTable.orNone(condition.path("reason").asText("")),
                      condition.path("message").asText("")),
              () -> table.row(type.type(), "<none>", "", "", ""));
    }
    return table;
  }

  private TextTable events(Instant now) {
    TextTable table = new TextTable("  ", 2).row("Type", "Reason", "Age", "From", "Message");
    for (JsonNode event : events) {
      table.row(
          event.path("type").asText(""),
          event.path("reason").asText(""),
          Age.since(EventReading.lastSeen(event), now),
          from(event),
          event.path("message").asText(""));
    }
    return table;
  }

  private static String from(JsonNode event) {
    String component = event.at("/source/component").asText("");
    return component.isEmpty() ? event.path("reportingComponent").asText("") : component;
  }
}
