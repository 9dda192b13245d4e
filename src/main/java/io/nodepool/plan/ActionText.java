package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.time.Duration;
import java.util.Optional;

/** The parts that actions set, and their texts for messages. */
public final class ActionText {
  /** The list of Pods, which a drain needs when it begins. */
  static final String PODS = "the list of its Pods";

  private ActionText() {}

  /** The verb of an action and its object, without the values that it sets, which may be long. */
  public static String of(Action action) {
    String owner =
        action instanceof Action.OnHost(HostOperation operation)
            ? " of NodePool " + operation.pool().name()
            : "";
    return "%s: %s%s".formatted(action.traits().word(), object(action.subject()), owner);
  }

  /** The kind and the name of an object. */
  static String object(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost _ -> "Host " + subject.text();
      case Action.Subject.OfNode _ -> "Node " + subject.text();
      case Action.Subject.OfPool _ -> "NodePool " + subject.text();
      case Action.Subject.OfPod(String _, String _, String _, String node) ->
          "Pod %s on Node %s".formatted(subject.text(), node);
      case Action.Subject.OfNamespace _ -> "Namespace " + subject.text();
    };
  }

  /** The parts that an action sets, and its texts for messages. */
  static ActionTraits traits(Action action) {
    return switch (action) {
      case Action.WriteNode write -> write.purpose().traits(write);
      case Action.OnHost(HostOperation operation) -> HostWords.traits(operation);
      case Action.ListPods list ->
          ActionTraits.read("list Pods", PODS).removing("listing the Pods of " + list.node());
      case Action.ReadMachine read ->
          ActionTraits.read("look at machine", "a look at its machine")
              .removing("looking at machine " + read.host().name());
      case Action.EvictPod(Action.Subject.OfPod pod, Optional<Duration> grace) ->
          ActionTraits.of("evict Pod", "its eviction", grace)
              .removing("evicting Pod " + pod.text());
      case Action.DeletePod(Action.Subject.OfPod pod, Optional<Duration> grace) ->
          ActionTraits.of("delete Pod", "its deletion", grace)
              .removing("deleting Pod " + pod.text());
      case Action.DeleteNode delete ->
          ActionTraits.of("delete Node", "its deletion", true)
              .removing("deleting Node " + delete.node())
              .deciding("is deleted");
      case Action.LabelNamespace label ->
          labelled("label Namespace", label, Optional.of(label.organization()));
      case Action.RelabelNamespace label ->
          labelled("relabel Namespace", label, label.organization());
      case Action.AskLabelAuthor _ ->
          ActionTraits.read("ask label author", "a look at who labelled it");
      case Action.AskRequestTimes _ ->
          ActionTraits.read("ask request times", "a look at its request");
      case Action.RunJob run -> ActionTraits.of("run Job", "its verification Job", run.job());
      case Action.ReadJob _ -> ActionTraits.read("read Job", "a look at its verification Job");
      case Action.Confirm _ -> ActionTraits.read("confirm", "a look at it");
      case Action.Announce announce ->
          ActionTraits.of("announce", "the Event " + announce.reason().word(), announce.occasion());
      case Action.PublishStatus(PoolId pool, PoolStatus status) ->
          ActionTraits.of("publish status", "the status", status)
              .about(EventDraft.Regarding.of(pool));
      case Action.AcceptCommand accept ->
          ActionTraits.of("accept command", "the accepted command", accept.accepted())
              .about(EventDraft.Regarding.of(accept.pool()));
      case Action.ConfirmEmpty _ ->
          ActionTraits.read("confirm empty", "a look at what is left of it");
    };
  }

  private static ActionTraits labelled(
      String word, Action.OnNamespace label, Optional<String> organization) {
    return ActionTraits.of(word, "label " + NamespaceLabels.ORGANIZATION.key(), organization)
        .about(new EventDraft.Regarding(EventTarget.NAMESPACE, label.namespace(), label.uid()));
  }
}
