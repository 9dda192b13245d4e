package io.nodepool.bench.signals;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.health.SignalKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A group of alerts of Alertmanager: one GPU of each of up to 200 Nodes. Its content is a function
 * of the round. Pure.
 *
 * @param number of the group in a measurement
 * @param gpu the number of the GPU, from 0 to 7
 * @param prepared when its alerts begin first, to the second
 * @param nodes the Nodes, each with an alert of its own
 */
record SentAlerts(int number, int gpu, Instant prepared, List<String> nodes) {
  /** The alerts of one notification. */
  static final int SIZE = 200;

  /** The alerts of each Node: one for each GPU. */
  static final int GPUS = 8;

  /** The time between two rounds of a group: each Node has one alert a second on average. */
  static final Duration PERIOD = Duration.ofSeconds(GPUS);

  /**
   * One in this number of alerts changes in a round of {@link Part#MOSTLY_REPEATED}, in at most
   * this number of rounds.
   */
  static final int ONE_IN = 10;

  /** The alert of each GPU; it causes no action, so that the measurement disrupts no Node. */
  static final String STANDING = "GPUVeryHot";

  /** The alerts that begin in {@link Part#MOSTLY_REPEATED}; they cause no action either. */
  private static final List<String> NEW =
      List.of(
          "DPULinkFlappingCPX",
          "DPUNetworkFrameErrs",
          "DPURouteLoop",
          "ECCDoubleVolatileErrors",
          "ManyUCESingleBankH100",
          "MetalDevRedfishError",
          "NodeBackendLinkFault");

  /** The changes from one round to the next. */
  enum Part {
    /** All alerts begin. */
    PREPARED,
    /** One alert in ten begins, or ends in the groups of the last GPU; all others are repeated. */
    MOSTLY_REPEATED,
    /** All alerts begin anew and end in turn. */
    CHANGED
  }

  /**
   * An alert as it is sent.
   *
   * @param name of the alert
   * @param since when it began
   * @param ended when it was over; empty while it fires
   */
  record SentAlert(String node, int gpu, String name, Instant since, Optional<Instant> ended) {
    /** The key under which it is stored. */
    SignalKey key() {
      return new SignalKey("alertmanager", "gpu" + gpu, name);
    }

    /** Its message. */
    String summary() {
      return "GPU %d is too hot".formatted(gpu);
    }
  }

  SentAlerts {
    nodes = List.copyOf(nodes);
  }

  /** The groups for these Nodes, whose alerts begin at this time. */
  static List<SentAlerts> of(List<String> nodes, Instant prepared) {
    List<SentAlerts> groups = new ArrayList<>();
    for (int from = 0; from < nodes.size(); from += SIZE) {
      List<String> some = nodes.subList(from, Math.min(from + SIZE, nodes.size()));
      for (int gpu = 0; gpu < GPUS; gpu++) {
        groups.add(new SentAlerts(groups.size(), gpu, prepared, some));
      }
    }
    return groups;
  }

  /** The alerts of a notification for these rounds that differ from those of earlier rounds. */
  List<SentAlert> changes(Part part, Rounds rounds) {
    return alerts(part, rounds, true);
  }

  /** All alerts of a notification for these rounds. */
  List<SentAlert> alerts(Part part, Rounds rounds) {
    return alerts(part, rounds, false);
  }

  private List<SentAlert> alerts(Part part, Rounds rounds, boolean changed) {
    List<SentAlert> alerts = new ArrayList<>();
    for (int place = 0; place < nodes.size(); place++) {
      String node = nodes.get(place);
      // In this part each Node has one change, in a round of its own.
      int own = place * ONE_IN / nodes.size();
      boolean changes =
          part != Part.MOSTLY_REPEATED || (own >= rounds.first() && own <= rounds.last());
      if (changes || !changed) {
        alerts.add(
            switch (part) {
              case PREPARED -> firing(node, STANDING, prepared);
              case MOSTLY_REPEATED -> mostlyRepeated(node, own, rounds, changes);
              case CHANGED -> inTurn(node, rounds);
            });
      }
    }
    return alerts;
  }

  private SentAlert mostlyRepeated(String node, int own, Rounds rounds, boolean changes) {
    Instant at = rounds.at(own);
    boolean ends = gpu == GPUS - 1;
    if (ends && own <= rounds.last()) {
      return new SentAlert(node, gpu, STANDING, prepared, Optional.of(at));
    }
    return changes && !ends ? firing(node, NEW.get(gpu), at) : firing(node, STANDING, prepared);
  }

  private SentAlert inTurn(String node, Rounds rounds) {
    Instant at = rounds.at(rounds.last());
    return rounds.last() % 2 == 0
        ? firing(node, STANDING, at)
        : new SentAlert(node, gpu, STANDING, at.minus(PERIOD), Optional.of(at));
  }

  private SentAlert firing(String node, String name, Instant since) {
    return new SentAlert(node, gpu, name, since, Optional.empty());
  }

  /** The notification of these alerts, version 4. */
  String notification(List<SentAlert> alerts) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("version", "4")
        .put("groupKey", "{}:{gpu=\"%d\", group=\"%d\"}".formatted(gpu, number))
        .put("receiver", "nodepool")
        .put("status", "firing")
        .put("truncatedAlerts", 0);
    ArrayNode list = body.putArray("alerts");
    for (SentAlert alert : alerts) {
      ObjectNode each = list.addObject();
      each.put("status", alert.ended().isEmpty() ? "firing" : "resolved");
      each.putObject("labels")
          .put("alertname", alert.name())
          .put("node", alert.node())
          .put("gpu", String.valueOf(alert.gpu()));
      each.putObject("annotations").put("summary", alert.summary());
      each.put("startsAt", alert.since().toString());
      each.put("endsAt", alert.ended().map(Instant::toString).orElse("0001-01-01T00:00:00Z"));
    }
    return body.toString();
  }

  /**
   * Rounds of a part that one notification is about: more than one if its sender is behind.
   *
   * @param begun when the first round of the part began
   */
  record Rounds(Instant begun, int first, int last) {
    /** When a round began, to the second, as a time is stored. */
    Instant at(int round) {
      return begun.plus(PERIOD.multipliedBy(round)).truncatedTo(ChronoUnit.SECONDS);
    }
  }
}
