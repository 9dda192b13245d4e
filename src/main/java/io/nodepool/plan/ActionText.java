package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;

/** Actions as text, for people. */
public final class ActionText {
  private ActionText() {}

  /** What an action does, and on which object; not what it sets, which may be long. */
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
}
