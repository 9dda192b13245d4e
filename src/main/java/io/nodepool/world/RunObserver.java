package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.Request;

/**
 * Observes the operators of a run. It changes nothing; to end the run, it throws. Changes in the
 * cluster are observed at the cluster.
 */
public interface RunObserver {
  /** A process of the operator starts. */
  default void started() {}

  /** An operator observes this, by a watch or in the answer to a request. */
  default void observed(OperatorProcess operator, Observation seen) {}

  /** An operator makes a request for an action. */
  default void requested(Request request, Action action) {}

  /**
   * An operator tries a request: its next piece is sent, or is held back since leadership was not
   * confirmed lately.
   */
  default void tried(Request request) {}

  /** The next piece of a request is sent; it may not arrive. */
  default void sent(Request request, Request.Piece piece) {}

  /** An intent arrived at the API server and is about to take effect. */
  default void before(Request request, Action action) {}

  /** An intent took effect, or the API server refused it. */
  default void after(Request request, Action action, Answer<Observation> answer) {}

  /** An Event was written. */
  default void emitted(Request request, EventDraft event) {}

  /** The finalizer of a pool is about to be removed. */
  default void released(Request request, PoolId pool) {}

  /** A step was taken. */
  default void stepped() {}

  /** Virtual time reached the requested instant. */
  default void advanced() {}
}
