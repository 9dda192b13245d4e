package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Namespace;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.NamespaceConversion;
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

  /** Adds the label to a Namespace without it. */
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
    Reply reply =
        requests.patch(
            ApiPaths.namespace(namespace) + "?fieldManager=" + KubernetesWriter.FIELD_MANAGER,
            ApiRequests.PatchType.JSON,
            patch.json());
    return requests.answer(reply, Namespace.class, NamespaceRequests::seen);
  }

  /** Reads the author of a Namespace's label live. */
  Answer<Observation> author(Action.AskLabelAuthor action) {
    Reply reply = requests.get(ApiPaths.namespace(action.namespace()));
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.unread("Namespace");
    }
    Namespace namespace = requests.parse(ok, Namespace.class);
    return action.uid().equals(namespace.getMetadata().getUid())
        ? new Answer.Done<>(
            new Observation.NamespaceAuthored(
                NamespaceConversion.namespace(namespace),
                LabelOwners.author(requests.parse(ok, JsonNode.class))))
        : new Answer.Missing<>();
  }

  /** Reads a Namespace live; {@code NamespaceGone} if another Namespace has its name. */
  Answer<Observation> read(String name, String uid) {
    return requests.read(
        ApiPaths.namespace(name),
        Namespace.class,
        uid,
        new Observation.NamespaceGone(name, uid, 0),
        NamespaceRequests::seen);
  }

  private static Answer<Observation> seen(Namespace object) {
    return new Answer.Done<>(new Observation.NamespaceSeen(NamespaceConversion.namespace(object)));
  }
}
