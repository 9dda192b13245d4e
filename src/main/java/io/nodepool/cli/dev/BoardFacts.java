package io.nodepool.cli.dev;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineView;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.node.Disruption;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The facts of objects that the live view shows. Pure. */
final class BoardFacts {
  private BoardFacts() {}

  /** A Host's place and facts. */
  record HostEntry(MachineView.Place place, MachineView.HostFacts facts) {
    /** By place. */
    static final Comparator<HostEntry> ORDER =
        Comparator.comparing(HostEntry::place, MachineView.Place.ORDER);
  }

  /** The facts of a Host. */
  static HostEntry of(HostResource host) {
    HostSpec spec = host.getSpec();
    HostSpec.MachineSpec machine = spec.machine;
    HostStatus status = Objects.requireNonNullElseGet(host.getStatus(), HostStatus::new);
    return new HostEntry(
        new MachineView.Place(
            machine.instanceType,
            machine.zone,
            Objects.requireNonNullElseGet(machine.rack, () -> orEmpty(machine.rackName)),
            orEmpty(machine.slot),
            host.getMetadata().getName()),
        new MachineView.HostFacts(
            spec.assignment != null,
            spec.setAside != null,
            spec.power == HostSpec.Power.OFF,
            phase(status.phase),
            status.tenancy == null || status.tenancy == spec.tenancy));
  }

  private static MachineView.Phase phase(HostStatus.@Nullable Phase phase) {
    return switch (phase) {
      case null -> MachineView.Phase.UNKNOWN;
      case FREE -> MachineView.Phase.FREE;
      case RUNNING -> MachineView.Phase.RUNNING;
      case STOPPED -> MachineView.Phase.STOPPED;
      case CLEANING -> MachineView.Phase.CLEANING;
      case FAILED -> MachineView.Phase.FAILED;
    };
  }

  /** The facts of a Node. */
  static MachineView.NodeFacts of(Node node) {
    return new MachineView.NodeFacts(
        isTrue(node, "Ready"),
        isTrue(node, NodeCondition.REGISTERED.type()),
        isTrue(node, NodeCondition.ACTIVE.type()),
        node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        step(node),
        disruption(node));
  }

  /** What is done with the Node; empty without that, and if this version cannot read its record. */
  private static Optional<DisruptionView> disruption(Node node) {
    Map<String, String> labels = orEmpty(node.getMetadata().getLabels());
    Map<String, String> annotations = orEmpty(node.getMetadata().getAnnotations());
    try {
      return DisruptionRecord.read(annotations.get(NodeAnnotations.REMOVAL.key()))
          .flatMap(Disruption::active)
          .map(active ->
              DisruptionView.of(
                  active,
                  new DisruptionView.Facts(
                      labels.getOrDefault(NodeLabels.STATE.key(), ""),
                      removal(node),
                      annotations.getOrDefault(NodeAnnotations.REBOOT_FAILED.key(), ""),
                      node.getMetadata().getDeletionTimestamp() != null)));
    } catch (UnreadableObjectException e) {
      return Optional.empty();
    }
  }

  /** The reason of CWNodeRemoval while that is True; empty text without it. */
  private static String removal(Node node) {
    return node.getStatus() == null
        ? ""
        : node.getStatus().getConditions().stream()
            .filter(condition ->
                condition.getType().equals(NodeCondition.NODE_REMOVAL.type())
                    && condition.getStatus().equals("True"))
            .map(condition -> orEmpty(condition.getReason()))
            .findFirst()
            .orElse("");
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> all) {
    return all == null ? Map.of() : all;
  }

  private static MachineView.Step step(Node node) {
    if (node.getMetadata().getDeletionTimestamp() != null
        || isTrue(node, NodeCondition.NODE_REMOVAL.type())) {
      return MachineView.Step.REMOVING;
    }
    String state =
        orEmpty(node.getMetadata().getLabels())
            .getOrDefault(NodeLabels.STATE.key(), LifecycleState.PRODUCTION.word());
    return state.equals(LifecycleState.PRODUCTION.word())
        ? MachineView.Step.STAYING
        : MachineView.Step.REBOOTING;
  }

  private static boolean isTrue(Node node, String type) {
    return node.getStatus() != null
        && node.getStatus().getConditions().stream()
            .anyMatch(condition ->
                condition.getType().equals(type) && condition.getStatus().equals("True"));
  }

  /** The facts of an Event. */
  static EventView of(Event event) {
    return new EventView(
        instant(event),
        "Warning".equals(event.getType()),
        orEmpty(event.getReason()),
        orEmpty(event.getInvolvedObject().getKind()),
        orEmpty(event.getInvolvedObject().getName()),
        orEmpty(event.getMessage()));
  }

  private static Instant instant(Event event) {
    String text =
        Objects.requireNonNullElseGet(
            event.getLastTimestamp(), () -> orEmpty(event.getMetadata().getCreationTimestamp()));
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
