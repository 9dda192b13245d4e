package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.NamespaceConversion;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.metadata.NamespaceLabels;

/** Sends actions on Namespaces as requests with the Namespace's UID. */
record NamespaceRequests(ApiRequests requests) {
  /**
   * The label as a JSON pointer. Every Namespace has labels, since the server adds one with its
   * name.
   */
  private static final String LABEL =
      "/metadata/labels/" + JsonPatch.pointer(NamespaceLabels.ORGANIZATION.key());

  /** Labels a Namespace that does not have the label. */
  Answer<Observation> label(Action.LabelNamespace action) {
    return patch(
        action.namespace(),
        new JsonPatch()
            .test("/metadata/uid", action.uid())
            .testAbsent(LABEL)
            .set(LABEL, action.organization()));
  }

  /** Changes or removes the label of a Namespace that is as observed. */
  Answer<Observation> relabel(Action.RelabelNamespace action) {
    JsonPatch patch =
        new JsonPatch()
            .test("/metadata/uid", action.uid())
            .test("/metadata/resourceVersion", Long.toString(action.version()))
            .test(LABEL, action.before());
    action
        .organization()
        .ifPresentOrElse(value -> patch.set(LABEL, value), () -> patch.remove(LABEL));
    return patch(action.namespace(), patch);
  }

  /**
   * Uses the operator's own field manager, so that its label can be distinguished from another
   * client's.
   */
  private Answer<Observation> patch(String namespace, JsonPatch patch) {
    return seen(
        requests.patch(
            ApiPaths.namespace(namespace) + "?fieldManager=" + KubernetesWriter.FIELD_MANAGER,
            ApiRequests.PatchType.JSON,
            patch.json()));
  }

  /** Reads the author of a Namespace's label live. */
  Answer<Observation> author(Action.AskLabelAuthor action) {
    Reply reply = requests.get(ApiPaths.namespace(action.namespace()));
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.unread("Namespace");
    }
    Namespace namespace = namespace(ok);
    return namespace.uid().equals(action.uid())
        ? new Answer.Done<>(
            new Observation.NamespaceAuthored(
                namespace, LabelOwners.author(requests.parse(ok, JsonNode.class))))
        : new Answer.Missing<>();
  }

  /** Reads a Namespace live; {@code NamespaceGone} if another one has its name. */
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
        ? new Answer.Done<>(new Observation.NamespaceSeen(namespace(ok)))
        : reply.failure();
  }

  private Namespace namespace(Reply.Ok ok) {
    return NamespaceConversion.namespace(
        requests.parse(ok, io.fabric8.kubernetes.api.model.Namespace.class));
  }
}
