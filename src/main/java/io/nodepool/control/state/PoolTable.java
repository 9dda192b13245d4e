package io.nodepool.control.state;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.QuotaReason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pools, and the machines that each holds. Confined to the decision thread. */
final class PoolTable {
  private final Map<String, PoolEntry> entries = new HashMap<>();
  private final SortedMap<String, String> uids = new TreeMap<>();
  private final MachineTable machines;
  private final Freshness freshness;
  private final Wakeups wakeups;

  PoolTable(MachineTable machines, Freshness freshness, Wakeups wakeups) {
    this.machines = machines;
    this.freshness = freshness;
    this.wakeups = wakeups;
  }

  /** The entry of the pool with this UID. */
  @Nullable PoolEntry find(String uid) {
    return entries.get(uid);
  }

  /** The entry of the pool that has this name now. */
  @Nullable PoolEntry named(String name) {
    String uid = uids.get(name);
    return uid == null ? null : entries.get(uid);
  }

  /** The entry of the pool with this UID, created if absent. */
  PoolEntry make(String uid) {
    return entries.computeIfAbsent(uid, key -> new PoolEntry());
  }

  boolean knows(PoolId pool) {
    PoolEntry entry = entries.get(pool.uid());
    return entry != null && entry.pool != null;
  }

  Stream<PoolEntry> stream() {
    return entries.values().stream();
  }

  int size() {
    return entries.size();
  }

  void dropIfUnused(String uid) {
    PoolEntry entry = entries.get(uid);
    if (entry != null && entry.isUnused()) {
      entries.remove(uid);
    }
  }

  /** The repairs published by the pool that holds the machine of this name. */
  RepairState repairs(String machineName) {
    PoolEntry holder = find(machines.holder(machineName));
    return holder == null || holder.pool == null
        ? RepairState.NONE
        : holder.pool.status().repairs();
  }

  /** Folds a state of a pool. */
  void seen(Pool pool) {
    if (!isNews(pool.id(), pool.version())) {
      return;
    }
    forgetFormer(pool.id());
    PoolEntry entry = make(pool.id().uid());
    PoolChange change = entry.change(pool);
    change.wakeAdmitted(wakeups);
    entry.seen(pool);
    uids.put(pool.id().name(), pool.id().uid());
    wakeups.pool(pool.id().name());
    if (change.judges()) {
      // A pool without work also publishes the reports of other pools.
      wake(pool.spec().instanceType(), _ -> true);
    } else if (change.rolls()) {
      wakeWanting(pool.spec().instanceType());
    }
    change.wakeMembers(wakeups);
    change.askedAnew().forEach(member -> machines.replan(member.host().id().name()));
  }

  /**
   * Records an unreadable state of a pool: the pool exists, and neither the pool nor a machine that
   * it holds is changed.
   */
  void seen(Observation.PoolUnreadable seen) {
    PoolId id = seen.pool();
    if (!isNews(id, seen.version())) {
      return;
    }
    forgetFormer(id);
    PoolEntry entry = make(id.uid());
    boolean reported =
        entry.unreadable != null
            && entry.unreadable.reported()
            && entry.unreadable.why().equals(seen.why());
    entry.unreadable = new PoolEntry.Unreadable(id, seen.why(), reported);
    uids.put(id.name(), id.uid());
    wakeups.pool(id.name());
    wakeMembers(entry);
  }

  private boolean isNews(PoolId id, long version) {
    PoolEntry known = named(id.name());
    Pool last = known == null ? null : known.pool;
    return freshness.isNews(id.uid(), version, last, Pool::version);
  }

  private void forgetFormer(PoolId id) {
    PoolEntry known = named(id.name());
    if (known != null && known.pool != null && !known.pool.id().equals(id)) {
      forget(known.pool.id());
    }
  }

  /** Folds that a pool no longer exists. */
  void gone(PoolId pool, ClusterState.Source source) {
    if (source == ClusterState.Source.ANSWER) {
      confirmGone(pool);
    }
    if (source == ClusterState.Source.WATCH || knows(pool)) {
      freshness.gone(pool.uid(), source);
      forget(pool);
    }
  }

  private void forget(PoolId pool) {
    if (pool.uid().equals(uids.get(pool.name()))) {
      uids.remove(pool.name());
    }
    PoolEntry entry = entries.get(pool.uid());
    if (entry == null || (entry.pool == null && entry.unreadable == null)) {
      return;
    }
    Optional<String> type = entry.instanceType();
    boolean judged = !PoolChange.verdicts(entry.pool).equals(ConfigurationVerdicts.NONE);
    entry.gone();
    wakeMembers(entry);
    dropIfUnused(pool.uid());
    wakeups.pool(pool.name());
    type.ifPresent(each -> wake(each, other -> judged || other.wanting));
  }

