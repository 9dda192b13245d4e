package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import io.nodepool.vocabulary.EventReason;
import java.util.ArrayList;
import java.util.List;

/** What is said of requests to the fleet that keep failing. */
public final class RequestFailures {
  /** A conflict or two is everyday life; a request that failed more often is worth an event. */
  private static final int TOLD_FROM = 3;

  private RequestFailures() {}

  /**
   * The step as it is to be tried again after so many failures: with an event about them if it asks
   * the fleet to assign or take back a Host.
   */
  public static Step told(Step step, int failures, String why) {
    if (failures < TOLD_FROM
        || !(step.action() instanceof Action.OnHost(HostOperation operation))) {
      return step;
    }
    return switch (operation) {
      case HostOperation.Assign _ -> told(step, operation, "assign", failures, why);
      case HostOperation.Cancel _ -> told(step, operation, "take back", failures, why);
      case HostOperation.Stop _, HostOperation.Release _, HostOperation.Delivered _ -> step;
    };
  }

  private static Step told(
      Step step, HostOperation operation, String verb, int failures, String why) {
    List<Notice> notices = new ArrayList<>(step.notices());
    notices.add(
        new Notice(
            EventReason.NODE_POOL_NODES_REQUEST_FAILED,
            new Notice.Regarding(
                Notice.Kind.NODE_POOL, operation.pool().name(), operation.pool().uid()),
            operation.id(),
            "The request to %s Host %s failed %d times: %s."
                .formatted(verb, operation.host().name(), failures, why),
            1));
    return new Step(notices, step.action(), step.why());
  }
}
