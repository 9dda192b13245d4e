package io.nodepool.plan.disruption;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.DisruptionCause;
import java.time.Instant;
import java.util.Optional;

/**
 * The turn of a Node in a rollout of its pool: it is to boot into the active configuration
 * (decisions D66 and D154). It differs from a reconfiguration that a client requests in that tenant
 * work ends it, unless the rollout evicts: then the Node is drained as by a scale-down.
 *
 * @param profile the configuration that is rolled out
 * @param evicts whether work on the Node is evicted
 */
public record RolloutTurn(String profile, boolean evicts) {
  private static final String EVICT = "/Evict";

  /** The turn that a recorded cause stands for; empty for other causes. */
  public static Optional<RolloutTurn> of(Disruption.Cause cause) {
    if (cause.what() != DisruptionCause.ROLLOUT) {
      return Optional.empty();
    }
    String text = cause.reference();
    boolean evicts = text.endsWith(EVICT);
    return Optional.of(
        new RolloutTurn(evicts ? text.substring(0, text.length() - EVICT.length()) : text, evicts));
  }

  /** The turn as the reference of its cause. */
  public String reference() {
    return evicts ? profile + EVICT : profile;
  }

  /**
   * Whether the pool publishes that its rollout of this configuration goes on, and no user asks for
   * something else meanwhile.
   */
  boolean goesOn(Optional<Pool> pool) {
    return pool.filter(each -> !each.isTerminating()).filter(this::goesOn).isPresent();
  }

  private boolean goesOn(Pool pool) {
    ConfigurationState published = pool.status().configuration();
    return published.rollout().phase() == RolloutState.Phase.RUNNING
        && published.profile().equals(profile)
        && !published.isDisabled()
        && !pool.spec().configuration().commands().holdRollout(published.handled().command())
        && !(evicts && isEvictTakenBack(pool));
  }

  /**
   * Whether a user has stopped the rollout, or taken back that it evicts: then a drain for it alone
   * ends, unless its Pods are deleted already (decision D173).
   */
  boolean isReleased(Pool pool) {
    return pool.status().configuration().rollout().phase() == RolloutState.Phase.STOPPED
        || (evicts && isEvictTakenBack(pool));
  }

  private static boolean isEvictTakenBack(Pool pool) {
    return !pool.status().configuration().rollout().evicts()
        || pool.spec().configuration().rollout().isEvictTakenBack();
  }

  /**
   * What the turn demands; the drain has its deadline from the moment it begins.
   *
   * @param goesOn whether its rollout goes on; else it interrupts no work
   */
  Demand demand(Disruption.Cause cause, boolean goesOn, Instant now, PlanSettings settings) {
    Demand.Window idle = Demand.Window.WHEN_IDLE.withForceAt(now.plus(settings.drain().deadline()));
    return Demand.of(
        cause,
        evicts && goesOn ? idle.withInterruptAt(cause.at()) : idle,
        new DisruptionEnding.Reboot(BootKind.POWER_RESET));
  }
}
