package io.nodepool.control.state;

import io.nodepool.model.members.FaultyMembers.Group;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The next state of a pool beside its last one, and the machines that have to be planned because of
 * the difference.
 *
 * @param last empty if the pool was not known, or could not be read before
 * @param follows whether its Nodes must have other metadata from now on
 * @param healed whether it could not be read
 */
record PoolChange(
    Members members, Optional<Pool> last, Pool next, boolean follows, boolean healed) {
  /** What a pool reports about configurations to the others of its type. */
  static ConfigurationVerdicts verdicts(@Nullable Pool pool) {
    return ConfigurationVerdicts.of(Stream.ofNullable(pool));
  }

  /** Whether it reports something else about configurations. */
  boolean judges() {
    return !verdicts(last.orElse(null)).equals(verdicts(next));
  }

  /** Whether its machines see something else of its configurations. */
  boolean rolls() {
    return last.filter(before -> !isConfiguredAlike(before)).isPresent();
  }

  private boolean isConfiguredAlike(Pool pool) {
    ConfigurationState before = pool.status().configuration();
    ConfigurationState after = next.status().configuration();
    return pool.spec().configuration().strategy() == next.spec().configuration().strategy()
        && before.profile().equals(after.profile())
        && before.isDisabled() == after.isDisabled()
        && before.rollout().phase() == after.rollout().phase();
  }

  /** Wakes the machines whose disruption may go on, and those of which no repair is asked now. */
  void wakeAdmitted(Wakeups wakeups) {
    news(status -> status.failedReboots().admitted())
        .ifPresent(each -> wakeups.machine(each.node()));
    news(status -> status.repairs().admitted()).ifPresent(each -> wakeups.machine(each.node()));
    news(status -> status.repairs().rack())
        .ifPresent(rack -> rack.cordoned(members, false).forEach(wakeups::machine));
    wakeSuspected(repairsBefore(), next.status().repairs(), wakeups);
  }

  private <T> Optional<T> news(Function<PoolStatus, Optional<T>> what) {
    Optional<T> before = last.map(Pool::status).flatMap(what);
    return what.apply(next.status()).filter(each -> !before.equals(Optional.of(each)));
  }

  private RepairState repairsBefore() {
    return last.map(pool -> pool.status().repairs()).orElse(RepairState.NONE);
  }

  /**
   * Wakes the machines that are cordoned for an alert, or verified or repaired for it, of which
   * something else is known now, or of which the user of the pool wants something else.
   */
  private void wakeSuspected(RepairState before, RepairState after, Wakeups wakeups) {
    boolean isWantedAlike = last.filter(pool -> isRepairedAlike(pool.spec())).isPresent();
    if (isWantedAlike
        && before.full() == after.full()
        && before.suspects().equals(after.suspects())) {
      return;
    }
    Set<String> changed =
        Stream.concat(before.suspects().stream(), after.suspects().stream())
            .map(SuspectedAlert::alert)
            .filter(alert -> !before.suspect(alert).equals(after.suspect(alert)))
            .collect(Collectors.toCollection(TreeSet::new));
    (isWantedAlike && before.full() == after.full()
            ? changed.stream()
            : members.byFault().in(Group.CORDONED).byName().keySet().stream())
        .flatMap(members.byFault()::cordonedFor)
        .forEach(place -> wakeups.machine(place.name()));
    Stream.of(
            Members.Trait.UNDER_REPAIR, Members.Trait.ALERT_VERIFYING, Members.Trait.ALERT_VERIFIED)
        .flatMap(members::having)
        .forEach(wakeups::machine);
  }

  private boolean isRepairedAlike(PoolSpec before) {
    return before.repair().equals(next.spec().repair())
        && before.lifecycle().equals(next.spec().lifecycle());
  }

  /** Wakes the machines to which the pool's spec or its configurations matter. */
  void wakeMembers(Wakeups wakeups) {
    members.preserved().forEach(wakeups::machine);
    boolean turned = last.filter(pool -> pool.isTerminating() == next.isTerminating()).isEmpty();
    if (turned || follows || healed || rolls()) {
      members.forEach(wakeups::machine);
    } else if (!boots(last.orElseThrow()).equals(boots(next))) {
      members.having(Members.Trait.REBOOT_RETRIED).forEach(wakeups::machine);
    }
  }

  /** The failed boots that the pool publishes, for which reboots that failed wait. */
  private static Optional<ConfigurationState.BootRecord> boots(Pool pool) {
    return pool.status().configuration().active().map(ConfigurationState.Revision::boots);
  }

  /**
   * The members of which something else is asked now, since the pool acts on an alert about them or
   * no longer does. Of a machine with one alert the same is asked in either case.
   */
  List<Member> askedAnew() {
    RepairState before = repairsBefore();
    RepairState after = next.status().repairs();
    if (before.full() == after.full() && before.suspects().equals(after.suspects())) {
      return List.of();
    }
    return members.stream()
        .filter(
            member -> member.findings().needed().all().size() > 1 || member.revocable().isPresent())
        .filter(member ->
            member.findings().needed().all().stream()
                .anyMatch(each -> before.isHeld(each.alert()) != after.isHeld(each.alert())))
        .toList();
  }
}
