package io.nodepool.plan.rollout;

import io.nodepool.model.node.Members;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.plan.Messages;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The first Nodes of a rollout: the others wait until enough Nodes have been up to date and in
 * production for the time of the soak. Any Node that booted the configuration counts, also one that
 * was delivered with it.
 *
 * @param since since when enough Nodes have been up to date; empty while they are not
 * @param room how many Nodes may begin
 * @param text what is waited for; empty if nothing is
 * @param wakeup when the soak ends
 * @param soaked whether the soak ended with a canary that is in order, so that it is not looked at
 *     again
 */
record RolloutCanary(
    Optional<Instant> since,
    int room,
    Optional<String> text,
    Optional<Instant> wakeup,
    boolean soaked) {

  static RolloutCanary of(
      PoolSnapshot seen, ConfigurationState configuration, RolloutSettings settings, Instant now) {
    Optional<Instant> before = configuration.rollout().canarySince();
    Duration soak = settings.soak();
    boolean trusted = configuration.active().filter(active -> active.boots().trusted()).isPresent();
    if (settings.canary() == 0 || trusted) {
      return new RolloutCanary(
          before, Integer.MAX_VALUE, Optional.empty(), Optional.empty(), false);
    }
    int wanted = Math.min(settings.canary(), seen.members().count(Members.Trait.CURRENT));
    int upToDate = seen.members().byConfiguration().available(configuration.profile());
    if (upToDate < wanted) {
      int rolling = seen.members().count(Members.Trait.TURN_UNAVAILABLE);
      return new RolloutCanary(
          Optional.empty(),
          Math.max(0, wanted - upToDate - rolling),
          Optional.of("waiting for %d of %s".formatted(wanted - upToDate, "a canary of " + wanted)),
          Optional.empty(),
          false);
    }
    // Rounded up, so that the soak is not shorter than was asked for.
    Instant since = before.orElse(now.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS));
    Instant until = since.plus(soak);
    return !soak.isZero() && now.isBefore(until)
        ? new RolloutCanary(
            Optional.of(since),
            0,
            Optional.of(
                "the canary of %d soaks for %s, until %s"
                    .formatted(
                        wanted, Messages.duration(soak), until.truncatedTo(ChronoUnit.SECONDS))),
            Optional.of(until),
            false)
        : new RolloutCanary(
            Optional.of(since), Integer.MAX_VALUE, Optional.empty(), Optional.empty(), true);
  }
}
