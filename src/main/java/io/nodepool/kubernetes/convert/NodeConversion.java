package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orNone;

import io.fabric8.kubernetes.api.model.NodeCondition;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts Nodes of the API to records. */
public final class NodeConversion {
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
            new Node.Status(
                isTrue(object, "Ready"),
                isTrue(object, io.nodepool.vocabulary.condition.NodeCondition.REGISTERED.type()),
                activity(object),
                removing(object),
                object.getStatus() == null ? 0 : object.getStatus().getVolumesAttached().size(),
                bootId(object),
                lifecycle(object)),
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
    return NodeMetadata.restricted(
        AppliedMetadata.read(annotations.get(NodeAnnotations.APPLIED_METADATA.key())),
        orNone(object.getMetadata().getLabels()),
        annotations,
        taints(object));
  }

  private static List<Taint> taints(io.fabric8.kubernetes.api.model.Node object) {
    return object.getSpec() == null
        ? List.of()
        : object.getSpec().getTaints().stream().map(NodeConversion::taint).toList();
  }

  private static Taint taint(io.fabric8.kubernetes.api.model.Taint taint) {
    return new Taint(taint.getKey(), orEmpty(taint.getValue()), taint.getEffect());
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

  private static Optional<Node.Activity> activity(io.fabric8.kubernetes.api.model.Node object) {
    return condition(object, io.nodepool.vocabulary.condition.NodeCondition.ACTIVE.type())
        .filter(condition -> !"Unknown".equals(condition.getStatus()))
        .map(condition ->
            new Node.Activity(
                "True".equals(condition.getStatus()), orEmpty(condition.getMessage())));
  }

  private static Optional<Node.Removing> removing(io.fabric8.kubernetes.api.model.Node object) {
    return condition(object, io.nodepool.vocabulary.condition.NodeCondition.NODE_REMOVAL.type())
        .filter(condition -> "True".equals(condition.getStatus()))
        .flatMap(condition ->
            NodeRemovalReason.of(orEmpty(condition.getReason()))
                .map(reason -> new Node.Removing(reason, orEmpty(condition.getMessage()))));
  }

  private static String bootId(io.fabric8.kubernetes.api.model.Node object) {
    return object.getStatus() == null || object.getStatus().getNodeInfo() == null
        ? ""
        : orEmpty(object.getStatus().getNodeInfo().getBootID());
  }

  private static Node.Lifecycle lifecycle(io.fabric8.kubernetes.api.model.Node object) {
    return new Node.Lifecycle(
        condition(object, io.nodepool.vocabulary.condition.NodeCondition.PHASE_STATE.type())
            .filter(condition -> "True".equals(condition.getStatus()))
            .map(condition -> orEmpty(condition.getReason()))
            .orElse(""),
        pending(object),
        isTrue(object, io.nodepool.vocabulary.condition.NodeCondition.IMMEDIATE_REBOOT.type()));
  }

  /** PendingPhaseState: of several entries the one that is True, and of those the last. */
  private static Optional<Node.Pending> pending(io.fabric8.kubernetes.api.model.Node object) {
    if (object.getStatus() == null) {
      return Optional.empty();
    }
    String type = io.nodepool.vocabulary.condition.NodeCondition.PENDING_PHASE_STATE.type();
    List<NodeCondition> entries =
        object.getStatus().getConditions().stream()
            .filter(condition -> type.equals(condition.getType()))
            .toList();
    return entries.stream()
        .filter(condition -> "True".equals(condition.getStatus()))
        .reduce((one, other) -> other)
        .or(() -> entries.stream().findFirst())
        .map(condition ->
            new Node.Pending(
                "True".equals(condition.getStatus()),
                orEmpty(condition.getReason()),
                orEmpty(condition.getMessage()),
                since(condition.getLastTransitionTime()),
                entries.size()));
  }

  /** A time that a client wrote; long ago if it cannot be read. */
  private static Instant since(@Nullable String time) {
    try {
      return ObjectFacts.timeOrLongAgo("lastTransitionTime", time);
    } catch (UnreadableObjectException _) {
      return Instant.EPOCH;
    }
  }

  private static boolean isTrue(io.fabric8.kubernetes.api.model.Node object, String type) {
    return condition(object, type)
        .filter(condition -> "True".equals(condition.getStatus()))
        .isPresent();
  }

  private static Optional<NodeCondition> condition(
      io.fabric8.kubernetes.api.model.Node object, String type) {
    return object.getStatus() == null
        ? Optional.empty()
        : object.getStatus().getConditions().stream()
            .filter(condition -> type.equals(condition.getType()))
            .findFirst();
  }
}
