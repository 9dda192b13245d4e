package io.nodepool.control;

import io.nodepool.control.write.WriteFailure;
import io.nodepool.fleet.HostOperation;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.NodeCondition;
import java.util.Optional;
import java.util.stream.Stream;

/** Events about requests that keep failing. */
final class RequestFailures {
  /**
   * The number of failures of a request from which it is reported; one or two conflicts are normal.
   */
  private static final int REPORTED_FROM = 3;

  /** The number of failures from which a configuration counts as not staged. */
  private static final int STAGING_REPORTED_FROM = 2;

  private RequestFailures() {}

  /**
   * The action to retry after these failures. It has an Event about the failures if it registers a
   * Node, or if it is an operation on a Host whose failures are reported. Failed removals, and
   * assignments that the server denies, are reported by the pool as a whole.
   *
   * @param node the Node of the machine
   */
  static PlannedAction reported(
      PlannedAction plannedAction, WriteFailure<?> failure, Optional<EventDraft.Regarding> node) {
    Optional<EventDraft> failed = Optional.empty();
    if (plannedAction.action() instanceof Action.OnHost(HostOperation operation)) {
      failed = ofHost(operation, failure, node);
    } else if (plannedAction.action() instanceof Action.WriteNode write
        && registers(write)
        && (failure.denied() || isReported(failure))) {
      failed = Optional.of(ofRegistration(write, failure));
    }
    return failed
        .map(event -> Stream.concat(plannedAction.eventDrafts().stream(), Stream.of(event)))
        .map(all -> plannedAction.withEventDrafts(all.toList()))
        .orElse(plannedAction);
  }

  /** Whether the number of failures is reached from which they are reported. */
  static boolean isReported(WriteFailure<?> failure) {
    return failure.count() >= REPORTED_FROM;
  }

  private static boolean registers(Action.WriteNode write) {
    return write
        .change()
        .conditionSet(NodeCondition.REGISTERED)
        .filter(ConditionChange.Set::status)
        .isPresent();
  }

  /** A registration that fails is reported on the Node. */
  private static EventDraft ofRegistration(Action.WriteNode write, WriteFailure<?> failure) {
    return new EventDraft(
        EventReason.NODE_REGISTRATION_FAILED,
        new EventDraft.Regarding(EventTarget.NODE, write.node(), write.nodeUid()),
        "registration",
        "Node %s could not be registered, %s: %s. It is retried."
            .formatted(write.node(), Messages.count(failure.count(), "time"), failure.why()));
  }

  private static Optional<EventDraft> ofHost(
      HostOperation operation, WriteFailure<?> failure, Optional<EventDraft.Regarding> node) {
    return switch (operation) {
      case HostOperation.Stage _, HostOperation.Boot _ ->
          node.filter(_ -> failure.count() >= STAGING_REPORTED_FROM)
              .flatMap(about ->
                  HostOperation.Stage.of(operation).map(stage -> ofStaging(about, stage, failure)));
      case HostOperation.Assign _ ->
          Optional.of(
                  ofPool(
                      operation,
                      "assign",
                      "Requests to assign Hosts keep failing, and are retried: %s"
                          .formatted(failure.why())))
              .filter(_ -> !failure.denied() && isReported(failure));
      case HostOperation.Cancel _ -> ofRequest(operation, "take back", failure);
      case HostOperation.RepairComponent _ ->
          ofRequest(operation, "repair a component of", failure);
      case HostOperation.Stop _,
          HostOperation.Preserve _,
          HostOperation.Release _,
          HostOperation.Delivered _,
          HostOperation.ClearFailures _,
          HostOperation.DropBoot _,
          HostOperation.Note _ ->
          Optional.empty();
    };
  }

  /** A configuration that cannot be staged is reported on the Node that it is staged for. */
  private static EventDraft ofStaging(
      EventDraft.Regarding node, HostOperation.Stage stage, WriteFailure<?> failure) {
    return new EventDraft(
        EventReason.NODE_CONFIG_STAGING_FAILED,
        node,
        stage.id(),
        "Configuration %s could not be staged on Node %s, %s: %s. It is retried."
            .formatted(
                stage.configuration(),
                node.name(),
                Messages.count(failure.count(), "time"),
                failure.why()));
  }

  private static Optional<EventDraft> ofRequest(
      HostOperation operation, String what, WriteFailure<?> failure) {
    String message =
        "The request to %s Host %s failed %s: %s."
            .formatted(
                what,
                operation.host().name(),
                Messages.count(failure.count(), "time"),
                failure.why());
    return Optional.of(ofPool(operation, operation.id(), message)).filter(_ -> isReported(failure));
  }

  private static EventDraft ofPool(HostOperation operation, String occasion, String message) {
    return new EventDraft(
        EventReason.NODE_POOL_NODES_REQUEST_FAILED,
        EventDraft.Regarding.of(operation.pool()),
        occasion,
        message);
  }
}
