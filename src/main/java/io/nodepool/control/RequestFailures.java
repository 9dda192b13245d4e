package io.nodepool.control;

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

/** Events and messages about requests that keep failing. */
public final class RequestFailures {
  /** The number of failures from which they are reported; one or two conflicts are normal. */
  public static final int REPORTED_FROM = 3;

  /** The number of failures from which a configuration counts as not staged. */
  private static final int STAGING_REPORTED_FROM = 2;

  private RequestFailures() {}

  /**
   * The action to retry after this many failures. It carries an Event about them if it assigns a
   * machine or cancels an assignment. Failed removals, and assignments that the server denies, are
   * reported by the pool as a whole.
   *
   * @param denied whether the server denied one of them
   * @param node the Node of the machine
   */
  public static PlannedAction reported(
      PlannedAction plannedAction,
      int failures,
      String why,
      boolean denied,
      Optional<EventDraft.Regarding> node) {
    Optional<EventDraft> failed = Optional.empty();
    if (plannedAction.action() instanceof Action.OnHost(HostOperation operation)) {
      failed = ofHost(operation, failures, why, denied, node);
    } else if (plannedAction.action() instanceof Action.WriteNode write && registers(write)) {
      failed =
          ofRegistration(write, failures, why).filter(_ -> denied || failures >= REPORTED_FROM);
    }
    return failed
        .map(event -> Stream.concat(plannedAction.eventDrafts().stream(), Stream.of(event)))
        .map(all -> plannedAction.withEventDrafts(all.toList()))
        .orElse(plannedAction);
  }

  private static boolean registers(Action.WriteNode write) {
    return write
        .change()
        .conditionSet(NodeCondition.REGISTERED)
        .filter(ConditionChange.Set::status)
        .isPresent();
  }

  /** A registration that fails is reported on the Node. */
  private static Optional<EventDraft> ofRegistration(
      Action.WriteNode write, int failures, String why) {
    return Optional.of(
        new EventDraft(
            EventReason.NODE_REGISTRATION_FAILED,
            new EventDraft.Regarding(EventTarget.NODE, write.node(), write.nodeUid()),
            "registration",
            "Node %s could not be registered, %s: %s. It is retried."
                .formatted(write.node(), Messages.count(failures, "time"), why)));
  }

  private static Optional<EventDraft> ofHost(
      HostOperation operation,
      int failures,
      String why,
      boolean denied,
      Optional<EventDraft.Regarding> node) {
    return switch (operation) {
      case HostOperation.Stage stage ->
          node.filter(_ -> failures >= STAGING_REPORTED_FROM)
              .map(about -> ofStaging(about, stage, failures, why));
      case HostOperation.Assign _ ->
          ofPool(
                  operation,
                  "assign",
                  "Requests to assign Hosts keep failing, and are retried: %s".formatted(why))
              .filter(_ -> !denied && failures >= REPORTED_FROM);
      case HostOperation.Cancel _ -> ofRequest(operation, "take back", failures, why);
      case HostOperation.RepairComponent _ ->
          ofRequest(operation, "repair a component of", failures, why);
      case HostOperation.Stop _,
          HostOperation.Preserve _,
          HostOperation.Release _,
          HostOperation.Delivered _,
          HostOperation.Excuse _,
          HostOperation.Boot _,
          HostOperation.DropBoot _,
          HostOperation.Note _ ->
          Optional.empty();
    };
  }

  /** A configuration that cannot be staged is reported on the Node that it is staged for. */
  private static EventDraft ofStaging(
      EventDraft.Regarding node, HostOperation.Stage stage, int failures, String why) {
    return new EventDraft(
        EventReason.NODE_CONFIG_STAGING_FAILED,
        node,
        stage.id(),
        "Configuration %s could not be staged on Node %s, %s: %s. It is retried."
            .formatted(stage.configuration(), node.name(), Messages.count(failures, "time"), why));
  }

  private static Optional<EventDraft> ofRequest(
      HostOperation operation, String what, int failures, String why) {
    return ofPool(
            operation,
            operation.id(),
            "The request to %s Host %s failed %s: %s."
                .formatted(what, operation.host().name(), Messages.count(failures, "time"), why))
        .filter(_ -> failures >= REPORTED_FROM);
  }

  private static Optional<EventDraft> ofPool(
      HostOperation operation, String occasion, String message) {
    return Optional.of(
        new EventDraft(
            EventReason.NODE_POOL_NODES_REQUEST_FAILED,
            EventDraft.Regarding.of(operation.pool()),
            occasion,
            message));
  }
}
