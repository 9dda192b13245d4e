package io.nodepool.kubernetes;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.NamespaceLabels;

/** Intents about Namespaces as requests that carry the Namespace's UID. */
final class NamespaceRequests {
  /** The label as a JSON pointer; every Namespace has labels, for the server labels its name. */
  private static final String LABEL =
      "/metadata/labels/" + NamespaceLabels.ORGANIZATION.key().replace("/", "~1");

  private final ApiRequests requests;

  NamespaceRequests(ApiRequests requests) {
    this.requests = requests;
  }

  /** Labels a Namespace that nobody labelled yet. */
  Answer<Observation> label(Action.LabelNamespace action) {
    JsonPatch patch =
        new JsonPatch()
            .test("/metadata/uid", action.uid())
            .testAbsent(LABEL)
            .set(LABEL, NamespaceLabels.CONTROL_PLANE);
    return seen(
        requests.patch(
            ApiPaths.namespace(action.namespace()), ApiRequests.PatchType.JSON, patch.json()));
  }

  /** Reads a Namespace live; gone if another one has its name. */
  Answer<Observation> read(String name, String uid) {
    Reply reply = requests.get(ApiPaths.namespace(name));
    Answer<Observation> gone = new Answer.Done<>(new Observation.NamespaceGone(name, uid, 0));
    if (reply.isNotFound()) {
      return gone;
    }
    Answer<Observation> answer = seen(reply);
    return answer instanceof Answer.Done<Observation>(Observation.NamespaceSeen(var namespace))
            && !namespace.uid().equals(uid)
        ? gone
        : answer;
  }

  private Answer<Observation> seen(Reply reply) {
    return reply instanceof Reply.Ok ok
        ? new Answer.Done<>(
            new Observation.NamespaceSeen(
                NamespaceConversion.namespace(
                    requests.parse(ok, io.fabric8.kubernetes.api.model.Namespace.class))))
        : reply.failure();
  }
}
