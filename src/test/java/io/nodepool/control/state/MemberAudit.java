package io.nodepool.control.state;

import io.nodepool.control.state.machine.NodesInWork;
import io.nodepool.control.state.machine.PastRepairTable;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Compares what a state counts incrementally with a full recount: the members of pools, the Nodes
 * without a Host, the Nodes in work, and past repairs.
 */
public final class MemberAudit {
  private final ClusterState state;
  private final PoolTable pools;
  private final MachineTable machines;
  private final MemberCounter counter;

  /** The members of each pool that were compared with a full recount last, by the pool's UID. */
  private final Map<String, Members> verified = new HashMap<>();

  /** An audit of this state. */
  public MemberAudit(ClusterState state) {
    this.state = state;
    this.pools = state.pools();
    this.machines = state.snapshots().machines();
    this.counter = state.snapshots().counter();
  }

  /**
   * Compares everything. While machines changed that are counted with the next plan only, nothing
   * is compared yet.
   *
   * @throws IllegalStateException if a count differs
   */
  public void verify() {
    if (!state.isComplete() || machines.isBehind()) {
      return;
    }
    pools.stream()
        .filter(entry -> entry.pool != null)
        .forEach(entry -> {
          String uid = Objects.requireNonNull(entry.pool).id().uid();
          List<Member> rebuilt = rebuilt(uid);
          if (!isEqual(uid, entry.members(), rebuilt)) {
            throw new IllegalStateException(
                "pool %s: counted %s, rebuilt %s".formatted(uid, entry.members(), rebuilt));
          }
          require("pool %s without a Host".formatted(uid), entry.withoutHost, withoutHost(uid));
        });
    NodesInWork inWork = new NodesInWork();
    machines.stream().forEach(machine -> inWork.count(Optional.empty(), machine.member));
    require("in work", counter.inWork().counts(), inWork.counts());
    PastRepairTable past = new PastRepairTable();
    machines.stream()
        .forEach(machine -> past.update(Optional.empty(), Optional.ofNullable(machine.host)));
    require("past repairs", state.snapshots().past(), past);
  }

  private static void require(String what, Object counted, Object rebuilt) {
    if (!counted.equals(rebuilt)) {
      throw new IllegalStateException(
          "%s: counted %s, rebuilt %s".formatted(what, counted, rebuilt));
    }
  }

  private List<Member> rebuilt(String poolUid) {
    return machines.stream()
        .flatMap(machine ->
            machine.built(counter.countedAt(), state.namespaces()::mayBeControlPlane).stream())
        .filter(member -> member.host().isHeldBy(poolUid))
        .toList();
  }

  private Map<String, String> withoutHost(String poolUid) {
    Map<String, String> nodes = new HashMap<>();
    machines.stream()
        .forEach(machine ->
            machine
                .busyWithoutHost(counter.countedAt(), state.namespaces()::mayBeControlPlane)
                .filter(node -> node.poolUid().equals(poolUid))
                .ifPresent(node -> nodes.put(machine.name, node.uid())));
    return nodes;
  }

  /** Members are immutable: the counts of an instance that was compared before are right. */
  @SuppressWarnings("ReferenceEquality")
  private boolean isEqual(String uid, Members counted, List<Member> rebuilt) {
    if (verified.put(uid, counted) != counted) {
      return counted.equals(Members.of(rebuilt));
    }
    return counted.size() + counted.preserved().size() == rebuilt.size()
        && rebuilt.stream()
            .allMatch(each ->
                counted.preserved().contains(each)
                    || counted.find(each.host().id().uid()).filter(each::equals).isPresent());
  }
}
