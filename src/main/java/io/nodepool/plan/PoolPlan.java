package io.nodepool.plan;

import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.LowerCaseWord;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plan of one pool: the actions to submit now, the status to publish, and the Events to emit.
 *
 * @param plannedActions actions on Hosts, in order
 * @param status the status to publish; equal to the published one if nothing changed
 * @param eventDrafts the Events that announce the change from the published status to this one
 * @param askIfEmpty whether a live list is needed before the pool's finalizer may be removed
 * @param complete whether no Host and no Node of the pool is left, so that its finalizer may be
 *     removed once this status is published
 * @param wakeup when to plan again if nothing changes
 * @param figures what was counted for it, for metrics
 */
@RecordBuilder
public record PoolPlan(
    List<PlannedAction> plannedActions,
    PoolStatus status,
    List<EventDraft> eventDrafts,
    boolean askIfEmpty,
    boolean complete,
    Optional<Instant> wakeup,
    Figures figures)
    implements PoolPlanCopy.With {
  /**
   * What was counted or decided for a plan and is not part of the status.
   *
   * @param limits each limit, with its use
   * @param queue the place of the pool in the queue for machines; empty if it does not wait
   * @param rollout the Nodes of a rollout under way; empty if there is none
   * @param repairsWaiting how many Nodes wait to be repaired, by the reason of the wait
   * @param repairsHeld why each of the first of these Nodes waits: a sentence, by the name of the
   *     Node
   * @param claim the pool's claim on its instance type; empty if the pool is being deleted
   */
  public record Figures(
      Map<Limited, Use> limits,
      Optional<Queue> queue,
      Optional<InRollout> rollout,
      Map<String, Integer> repairsWaiting,
      Map<String, String> repairsHeld,
      Optional<Claim> claim) {
    /** Nothing was counted. */
    public static final Figures NONE =
        new Figures(
            Map.of(), Optional.empty(), Optional.empty(), Map.of(), Map.of(), Optional.empty());

    public Figures {
      limits = Map.copyOf(limits);
      repairsWaiting = Map.copyOf(repairsWaiting);
      repairsHeld = Map.copyOf(repairsHeld);
    }
  }

  /** What a limit of a pool bounds. */
  public enum Limited implements LowerCaseWord {
    /** Unavailable Nodes, or racks, above which a rollout begins no other Node. */
    ROLLOUT_UNAVAILABLE,
    /** Unavailable Nodes, or racks, above which no Node is cordoned for a repair. */
    REPAIRS_UNAVAILABLE
  }

  /**
   * How much of a limit is used.
   *
   * @param count may exceed the limit
   */
  public record Use(int count, int most) {}

  /**
   * The place of a pool in the queue for machines.
   *
   * @param position from 1
   * @param since when the pool asked for the machines
   */
  public record Queue(int position, Instant since) {}

  /**
   * The numbers of a pool's Nodes, by their progress in a rollout or the reason why they wait.
   *
   * @param since since when the rollout is in its phase; empty if that is not known
   */
  public record InRollout(
      Optional<Instant> since,
      int upToDate,
      int underWay,
      int busy,
      int cordoned,
      int passedOver) {}

  public PoolPlan {
    plannedActions = List.copyOf(plannedActions);
    eventDrafts = List.copyOf(eventDrafts);
  }
}
