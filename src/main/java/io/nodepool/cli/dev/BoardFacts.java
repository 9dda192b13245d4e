package io.nodepool.cli.dev;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The facts of objects that the live view shows. Pure. */
final class BoardFacts {
  private BoardFacts() {}

  /**
   * A Host.
   *
   * @param state the state of its machine; empty if its Node decides it
   */
  record HostEntry(MachineView.Place place, Optional<MachineState> state) {
    /** By place. */
    static final Comparator<HostEntry> ORDER =
        Comparator.comparing(HostEntry::place, MachineView.Place.ORDER);

    /** Its machine, with its Node if there is one. */
    MachineView with(Optional<NodeEntry> node) {
      return new MachineView(
          place,
          state.or(() -> node.map(NodeEntry::state)).orElse(MachineState.JOINING),
          node.flatMap(NodeEntry::disruption),
          node.map(NodeEntry::notes).orElse(List.of()));
    }
  }

  /**
   * A Node.
   *
   * @param state the state of its machine, if that runs
   * @param disruption its disruption in words; empty if it is not disrupted
   * @param notes its alerts, and its pending request
   */
  record NodeEntry(MachineState state, Optional<DisruptionView> disruption, List<String> notes) {}

  /** The facts of a Host. */
  static HostEntry of(HostResource host) {
    HostSpec.MachineSpec machine = host.getSpec().machine;
    return new HostEntry(
        new MachineView.Place(
            machine.instanceType,
            machine.zone,
            Objects.requireNonNullElseGet(
                machine.rack, () -> ObjectFacts.orEmpty(machine.rackName)),
            ObjectFacts.orEmpty(machine.slot),
            host.getMetadata().getName()),
        state(host.getSpec(), Objects.requireNonNullElseGet(host.getStatus(), HostStatus::new)));
  }

  private static Optional<MachineState> state(HostSpec spec, HostStatus status) {
    if (spec.assignment == null) {
      return Optional.of(unassigned(spec, status));
    }
    if (status.phase == HostStatus.Phase.FAILED) {
      return Optional.of(MachineState.FAILED);
    }
    if (spec.power == HostSpec.Power.OFF || status.phase == HostStatus.Phase.STOPPED) {
      return Optional.of(MachineState.STOPPED);
    }
    // The phase may belong to an earlier assignment.
    boolean isCurrent = status.tenancy == null || status.tenancy == spec.tenancy;
    return status.phase == HostStatus.Phase.RUNNING && isCurrent
        ? Optional.empty()
        : Optional.of(MachineState.BOOTING);
  }

  private static MachineState unassigned(HostSpec spec, HostStatus status) {
    return switch (status.phase) {
      case FAILED -> MachineState.FAILED;
      case BOOTING, RUNNING, STOPPED, CLEANING -> MachineState.CLEANING;
      case FREE -> spec.setAside == null ? MachineState.FREE : MachineState.SET_ASIDE;
      case null -> spec.setAside == null ? MachineState.UNREPORTED : MachineState.SET_ASIDE;
    };
  }

  /** The facts of a Node. */
  static NodeEntry of(Node node) {
    return new NodeEntry(state(node), disruption(node), notes(node));
  }

  private static List<String> notes(Node node) {
    return Optional.ofNullable(node.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(each -> "True".equals(each.getStatus()))
        .flatMap(each -> {
          String reason = ObjectFacts.orEmpty(each.getReason());
          String since = " since " + each.getLastTransitionTime();
          return AlertCondition.is(each.getType(), reason)
              ? Stream.of("Alert " + each.getType() + since)
              : each.getType().equals(NodeCondition.PENDING_PHASE_STATE.type())
                  ? Stream.of("Pending: " + reason + since)
                  : Stream.empty();
        })
        .toList();
  }

  private static MachineState state(Node node) {
    if (node.getMetadata().getDeletionTimestamp() != null
        || isTrue(node, NodeCondition.NODE_REMOVAL.type())) {
      return MachineState.DRAINING;
    }
    String state = ObjectFacts.orNone(node.getMetadata().getLabels()).get(NodeLabels.STATE.key());
    if (state != null && !state.equals(LifecycleState.PRODUCTION.word())) {
      return MachineState.REBOOTING;
    }
    if (!isTrue(node, "Ready")) {
      return MachineState.NOT_READY;
    }
    if (!isTrue(node, NodeCondition.REGISTERED.type())) {
      return MachineState.JOINING;
    }
    if (node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return MachineState.CORDONED;
    }
    return isTrue(node, NodeCondition.ACTIVE.type()) ? MachineState.BUSY : MachineState.IDLE;
  }

  /** The disruption of the Node; empty if there is none, or this version cannot read its record. */
  private static Optional<DisruptionView> disruption(Node node) {
    Map<String, String> labels = ObjectFacts.orNone(node.getMetadata().getLabels());
    Map<String, String> annotations = ObjectFacts.orNone(node.getMetadata().getAnnotations());
    return DisruptionView.recorded(annotations.getOrDefault(NodeAnnotations.REMOVAL.key(), ""))
        .map(active ->
            DisruptionView.of(
                active,
                new DisruptionView.Facts(
                    labels.getOrDefault(NodeLabels.STATE.key(), ""),
                    whileTrue(node, NodeCondition.NODE_REMOVAL.type())
                        .map(condition -> ObjectFacts.orEmpty(condition.getReason()))
                        .orElse(""),
                    annotations.getOrDefault(NodeAnnotations.REBOOT_FAILED.key(), ""),
                    node.getMetadata().getDeletionTimestamp() != null)));
  }

  private static boolean isTrue(Node node, String type) {
    return whileTrue(node, type).isPresent();
  }

  /** The condition of a type, if it is True. */
  private static Optional<io.fabric8.kubernetes.api.model.NodeCondition> whileTrue(
      Node node, String type) {
    return Optional.ofNullable(node.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(
            condition -> condition.getType().equals(type) && condition.getStatus().equals("True"))
        .findFirst();
  }

  /** The facts of an Event. */
  static EventView of(Event event) {
    return new EventView(
        instant(event),
        "Warning".equals(event.getType()),
        ObjectFacts.orEmpty(event.getReason()),
        ObjectFacts.orEmpty(event.getInvolvedObject().getKind()),
        ObjectFacts.orEmpty(event.getInvolvedObject().getName()),
        ObjectFacts.orEmpty(event.getMessage()));
  }

  private static Instant instant(Event event) {
    return ObjectFacts.readableTime(event.getLastTimestamp())
        .or(() -> ObjectFacts.readableTime(event.getMetadata().getCreationTimestamp()))
        .orElse(Instant.EPOCH);
  }
}
