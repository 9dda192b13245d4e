package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.Optional;

/**
 * The turn of a Node in a rollout of its pool: the Node must boot into the active configuration
 * (decisions D66 and D154). It is carried out like a reconfiguration that a client requests, but
 * tenant work ends it. If the rollout evicts, the Node is drained as by a scale-down instead.
 *
 * @param profile the configuration that is rolled out
 * @param evicts whether work on the Node is evicted
 */
public record RolloutCause(String profile, boolean evicts) implements KnownCause {
  /** Its rule. */
  public static final CauseRule RULE = CauseRule.STAYING.withPauses(true);

  static final CauseKind KIND =
      new CauseKind(
          "Rollout",
          "its pool rolls out a configuration",
          "The pool rolls out its active configuration, and it is the turn of this Node to boot into it. The Node stays in its pool.",
          RULE,
          RolloutCause::read);

  private static final String EVICT = "/Evict";

  private static RolloutCause read(String reference) {
    return reference.endsWith(EVICT)
        ? new RolloutCause(reference.substring(0, reference.length() - EVICT.length()), true)
        : new RolloutCause(reference, false);
  }

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public String reference() {
    return evicts ? profile + EVICT : profile;
  }

  @Override
  public Optional<LifecycleState> state() {
    return Optional.of(LifecycleState.RECONFIGURE);
  }

  @Override
  public Optional<String> turn() {
    return Optional.of(profile);
  }

  /** The drain has its deadline from the moment it begins. */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return Demand.of(
        evicts && !isHeld(facts) ? facts.whenIdle().withInterruptAt(at) : facts.whenIdle(),
        new DisruptionEnding.Reboot(BootKind.POWER_RESET));
  }

  /** A turn that evicts keeps its Node cordoned while the rollout does not go on. */
  @Override
  public boolean endsWhenBusy(Instant at, CauseFacts facts) {
    return !evicts;
  }

  /**
   * A turn may only be committed while the pool publishes that this rollout goes on, and no user
   * asks for something else meanwhile.
   */
  @Override
  public boolean isHeld(CauseFacts facts) {
    return facts.pool().filter(pool -> !pool.isTerminating()).filter(this::goesOn).isEmpty();
  }

  private boolean goesOn(Pool pool) {
    ConfigurationState published = pool.status().configuration();
    return published.rollout().phase() == RolloutState.Phase.RUNNING
        && published.profile().equals(profile)
        && !published.isDisabled()
        && !pool.spec().configuration().commands().holdRollout(published.handled().command())
        && !(evicts && isEvictTakenBack(pool));
  }

  /** A user stops the rollout, or takes back that it evicts (decisions D173 and D199). */
  @Override
  public TakenBack takenBack(CauseFacts facts) {
    if (facts.pool().filter(this::isStopped).isPresent()) {
      return TakenBack.YES;
    }
    return facts.pool().filter(RolloutCause::isStopAsked).isPresent()
        ? TakenBack.ASKED
        : TakenBack.NO;
  }

  private boolean isStopped(Pool pool) {
    return pool.status().configuration().rollout().phase() == RolloutState.Phase.STOPPED
        || (evicts && isEvictTakenBack(pool));
  }

  private static boolean isStopAsked(Pool pool) {
    return pool.spec()
        .configuration()
        .commands()
        .stopRollout(pool.status().configuration().handled().command());
  }

  private static boolean isEvictTakenBack(Pool pool) {
    return !pool.status().configuration().rollout().evicts()
        || pool.spec().configuration().rollout().isEvictTakenBack();
  }
}
