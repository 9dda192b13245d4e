package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Optional;

/**
 * A state that a user requests for a Node: the condition PendingPhaseState, then the label
 * pending-state, as other clients write them (contract §12).
 *
 * @param state the requested state
 * @param immediate whether the Node does not have to be idle
 * @param message the message of the condition
 * @param explained whether the message has a reason, which replaces the message of a pending
 *     request
 */
public record StateRequest(
    LifecycleState state, boolean immediate, String message, boolean explained) {
  private static final int ATTEMPTS = 3;
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /**
   * Writes the missing parts of the request.
   *
   * @return whether something was missing
   * @throws CommandFailure if another state is pending, or a write fails
   */
  public boolean submit(ClusterClient client, NodeReading node, Instant now) {
    Optional<String> pending = node.pendingState();
    if (pending.isPresent() && !pending.get().equals(state.word())) {
      throw new CommandFailure(
          "%s is pending already; nothing was requested (uncordon cancels it)"
              .formatted(pending.get()));
    }
    boolean labelled =
        node.label(NodeLabels.PENDING_STATE).equals(state.word())
            && (!immediate
                || node.annotation(NodeAnnotations.REBOOT_POLICY)
                    .equals(NodeAnnotations.IMMEDIATE));
    boolean shown =
        pending.isPresent()
            && (!explained
                || node.condition(NodeCondition.PENDING_PHASE_STATE)
                    .filter(each -> each.path("message").asText("").equals(message))
                    .isPresent());
    if (!shown) {
      writeCondition(client, node, now);
    }
    if (!labelled) {
      client.mergeNode(node.name(), label(node));
    }
    return !shown || !labelled;
  }

  /** The label and the policy in one patch: the request is never read without its policy. */
  private ObjectNode label(NodeReading node) {
    ObjectNode patch = NODES.objectNode();
    ObjectNode metadata = patch.putObject("metadata");
    metadata.putObject("labels").put(NodeLabels.PENDING_STATE.key(), state.word());
    if (immediate) {
      metadata
          .putObject("annotations")
          .put(NodeAnnotations.REBOOT_POLICY.key(), NodeAnnotations.IMMEDIATE);
    } else if (!node.annotation(NodeAnnotations.REBOOT_POLICY).isEmpty()) {
      // The policy of an earlier request; this request waits.
      metadata.putObject("annotations").putNull(NodeAnnotations.REBOOT_POLICY.key());
    }
    return patch;
  }

  private void writeCondition(ClusterClient client, NodeReading first, Instant now) {
    NodeReading node = first;
    for (int attempt = 1; ; attempt++) {
      Reply reply = client.patchStatus(node.name(), condition(node, now).json());
      if (!reply.isConflict() || attempt == ATTEMPTS) {
        client.succeeded(reply);
        return;
      }
      // The conditions have changed: their indexes may differ now.
      node = client.node(node.name());
      Optional<String> pending = node.pendingState();
      if (pending.isPresent() && !pending.equals(first.pendingState())) {
        throw new CommandFailure("another client requested %s".formatted(pending.get()));
      }
    }
  }

  /** Adds the condition, or updates the condition of an earlier request. */
  private JsonPatch condition(NodeReading node, Instant now) {
    String time = ObjectFacts.seconds(now);
    ObjectNode condition =
        NODES
            .objectNode()
            .put("type", NodeCondition.PENDING_PHASE_STATE.type())
            .put("status", ConditionStatus.TRUE.word())
            .put("reason", state.word())
            .put("message", message)
            .put("lastHeartbeatTime", time)
            .put("lastTransitionTime", time);
    Optional<Integer> place = node.indexOf(NodeCondition.PENDING_PHASE_STATE);
    if (node.pendingState().isPresent()) {
      // Keeps its transition time.
      condition.remove("lastTransitionTime");
    }
    if (place.isPresent()) {
      return replacing(place.get(), condition);
    }
    return node.conditions().isArray()
        ? new JsonPatch().set("/status/conditions/-", condition)
        : new JsonPatch().set("/status/conditions", NODES.arrayNode().add(condition));
  }

  /** Sets the fields of the condition at an index; fails if its type has changed. */
  private static JsonPatch replacing(int place, ObjectNode condition) {
    String path = "/status/conditions/" + place + "/";
    JsonPatch patch = new JsonPatch().test(path + "type", condition.path("type").asText());
    condition
        .properties()
        .forEach(field -> patch.set(path + JsonPatch.pointer(field.getKey()), field.getValue()));
    return patch;
  }

  /** The state that is pending on a Node, by its condition or its label. */
  public static Optional<String> pending(NodeReading node) {
    return node.pendingState()
        .or(() ->
            Optional.of(node.label(NodeLabels.PENDING_STATE)).filter(each -> !each.isEmpty()));
  }

  /** Adds to a patch of a Node the removal of any request. */
  public static void takeOff(ObjectNode patch) {
    ObjectNode metadata = patch.withObjectProperty("metadata");
    metadata.putObject("labels").putNull(NodeLabels.PENDING_STATE.key());
    metadata.putObject("annotations").putNull(NodeAnnotations.REBOOT_POLICY.key());
  }

  /** Reports in the condition of a request that it was cancelled. */
  public static void reportCancelled(ClusterClient client, NodeReading node, Instant now) {
    ObjectNode cancelled =
        NODES
            .objectNode()
            .put("type", NodeCondition.PENDING_PHASE_STATE.type())
            .put("status", ConditionStatus.FALSE.word())
            .put("message", "Cancelled with kubectl nodepool node uncordon.")
            .put("lastTransitionTime", ObjectFacts.seconds(now));
    node.indexOf(NodeCondition.PENDING_PHASE_STATE)
        .filter(place -> NodeReading.isTrue(node.conditions().get(place)))
        .ifPresent(place ->
            client.succeeded(client.patchStatus(node.name(), replacing(place, cancelled).json())));
  }
}
