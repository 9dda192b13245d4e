package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PodList;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends actions on Pods as requests with the Pod's UID, so that no other Pod is changed. */
record PodRequests(ApiRequests requests, InstantSource clock) {
  /** More Pods than any Node has. */
  private static final int PAGE = 500;

  private static final Pattern BUDGET = Pattern.compile("The disruption budget (\\S+) ");

  /**
   * Lists the Pods bound to a Node, without finished ones. The list is consistent, since the
   * request names no version.
   */
  Answer<Observation> list(Action.ListPods action) {
    return boundTo(action.node())
        .map(pods ->
            new Observation.PodsListed(
                action.node(), action.nodeUid(), action.nodeVersion(), pods));
  }

  /** Lists the Pods that are bound to the name of a machine without a Node, in the same way. */
  Answer<Observation> readMachine(Action.ReadMachine action) {
    Answer<List<Pod>> bound = boundTo(action.host().name());
    return bound instanceof Answer.Failed<List<Pod>> failed
        ? new Answer.Unavailable<>(failed.why())
        : bound.map(
            pods -> new Observation.MachineRead(action.host(), action.tenancy(), false, pods));
  }

  private Answer<List<Pod>> boundTo(String node) {
    String path =
        ApiPaths.PODS
            + "?fieldSelector=spec.nodeName%3D"
            + node
            + "%2Cstatus.phase!%3DSucceeded%2Cstatus.phase!%3DFailed&limit="
            + PAGE;
    Reply reply = requests.get(path);
    if (!(reply instanceof Reply.Ok ok)) {
      // A list changes nothing, so it can be repeated after any failure.
      return new Answer.Unavailable<>(
          "the Pods of Node %s could not be listed: %s".formatted(node, reply.why()));
    }
    PodList list = requests.parse(ok, PodList.class);
    String more = list.getMetadata() == null ? "" : list.getMetadata().getContinue();
    if (more != null && !more.isEmpty()) {
      return new Answer.Refused<>("Node %s has more than %d Pods".formatted(node, PAGE));
    }
    List<Pod> pods = new ArrayList<>();
    list.getItems().forEach(item -> PodConversion.pod(item).ifPresent(pods::add));
    pods.sort(Comparator.comparing(Pod::uid));
    return new Answer.Done<>(pods);
  }

  /** Evicts a Pod; a refusal by budgets is an answer, not a failure. */
  Answer<Observation> evict(Action.EvictPod action) {
    Action.Subject.OfPod pod = action.subject();
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", "policy/v1").put("kind", "Eviction");
    body.putObject("metadata").put("name", pod.name()).put("namespace", pod.namespace());
    body.set("deleteOptions", DeleteOptions.of(pod.uid(), action.grace()));
    Reply reply =
        requests.post(ApiPaths.pod(pod.namespace(), pod.name()) + "/eviction", body.toString());
    return blockingBudget(reply)
        .map(why -> tried(pod, Optional.of(why)))
        .orElseGet(() -> answer(pod, reply));
  }

  /**
   * Deletes a Pod regardless of budgets. Before that, a condition marks the Pod as disrupted, as an
   * eviction does, so that a Job does not count it as a failure. The Pod is deleted even if the
   * condition is refused.
   */
  Answer<Observation> delete(Action.DeletePod action) {
    Action.Subject.OfPod pod = action.subject();
    Reply marked =
        requests.patch(
            ApiPaths.pod(pod.namespace(), pod.name()) + "/status",
            ApiRequests.PatchType.STRATEGIC,
            disrupted(pod).toString());
    switch (marked) {
      case Reply.Ok _ -> {}
      case Reply.Rejected rejected -> {
        if (rejected.<Observation>failure() instanceof Answer.Unavailable<Observation> later) {
          return later;
        }
      }
      case Reply.NotSent _, Reply.Lost _ -> {
        return marked.failure();
      }
    }
    String options = DeleteOptions.of(pod.uid(), action.grace()).toString();
    return answer(pod, requests.delete(ApiPaths.pod(pod.namespace(), pod.name()), options));
  }

  private ObjectNode disrupted(Action.Subject.OfPod pod) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putObject("metadata").put("uid", pod.uid());
    body.putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "DisruptionTarget")
        .put("status", "True")
        .put("reason", "DeletionByNodePool")
        .put("message", "NodePool operator: deleting, since the Node is drained")
        .put("lastTransitionTime", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    return body;
  }

  private static Answer<Observation> answer(Action.Subject.OfPod pod, Reply reply) {
    return reply instanceof Reply.Ok || reply.isNotFound()
        ? tried(pod, Optional.empty())
        : reply.failure();
  }

  private static Answer<Observation> tried(Action.Subject.OfPod pod, Optional<String> blockedBy) {
    return new Answer.Done<>(new Observation.EvictionTried(pod.node(), pod.uid(), blockedBy));
  }

  /**
   * The budget that refused an eviction. The server answers 429, as an overloaded server does too,
   * and 500 if a Pod has several budgets. Only the name is kept, since the numbers in the answer
   * change with every Pod.
   */
  private static Optional<String> blockingBudget(Reply reply) {
    if (!(reply instanceof Reply.Rejected(int code, String message))) {
      return Optional.empty();
    }
    if (code == Reply.INTERNAL_ERROR && message.contains("more than one PodDisruptionBudget")) {
      return Optional.of("more than one budget, which the API server refuses");
    }
    if (code != Reply.TOO_MANY || !message.contains("disruption budget")) {
      return Optional.empty();
    }
    Matcher named = BUDGET.matcher(message);
    return Optional.of(named.find() ? named.group(1) : message);
  }

  /** Reads a Pod live; {@code PodGone} if another Pod has its name, or if it has no Node. */
  Answer<Observation> read(Action.Subject.OfPod pod) {
    Observation gone = new Observation.PodGone(pod.node(), pod.uid(), 0);
    return requests.read(
        ApiPaths.pod(pod.namespace(), pod.name()),
        io.fabric8.kubernetes.api.model.Pod.class,
        pod.uid(),
        gone,
        found ->
            new Answer.Done<>(
                PodConversion.pod(found).<Observation>map(Observation.PodSeen::new).orElse(gone)));
  }
}
