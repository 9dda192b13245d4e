package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orNone;

import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeAlerts;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts Nodes of the API to records. */
public final class NodeConversion {
  /**
   * Types of conditions that are no alerts: those of Kubernetes, and those that are read
   * separately.
   */
  private static final Set<String> NOT_OF_HEALTH =
      Stream.concat(
              NodeCondition.KUBERNETES.stream(),
              Stream.of(NodeCondition.values())
                  .filter(type -> type != NodeCondition.KERNEL_DEADLOCK)
                  .map(NodeCondition::type))
          .collect(Collectors.toUnmodifiableSet());

  private NodeConversion() {}

  /**
   * A Node as a record; empty if it belongs to no Host, since the operator never changes such a
   * Node (decision D1).
   *
   * @throws UnreadableObjectException if the Node cannot be read
   */
  public static Optional<Node> node(io.fabric8.kubernetes.api.model.Node object) {
    Map<String, String> annotations = orNone(object.getMetadata().getAnnotations());
    String hostUid = annotations.get(NodeAnnotations.HOST_UID.key());
    String tenancy = annotations.get(NodeAnnotations.TENANCY.key());
    if (hostUid == null || tenancy == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Node(
            new Node.Identity(
                ObjectFacts.name(object),
                ObjectFacts.uid(object),
                ObjectFacts.createdAt(object),
                hostUid,
                tenancy(tenancy)),
            ObjectFacts.version(object),
            metadata(object, annotations),
            object.getSpec() != null && Boolean.TRUE.equals(object.getSpec().getUnschedulable()),
            DisruptionRecord.read(annotations.get(NodeAnnotations.REMOVAL.key())),
            status(object),
            finalization(object)));
  }

  private static Node.Finalization finalization(io.fabric8.kubernetes.api.model.Node object) {
    return object.getMetadata().getDeletionTimestamp() == null
        ? Node.Finalization.NONE
        : new Node.Finalization(true, object.getMetadata().getFinalizers());
  }

  /** The observation of a Node that exists and cannot be read. */
  public static Observation.NodeUnreadable unreadable(
      io.fabric8.kubernetes.api.model.Node object, UnreadableObjectException why) {
    return new Observation.NodeUnreadable(
        ObjectFacts.name(object),
        ObjectFacts.uid(object),
        ObjectFacts.version(object),
        String.valueOf(why.getMessage()));
  }

  private static NodeMetadata metadata(
      io.fabric8.kubernetes.api.model.Node object, Map<String, String> annotations) {
    List<Taint> taints =
        object.getSpec() == null
            ? List.of()
            : object.getSpec().getTaints().stream()
                .map(each -> new Taint(each.getKey(), orEmpty(each.getValue()), each.getEffect()))
                .toList();
    return NodeMetadata.restricted(
        AppliedMetadata.read(annotations.get(NodeAnnotations.APPLIED_METADATA.key())),
        orNone(object.getMetadata().getLabels()),
        annotations,
        taints);
  }

  private static int tenancy(String text) {
    if (!text.matches("[0-9]{1,9}")) {
      throw new UnreadableObjectException(
          "annotation %s is no tenancy: %s"
              .formatted(
                  NodeAnnotations.TENANCY.key(), UserText.shortened(text, UserText.LONGEST_QUOTE)));
    }
    return Integer.parseInt(text);
  }

  private static NodeStatus status(io.fabric8.kubernetes.api.model.Node object) {
    io.fabric8.kubernetes.api.model.NodeStatus status =
        Optional.ofNullable(object.getStatus())
            .orElseGet(io.fabric8.kubernetes.api.model.NodeStatus::new);
    List<io.fabric8.kubernetes.api.model.NodeCondition> conditions = status.getConditions();
    Map<NodeCondition, NodeStatus.Entry> entries = new EnumMap<>(NodeCondition.class);
    for (NodeCondition type : NodeCondition.values()) {
      entry(type, conditions).ifPresent(entry -> entries.put(type, entry));
    }
    return new NodeStatus(
        notReadySince(conditions, ObjectFacts.createdAt(object)),
        entries,
        alerts(conditions),
        status.getVolumesAttached().size(),
        status.getNodeInfo() == null ? "" : orEmpty(status.getNodeInfo().getBootID()));
  }

