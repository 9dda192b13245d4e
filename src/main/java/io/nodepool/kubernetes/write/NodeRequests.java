package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Sends actions on Nodes as requests with the Node's UID, so that no other Node is changed. */
record NodeRequests(ApiRequests requests, InstantSource clock) {
  /** Changes a Node, if it is still as observed. */
  Answer<Observation> write(Action.WriteNode write) {
    String path = ApiPaths.node(write.node());
    return seen(
        switch (write.change()) {
          case NodeChange.OfSpec spec ->
              requests.patch(
                  path,
                  ApiRequests.PatchType.JSON,
                  NodePatch.of(write.nodeUid(), write.precondition(), spec).json());
          case NodeChange.OfStatus status ->
              requests.patch(
                  path + "/status",
                  ApiRequests.PatchType.STRATEGIC,
                  NodeStatusPatch.of(write.nodeUid(), write.precondition(), status, clock.instant())
                      .toString());
        });
  }

  /** Reads live when the request on a Node and its policy were set. */
  Answer<Observation> times(Action.AskRequestTimes action) {
    Reply reply = requests.get(ApiPaths.node(action.node()));
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.unread("Node");
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

  /** Reads whether a machine has a Node; empty if it has none. */
  Optional<Answer<Observation>> readMachine(Action.ReadMachine action) {
    String name = action.host().name();
    Reply reply = requests.get(ApiPaths.node(name));
    if (reply.isNotFound()) {
      return Optional.empty();
    }
    return Optional.of(
        reply instanceof Reply.Ok
            ? new Answer.Done<>(
                new Observation.MachineRead(action.host(), action.tenancy(), true, List.of()))
            : new Answer.Unavailable<>(
                "Node %s could not be read: %s".formatted(name, reply.why())));
  }

  /** Reads a Node live; {@code NodeGone} if another Node has its name. */
  Answer<Observation> read(String name, String uid) {
    return requests.read(
        ApiPaths.node(name),
        io.fabric8.kubernetes.api.model.Node.class,
        uid,
        new Observation.NodeGone(name, uid, 0),
        NodeRequests::seen);
  }

  private Answer<Observation> seen(Reply reply) {
    return requests.answer(reply, io.fabric8.kubernetes.api.model.Node.class, NodeRequests::seen);
  }

  private static Answer<Observation> seen(io.fabric8.kubernetes.api.model.Node object) {
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
