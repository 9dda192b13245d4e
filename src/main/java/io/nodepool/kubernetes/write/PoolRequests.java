package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** Sends actions on pools as requests. */
record PoolRequests(ApiRequests requests) {
  private static final int PAGE = 500;
  private static final int NAMED = 3;

  /** Another client may write a pool at the same time, but hardly three times in a row. */
  private static final int ATTEMPTS = 3;

  /**
   * Applies the status as its field manager: omitted fields that it owns are removed, fields of
   * other managers remain. The server ignores the UID on the status of a custom resource, so the
   * pool is read first, for its version and to check its UID.
   */
  Answer<Observation> publish(Action.PublishStatus action) {
    return write(
        action.pool(),
        _ -> true,
        pool -> apply(action, pool.getMetadata().getResourceVersion()),
        reply -> reply instanceof Reply.Rejected(int code, String _) && code == Reply.CONFLICT);
  }

  private Reply apply(Action.PublishStatus action, String version) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", "compute.coreweave.com/v1alpha1").put("kind", "NodePool");
    body.putObject("metadata")
        .put("name", action.pool().name())
        .put("uid", action.pool().uid())
        .put("resourceVersion", version);
    body.putRawValue("status", new RawValue(requests.json(PoolConversion.status(action.status()))));
    return requests.patch(
        "%s/status?fieldManager=%s&force=true"
            .formatted(ApiPaths.pool(action.pool().name()), KubernetesWriter.FIELD_MANAGER),
        ApiRequests.PatchType.APPLY,
        body.toString());
  }

  /**
   * Removes the annotations of a command and records the command. The write requires the version of
   * a live read with the observed commands and the observed last executed command: a waiting
   * command is recorded again with a command that overtakes it, so none may be executed in between.
   */
  Answer<Observation> accept(Action.AcceptCommand action) {
    return write(
        action.pool(),
        pool -> isAsObserved(pool, action),
        pool ->
            requests.patch(
                "%s?fieldManager=%s"
                    .formatted(ApiPaths.pool(action.pool().name()), KubernetesWriter.FIELD_MANAGER),
                ApiRequests.PatchType.JSON,
                acceptance(pool, action).json()),
        Reply::isConflict);
  }

  /**
   * Writes a pool at the version of a live read; repeats both if the pool was changed in between.
   *
   * @param isAsObserved whether the pool has the state that the write was decided on
   * @param isChanged whether a write was rejected because the pool was changed
   */
  private Answer<Observation> write(
      PoolId id,
      Predicate<NodePool> isAsObserved,
      Function<NodePool, Reply> write,
      Predicate<Reply> isChanged) {
    Reply reply = new Reply.NotSent("not tried");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Reply current = requests.get(ApiPaths.pool(id.name()));
      if (!(current instanceof Reply.Ok ok)) {
        return current instanceof Reply.Rejected
            ? current.failure()
            : new Answer.Unavailable<>("the NodePool could not be read: " + current);
      }
      NodePool pool = requests.parse(ok, NodePool.class);
      if (!ObjectFacts.uid(pool).equals(id.uid())) {
        return new Answer.Missing<>();
      }
      if (!isAsObserved.test(pool)) {
        return new Answer.Refused<>("its commands have changed");
      }
      reply = write.apply(pool);
      if (!isChanged.test(reply)) {
        break;
      }
    }
    return requests.answer(reply, NodePool.class, PoolRequests::seen);
  }

  private static boolean isAsObserved(NodePool pool, Action.AcceptCommand action) {
    try {
      Pool found = PoolConversion.pool(pool);
      return found.spec().configuration().commands().equals(action.before())
          && found.status().configuration().handled().command() == action.handled();
    } catch (UnreadableObjectException e) {
      return false;
    }
  }

  private static JsonPatch acceptance(NodePool pool, Action.AcceptCommand action) {
    ConfigurationCommands.Asked asked = action.before().asked();
    JsonPatch patch =
        new JsonPatch()
            .test("/metadata/uid", action.pool().uid())
            .test("/metadata/resourceVersion", pool.getMetadata().getResourceVersion());
    asked.promote().ifPresent(_ -> patch.remove(path(PoolAnnotations.PROMOTE)));
    asked.rollback().ifPresent(_ -> patch.remove(path(PoolAnnotations.ROLLBACK)));
    asked.rollout().ifPresent(_ -> patch.remove(path(PoolAnnotations.ROLLOUT)));
    return patch.set(
        path(PoolAnnotations.ACCEPTED_COMMAND),
        CommandAnnotations.write(action.accepted(), action.pool().uid()));
  }

  private static String path(PoolAnnotations annotation) {
    return "/metadata/annotations/" + JsonPatch.pointer(annotation.key());
  }

  private static Answer<Observation> seen(NodePool pool) {
    try {
      return new Answer.Done<>(new Observation.PoolSeen(PoolConversion.pool(pool)));
    } catch (UnreadableObjectException e) {
      return new Answer.Done<>(PoolConversion.unreadable(pool, e));
    }
  }

  /** Reads a pool live; {@code PoolGone} if another pool has its name. */
  Answer<Observation> read(PoolId pool) {
    return requests.read(
        ApiPaths.pool(pool.name()),
        NodePool.class,
        pool.uid(),
        new Observation.PoolGone(pool, 0),
        PoolRequests::seen);
  }

  /** Lists live whether any Host or Node still belongs to the pool. */
  Answer<Observation> confirmEmpty(PoolId pool) {
    List<String> left = new ArrayList<>();
    return list(
            "Host",
            ApiPaths.HOSTS,
            "",
            host -> host.at("/spec/assignment/poolUid").asText().equals(pool.uid()),
            left)
        .or(() ->
            list(
                "Node",
                ApiPaths.NODES,
                NodeLabels.NODE_POOL_UID.key() + "=" + pool.uid(),
                node -> true,
                left))
        .orElseGet(() ->
            left.isEmpty()
                ? new Answer.Done<>(new Observation.PoolFoundEmpty(pool))
                : new Answer.Refused<>(
                    "%s left: %s"
                        .formatted(
                            Messages.count(left.size(), "object"), Messages.list(left, NAMED))));
  }

  /**
   * Adds the objects of a live list that belong to the pool. Returns the failure if the list is
   * incomplete.
   */
  private Optional<Answer<Observation>> list(
      String kind, String path, String selector, Predicate<JsonNode> belongs, List<String> left) {
    String next = "";
    do {
      Reply reply = requests.get(ApiPaths.page(path, PAGE, selector, next));
      if (!(reply instanceof Reply.Ok ok)) {
        return Optional.of(
            new Answer.Unavailable<>("a list of %ss failed: %s".formatted(kind, reply.why())));
      }
      JsonNode page = requests.parse(ok, JsonNode.class);
      for (JsonNode item : page.path("items")) {
        if (belongs.test(item)) {
          left.add(kind + " " + item.at("/metadata/name").asText());
        }
      }
      next = page.at("/metadata/continue").asText();
    } while (!next.isEmpty());
    return Optional.empty();
  }
}
