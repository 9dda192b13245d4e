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
 * The last and the next state of a pool, and the machines that must be planned because of the
 * difference.
 *
 * @param last empty if the pool was not known, or could not be read before
 * @param follows whether its Nodes must have other metadata from now on
 * @param healed whether it could not be read
 */
record PoolChange(
    Members members, Optional<Pool> last, Pool next, boolean follows, boolean healed) {
  /** The verdicts that a pool reports to the other pools of its type. */
  static ConfigurationVerdicts verdicts(@Nullable Pool pool) {
    return ConfigurationVerdicts.of(Stream.ofNullable(pool));
  }

  /** Whether its report about configurations changes. */
  boolean judges() {
    return !verdicts(last.orElse(null)).equals(verdicts(next));
  }

  /** Whether its configurations change in a way that its machines' plans use. */
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

  /**
   * Wakes the machines whose disruption may continue now, or whose alerts are treated differently
   * now.
   */
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
   * Wakes the machines that are cordoned, verified or repaired for an alert, if the record about
   * the alert changed, or the pool's settings of repairs.
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

  /** Wakes the machines whose plan depends on the pool's spec or its configurations. */
  void wakeMembers(Wakeups wakeups) {
    members.preserved().forEach(wakeups::machine);
    boolean turned = last.filter(pool -> pool.isTerminating() == next.isTerminating()).isEmpty();
    if (turned || follows || healed || rolls()) {
      members.forEach(wakeups::machine);
    } else if (!boots(last.orElseThrow()).equals(boots(next))) {
      members.having(Members.Trait.REBOOT_RETRIED).forEach(wakeups::machine);
    }
  }

  /** The failed boots that the pool publishes; failed reboots wait for them. */
  private static Optional<ConfigurationState.BootRecord> boots(Pool pool) {
    return pool.status().configuration().active().map(ConfigurationState.Revision::boots);
  }

  /**
   * The members whose needed repair may change, since the pool begins or ceases to act on one of
   * their alerts. For a machine with one alert, the needed repair is the same in either case.
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
