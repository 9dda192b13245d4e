package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.FleetAction;
import io.nodepool.vocabulary.UserText;
import java.util.Optional;

/**
 * The API server's checks of a write before it stores the object: whether the patch applies,
 * schemas and size limits. Each method returns why the write is refused; empty if it is not.
 */
public interface ObjectValidation {
  /** Accepts every write. */
  ObjectValidation NONE = new ObjectValidation() {};

  /** Applies the patch of an operation; the result must be {@code next}. */
  default Optional<String> patch(Host before, HostOperation operation, Host next) {
    return Optional.empty();
  }

  /** Applies the patch of a fleet's report. */
  default Optional<String> patch(Host before, FleetAction.ReportHost report) {
    return Optional.empty();
  }

  /** Checks the parts of a Host that a write changes. */
  default Optional<String> host(Host before, Host next) {
    return Optional.empty();
  }

  /** Checks a pool's status. */
  default Optional<String> status(PoolStatus next) {
    return Optional.empty();
  }

  /** Checks a pool's annotations. */
  default Optional<String> pool(Pool next) {
    return Optional.empty();
  }

  /** Checks a Node's metadata. */
  default Optional<String> node(Node next) {
    return Optional.empty();
  }

  /** Checks the text of an Event. */
  default Optional<String> event(EventDraft eventDraft) {
    return Optional.empty();
  }

  /** The answer to a write that is refused because of its contents. */
  static <T> Answer<T> invalid(String why) {
    return new Answer.Denied<>("HTTP 422: " + UserText.explanation(why), true);
  }
}
