package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.DisruptionMarks;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.InstantSource;
import java.util.Optional;

/** Sends actions on Nodes as requests with the Node's UID, so that no other Node is changed. */
final class NodeRequests {
  private static final String REMOVAL =
      "/metadata/annotations/" + JsonPatch.pointer(NodeAnnotations.REMOVAL.key());

  /** The reason of NLCCImmediateReboot (contract §10). */
  private static final String REDFISH_REBOOT = "NLCCRedfishReboot";

  private final ApiRequests requests;
  private final InstantSource clock;

  NodeRequests(ApiRequests requests, InstantSource clock) {
    this.requests = requests;
    this.clock = clock;
  }

  /**
   * Sets the operator's conditions; those of other clients remain, since the list is merged by
   * type.
   */
  Answer<Observation> report(Action.ReportNode action) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putObject("metadata").put("uid", action.nodeUid());
    ArrayNode conditions = body.putObject("status").putArray("conditions");
    String now = ObjectFacts.seconds(clock.instant());
    if (action.register()) {
      condition(conditions, NodeCondition.REGISTERED, true, "Registered", now)
          .put("message", "Node has joined the cluster.")
          .put("lastTransitionTime", now);
    }
    boolean active = action.activity().active();
    ObjectNode activity =
        condition(conditions, NodeCondition.ACTIVE, active, active ? "Active" : "Idle", now)
            .put("message", action.activity().message());
    // If omitted, the recorded time is kept.
    if (action.before().map(Node.Activity::active).map(before -> before != active).orElse(true)) {
      activity.put("lastTransitionTime", now);
    }
    return seen(
        requests.patch(
            ApiPaths.node(action.node()) + "/status",
            ApiRequests.PatchType.STRATEGIC,
            body.toString()));
  }

  private static ObjectNode condition(
      ArrayNode conditions, NodeCondition type, boolean status, String reason, String now) {
    return conditions
        .addObject()
        .put("type", type.type())
        .put("status", status ? "True" : "False")
        .put("reason", reason)
        .put("lastHeartbeatTime", now);
  }

  /** Changes the recorded disruption of a Node that is as observed, and what belongs to it. */
  Answer<Observation> record(Action.RecordDisruption action) {
    JsonPatch patch =
        action
            .tested()
            .map(record -> drained(action.nodeUid(), record))
            .orElseGet(() -> unchanged(action.nodeUid(), action.nodeVersion()));
    action
        .next()
        .ifPresentOrElse(
            next -> patch.set(REMOVAL, DisruptionRecord.write(next)), () -> patch.remove(REMOVAL));
    DisruptionMarks marks = action.marks();
    switch (marks.cordoning()) {
      case CORDON -> patch.set("/spec/unschedulable", true);
      case UNCORDON -> patch.remove("/spec/unschedulable");
      case KEEP -> {}
    }
    marks.labels().forEach((key, value) -> set(patch, "/metadata/labels/", key, value));
    marks.annotations().forEach((key, value) -> set(patch, "/metadata/annotations/", key, value));
    return seen(
        requests.patch(ApiPaths.node(action.node()), ApiRequests.PatchType.JSON, patch.json()));
  }

  private static void set(JsonPatch patch, String under, String key, Optional<String> value) {
    String path = under + JsonPatch.pointer(key);
    value.ifPresentOrElse(text -> patch.set(path, text), () -> patch.remove(path));
  }

  private static JsonPatch drained(String nodeUid, Disruption record) {
    return new JsonPatch()
        .test("/metadata/uid", nodeUid)
        .testAbsent("/spec/unschedulable")
        .test(REMOVAL, DisruptionRecord.write(record));
  }

  private static JsonPatch unchanged(String nodeUid, long nodeVersion) {
    return new JsonPatch()
        .test("/metadata/uid", nodeUid)
        .test("/metadata/resourceVersion", Long.toString(nodeVersion));
  }

  /**
   * Writes the record, labels and the condition in one request: metadata may be written with the
   * status.
   */
  Answer<Observation> commit(Action.CommitDisruption action) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = body.putObject("metadata");
    metadata
        .put("uid", action.nodeUid())
        .put("resourceVersion", Long.toString(action.nodeVersion()));
    ObjectNode annotations = metadata.putObject("annotations");
    annotations.put(NodeAnnotations.REMOVAL.key(), DisruptionRecord.write(action.next()));
    // An empty value removes the key.
    action.marks().annotations().forEach((key, value) -> annotations.put(key, value.orElse(null)));
    if (!action.marks().labels().isEmpty()) {
      ObjectNode labels = metadata.putObject("labels");
      action.marks().labels().forEach((key, value) -> labels.put(key, value.orElse(null)));
    }
    ArrayNode conditions = body.putObject("status").putArray("conditions");
    if (action.says().isPresent()) {
      removalCondition(conditions, action.says(), action.turns());
    }
    action
        .state()
        .ifPresent(state -> phase(conditions, state, ObjectFacts.seconds(clock.instant())));
    return status(action.node(), body);
  }

  /** Sets the condition CWNodeRemoval. */
  Answer<Observation> report(Action.ReportRemoval action) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putObject("metadata").put("uid", action.nodeUid());
    removalCondition(
        body.putObject("status").putArray("conditions"), action.says(), action.turns());
    return status(action.node(), body);
  }

  private static void phase(ArrayNode conditions, String state, String now) {
    condition(conditions, NodeCondition.PHASE_STATE, true, state, now)
        .put("message", "Node is in phase " + state)
        .put("lastTransitionTime", now);
  }

  private void removalCondition(
      ArrayNode conditions, Optional<Node.Removing> removing, boolean changed) {
    String now = ObjectFacts.seconds(clock.instant());
    ObjectNode condition =
        condition(
                conditions,
                NodeCondition.NODE_REMOVAL,
                removing.isPresent(),
                removing.map(each -> each.reason().word()).orElse("Withdrawn"),
                now)
            .put("message", removing.map(Node.Removing::message).orElse("The Node stays."));
    if (changed) {
      condition.put("lastTransitionTime", now);
    }
  }

  /**
   * Sets the conditions about the lifecycle. A removal takes every entry of the type out of the
   * list, so a condition that a client appended a second time is there once afterwards.
   */
  Answer<Observation> report(Action.ReportLifecycle action) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putObject("metadata").put("uid", action.nodeUid());
    ArrayNode conditions = body.putObject("status").putArray("conditions");
    String now = ObjectFacts.seconds(clock.instant());
    Node.Lifecycle before = action.before();
    Node.Lifecycle next = action.next();
    if (!before.phase().equals(next.phase())) {
      phase(conditions, next.phase(), now);
    }
    if (before.rebooting() != next.rebooting()) {
      condition(conditions, NodeCondition.IMMEDIATE_REBOOT, next.rebooting(), REDFISH_REBOOT, now)
          .put(
              "message",
              next.rebooting() ? "A power cycle of the machine runs." : "No power cycle runs.")
          .put("lastTransitionTime", now);
    }
    if (!before.pending().equals(next.pending())) {
      conditions
          .addObject()
          .put("$patch", "delete")
          .put("type", NodeCondition.PENDING_PHASE_STATE.type());
      next.pending()
          .ifPresent(pending ->
              condition(
                      conditions,
                      NodeCondition.PENDING_PHASE_STATE,
                      pending.status(),
                      pending.phase(),
                      now)
                  .put("message", pending.message())
                  .put("lastTransitionTime", ObjectFacts.seconds(pending.since())));
    }
    return status(action.node(), body);
  }

  private Answer<Observation> status(String node, ObjectNode body) {
    return seen(
        requests.patch(
            ApiPaths.node(node) + "/status", ApiRequests.PatchType.STRATEGIC, body.toString()));
  }

  /** Changes labels, annotations and taints of a Node that is as observed. */
  Answer<Observation> apply(Action.ApplyMetadata action) {
    return seen(
        requests.patch(
            ApiPaths.node(action.node()),
            ApiRequests.PatchType.JSON,
            NodePatch.of(action.nodeUid(), action.change()).json()));
  }

  /** Takes the policy of a request off a Node that is as observed. */
  Answer<Observation> drop(Action.DropRebootPolicy action) {
    JsonPatch patch = unchanged(action.nodeUid(), action.nodeVersion());
    patch.remove("/metadata/annotations/" + JsonPatch.pointer(NodeAnnotations.REBOOT_POLICY.key()));
    return seen(
        requests.patch(ApiPaths.node(action.node()), ApiRequests.PatchType.JSON, patch.json()));
  }

  /** Reads live when the request on a Node and its policy were set. */
  Answer<Observation> times(Action.AskRequestTimes action) {
    Reply reply = requests.get(ApiPaths.node(action.node()));
    if (!(reply instanceof Reply.Ok ok)) {
      // A read changes nothing, so it can be repeated after any failure.
      return reply.isNotFound()
          ? new Answer.Missing<>()
          : new Answer.Unavailable<>("the Node could not be read: " + reply);
    }
    JsonNode node = requests.parse(ok, JsonNode.class);
    JsonNode metadata = node.path("metadata");
    return metadata.path("uid").asText().equals(action.nodeUid())
        ? new Answer.Done<>(
            new Observation.RequestTimed(
                action.node(),
                action.nodeUid(),
                metadata.path("resourceVersion").asLong(),
                RequestFields.times(node)))
        : new Answer.Missing<>();
  }

  /** Deletes a Node; it still exists afterwards if it has finalizers. */
  Answer<Observation> delete(Action.DeleteNode action) {
    Reply reply =
        requests.delete(
            ApiPaths.node(action.node()), DeleteOptions.of(action.nodeUid()).toString());
    if (reply.isNotFound()) {
      return gone(action.node(), action.nodeUid());
    }
    if (reply instanceof Reply.Ok ok) {
      return requests.parse(ok, JsonNode.class).path("kind").asText().equals("Node")
          ? seen(ok)
          : gone(action.node(), action.nodeUid());
    }
    return reply.failure();
  }

  /** Reads whether a Node of this name exists; any other failure is the answer. */
  Answer<Boolean> exists(String name) {
    Reply reply = requests.get(ApiPaths.node(name));
    if (reply.isNotFound()) {
      return new Answer.Done<>(false);
    }
    return reply instanceof Reply.Ok
        ? new Answer.Done<>(true)
        : new Answer.Unavailable<>("Node %s could not be read: %s".formatted(name, reply));
  }

  /** Reads a Node live; {@code NodeGone} if another one has its name. */
  Answer<Observation> read(String name, String uid) {
    Reply reply = requests.get(ApiPaths.node(name));
    if (reply.isNotFound()) {
      return gone(name, uid);
    }
    Answer<Observation> answer = seen(reply);
    boolean another =
        (answer instanceof Answer.Done<Observation>(Observation.NodeSeen(Node node))
                && !node.uid().equals(uid))
            || (answer instanceof Answer.Done<Observation>(Observation.NodeUnreadable unreadable)
                && !unreadable.uid().equals(uid));
    return another ? gone(name, uid) : answer;
  }

  private Answer<Observation> seen(Reply reply) {
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.failure();
    }
    io.fabric8.kubernetes.api.model.Node object =
        requests.parse(ok, io.fabric8.kubernetes.api.model.Node.class);
    try {
      return NodeConversion.node(object)
          .<Answer<Observation>>map(node -> new Answer.Done<>(new Observation.NodeSeen(node)))
          .orElseGet(() -> new Answer.Refused<>("no Host stands behind this Node any more"));
    } catch (UnreadableObjectException e) {
      return new Answer.Done<>(NodeConversion.unreadable(object, e));
    }
  }

  private static Answer<Observation> gone(String name, String uid) {
    return new Answer.Done<>(new Observation.NodeGone(name, uid, 0));
  }
}