  /** The published alerts, and other clients' conditions that may be signals. */
  private static NodeAlerts alerts(List<io.fabric8.kubernetes.api.model.NodeCondition> conditions) {
    SortedMap<String, NodeStatus.Entry> published = new TreeMap<>();
    SortedMap<String, NodeAlerts.Other> others = new TreeMap<>();
    for (io.fabric8.kubernetes.api.model.NodeCondition each : conditions) {
      if (isTrue(each) && mayBeOfHealth(each.getType())) {
        if (AlertCondition.is(each.getType(), orEmpty(each.getReason()))) {
          published.put(each.getType(), entry(each, 1));
        } else if (others.size() < NodeAlerts.MOST) {
          others.put(each.getType(), other(entry(each, 1), each.getLastHeartbeatTime()));
        }
      }
    }
    return published.isEmpty() && others.isEmpty()
        ? NodeAlerts.NONE
        : new NodeAlerts(published, others);
  }

  /** Whether a type may be an alert. A type with a domain, which any client may write, is none. */
  private static boolean mayBeOfHealth(String type) {
    return !NOT_OF_HEALTH.contains(type) && type.indexOf('/') < 0;
  }

  /** Without a heartbeat, the transition time counts as the last report. */
  private static NodeAlerts.Other other(NodeStatus.Entry entry, @Nullable String heartbeat) {
    return new NodeAlerts.Other(
        entry.since(), ObjectFacts.readableTime(heartbeat).orElse(entry.since()), entry.message());
  }

  /** A Node that never reported whether it is Ready counts as not Ready since its creation. */
  private static Optional<Instant> notReadySince(
      List<io.fabric8.kubernetes.api.model.NodeCondition> conditions, Instant createdAt) {
    Optional<io.fabric8.kubernetes.api.model.NodeCondition> ready =
        ofType("Ready", conditions).findFirst();
    return ready.filter(NodeConversion::isTrue).isPresent()
        ? Optional.empty()
        : ready
            .flatMap(each -> ObjectFacts.readableTime(each.getLastTransitionTime()))
            .or(() -> Optional.of(createdAt));
  }

  private static Stream<io.fabric8.kubernetes.api.model.NodeCondition> ofType(
      String type, List<io.fabric8.kubernetes.api.model.NodeCondition> conditions) {
    return conditions.stream().filter(condition -> type.equals(condition.getType()));
  }

  private static boolean isTrue(io.fabric8.kubernetes.api.model.NodeCondition condition) {
    return "True".equals(condition.getStatus());
  }

  /**
   * The entry of a condition; empty if it is Unknown. Clients append entries to PendingPhaseState:
   * the last entry that is True counts.
   */
  private static Optional<NodeStatus.Entry> entry(
      NodeCondition type, List<io.fabric8.kubernetes.api.model.NodeCondition> conditions) {
    List<io.fabric8.kubernetes.api.model.NodeCondition> entries =
        ofType(type.type(), conditions).toList();
    Optional<io.fabric8.kubernetes.api.model.NodeCondition> first = entries.stream().findFirst();
    return (type == NodeCondition.PENDING_PHASE_STATE
            ? entries.stream()
                .filter(NodeConversion::isTrue)
                .reduce((one, other) -> other)
                .or(() -> first)
            : first.filter(condition -> !"Unknown".equals(condition.getStatus())))
        .map(condition -> entry(condition, entries.size()));
  }

  private static NodeStatus.Entry entry(
      io.fabric8.kubernetes.api.model.NodeCondition condition, int entries) {
    return new NodeStatus.Entry(
        isTrue(condition),
        orEmpty(condition.getReason()),
        orEmpty(condition.getMessage()),
        ObjectFacts.readableTime(condition.getLastTransitionTime()).orElse(Instant.EPOCH),
        entries);
  }
}
