package io.nodepool.plan.rollout;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The first Nodes of a rollout: the others wait until enough Nodes have been up to date and in
 * production for the time of the soak. Any Node that booted the configuration counts, also one that
 * was delivered with it.
 *
 * @param next the canary, if enough Nodes are up to date; empty while they are not
 * @param room how many Nodes may begin for it; empty once it is over, or if there is none
 * @param surplus how many Nodes too many have their turn, by a write that took effect late, or
 *     because others are up to date or fewer are wanted meanwhile
 * @param text what the rollout waits for; empty if it does not wait
 * @param wakeup when to plan again: at the end of the soak, or to record its progress
 * @param soaked whether the soak ended with a canary that is in order, so that it is not checked
 *     again once this is published
 */
record RolloutCanary(
    Optional<RolloutState.Canary> next,
    OptionalInt room,
    int surplus,
    Optional<String> text,
    Optional<Instant> wakeup,
    boolean soaked) {
  /** How many times the progress of a soak is recorded: a restart costs at most one interval. */
  private static final int RECORDS = 10;

  private static final Duration LEAST_BETWEEN_RECORDS = Duration.ofSeconds(1);

  static RolloutCanary of(
      PoolSnapshot seen, ConfigurationState configuration, RolloutSettings settings, Instant now) {
    Optional<RolloutState.Canary> before = configuration.rollout().canary();
    if (settings.canary() == 0 || configuration.boots().trusted()) {
      return new RolloutCanary(
          before, OptionalInt.empty(), 0, Optional.empty(), Optional.empty(), false);
    }
    int wanted = Math.min(settings.canary(), seen.members().count(Members.Trait.CURRENT));
    int proven = seen.members().byConfiguration().proven(configuration.profile());
    int rolling = seen.members().count(Members.Trait.ROLLING_OUT);
    if (proven < wanted) {
      int beginning = seen.members().count(Members.Trait.TURN_UNAVAILABLE);
      return new RolloutCanary(
          Optional.empty(),
          OptionalInt.of(Math.max(0, wanted - proven - beginning)),
          Math.max(0, proven + rolling - wanted),
          Optional.of("waiting for %d of a canary of %d".formatted(wanted - proven, wanted)),
          Optional.empty(),
          false);
    }
    Duration between = between(settings.soak());
    RolloutState.Canary next =
        before
            .map(last -> last.watched(seen.watched().since(), now, between))
            .orElseGet(() -> RolloutState.Canary.begun(now));
    Instant until = next.since().plus(settings.soak());
    if (settings.soak().isZero() || !now.isBefore(until)) {
      // The other Nodes begin once this is published, if it can be: an operator that starts in
      // between would not know that the soak ended, and would take back their turns.
      OptionalInt room = next.seen().isPresent() ? OptionalInt.of(0) : OptionalInt.empty();
      return new RolloutCanary(
          Optional.of(next), room, 0, Optional.empty(), Optional.empty(), true);
    }
    return new RolloutCanary(
        Optional.of(next),
        OptionalInt.of(0),
        rolling,
        Optional.of(
            "the canary of %d soaks for %s, until %s"
                .formatted(
                    wanted,
                    Messages.duration(settings.soak()),
                    until.truncatedTo(ChronoUnit.SECONDS))),
        next.recordAt(between).filter(until::isAfter).or(() -> Optional.of(until)),
        false);
  }

  private static Duration between(Duration soak) {
    Duration part = soak.dividedBy(RECORDS);
    return part.compareTo(LEAST_BETWEEN_RECORDS) < 0 ? LEAST_BETWEEN_RECORDS : part;
  }
}