  /** Records that a live read found that the pool does not exist. */
  private void confirmGone(PoolId pool) {
    PoolEntry entry = entries.get(pool.uid());
    if (entry != null) {
      entry.goneConfirmed = true;
      wakeMembers(entry);
    }
  }

  /** Records that a live list found nothing of the pool. */
  void confirmEmpty(PoolId pool) {
    PoolEntry entry = entries.get(pool.uid());
    if (entry != null) {
      entry.confirmedEmpty = true;
      wakeups.pool(pool.name());
    }
  }

  /**
   * Records the plan of a pool. If the pool's claim changed, wakes the other pools of its type that
   * want more Hosts or are over quota: the claim decides whether they may grow.
   *
   * @param plan the plan; its status may not be published yet
   */
  void planned(Pool pool, PoolPlan plan) {
    PoolEntry entry = make(pool.id().uid());
    entry.growth = plan.status().growth();
    entry.failedReboots = plan.status().failedReboots();
    entry.repairs = plan.status().repairs();
    entry.figures = plan.figures();
    entry.wanting =
        !pool.isTerminating()
            && (pool.spec().target() > entry.held() || isOverQuota(plan.status()));
    Optional<Claim> claim = entry.claim();
    if (!entry.plannedClaim.equals(claim)) {
      entry.plannedClaim = claim;
      wake(pool.spec().instanceType(), other -> other.wanting && other != entry);
    }
  }

  private static boolean isOverQuota(PoolStatus status) {
    return status
        .condition(PoolCondition.QUOTA)
        .filter(each -> each.reason() == QuotaReason.OVER)
        .isPresent();
  }

  /** The claims of the other pools of a type, in their order. */
  List<Claim> claimsBeside(PoolEntry entry, String instanceType) {
    return ofType(instanceType)
        .filter(other -> other != entry)
        .flatMap(other -> other.claim().stream())
        .sorted(Claim.ORDER)
        .toList();
  }

  /** The verdicts about configurations that the other pools of a type publish. */
  ConfigurationVerdicts verdictsBeside(PoolEntry entry, String instanceType) {
    return ConfigurationVerdicts.of(
        ofType(instanceType)
            .filter(other -> other != entry)
            .flatMap(other -> Stream.ofNullable(other.pool)));
  }

  /**
   * The number of Nodes of other pools that are repaired, or that leave or may leave because their
   * machines did not come back. None for a pool that has nothing to repair.
   */
  PoolSnapshot.InFlight inFlightBeside(PoolEntry entry) {
    boolean waits =
        entry.members().count(Members.Trait.LOST) > 0 || !entry.members().byFault().isEmpty();
    return stream()
        .filter(other -> waits && other != entry)
        .map(PoolEntry::inFlight)
        .reduce(PoolSnapshot.InFlight.NONE, PoolSnapshot.InFlight::and);
  }

  /** Wakes the loop of the pool with this UID. */
  void wake(String uid) {
    PoolEntry entry = entries.get(uid);
    if (entry != null && entry.pool != null) {
      wakeups.pool(entry.pool.id().name());
    }
  }

  /** Wakes the loop of the pool that holds the machine of this name. */
  void wakeHolder(String machineName) {
    wake(machines.holder(machineName));
  }

  /** Wakes the loops of all pools. */
  void wakeAll() {
    uids.keySet().forEach(wakeups::pool);
  }

  /** Wakes the pools of a type that want more than they have. */
  void wakeWanting(String instanceType) {
    wake(instanceType, entry -> entry.wanting);
  }

  private void wake(String instanceType, Predicate<PoolEntry> which) {
    ofType(instanceType)
        .filter(which)
        .flatMap(entry -> Stream.ofNullable(entry.pool))
        .forEach(pool -> wakeups.pool(pool.id().name()));
  }

  private void wakeMembers(PoolEntry entry) {
    entry.members().forEach(wakeups::machine);
    entry.members().preserved().forEach(wakeups::machine);
  }

  private Stream<PoolEntry> ofType(String instanceType) {
    return uids.values().stream()
        .map(this::make)
        .filter(entry -> entry.instanceType().filter(instanceType::equals).isPresent());
  }
}
