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
 * Compares the members that are counted incrementally with members that are built anew, for checks.
 * Confined to the decision thread.
 */
final class MemberAudit {
  private final PoolTable pools;
  private final MachineTable machines;
  private final MemberCounter counter;
  private final PastRepairTable past;

  /** The members of each pool that were compared with a full recount last, by the pool's UID. */
  private final Map<String, Members> verified = new HashMap<>();

  /** Whether something was taken in since the members were compared last. */
  private boolean outdated;

  MemberAudit(
      PoolTable pools, MachineTable machines, MemberCounter counter, PastRepairTable past) {
    this.pools = pools;
    this.machines = machines;
    this.counter = counter;
    this.past = past;
  }

  /** Records that something was taken in. */
  void outdated() {
    outdated = true;
  }

  /**
   * Compares the members of all pools, if anything was taken in since they were compared last.
   * While machines changed that are counted with the next plan only, nothing is compared yet.
   *
   * @throws IllegalStateException if they differ
   */
  void verify() {
    if (!outdated || machines.isBehind()) {
      return;
    }
    pools.stream()
        .filter(entry -> entry.pool != null)
        .forEach(entry -> {
          String uid = Objects.requireNonNull(entry.pool).id().uid();
          List<Member> rebuilt = counter.rebuilt(uid);
          if (!isEqual(uid, entry.members(), rebuilt)) {
            throw new IllegalStateException(
                "pool %s: counted %s, rebuilt %s".formatted(uid, entry.members(), rebuilt));
          }
          Map<String, String> withoutHost = counter.rebuiltWithoutHost(uid);
          if (!entry.withoutHost.equals(withoutHost)) {
            throw new IllegalStateException(
                "pool %s: counted without a Host %s, rebuilt %s"
                    .formatted(uid, entry.withoutHost, withoutHost));
          }
        });
    verifyWork();
    verifyPast();
    outdated = false;
  }

  private void verifyWork() {
    NodesInWork rebuilt = new NodesInWork();
    machines.stream().forEach(machine -> rebuilt.count(Optional.empty(), machine.member));
    if (!rebuilt.counts().equals(counter.inWork().counts())) {
      throw new IllegalStateException(
          "in work: counted %s, rebuilt %s"
              .formatted(counter.inWork().counts(), rebuilt.counts()));
    }
  }

  private void verifyPast() {
    PastRepairTable rebuilt = new PastRepairTable();
    machines.stream()
        .forEach(machine -> rebuilt.update(Optional.empty(), Optional.ofNullable(machine.host)));
    if (!rebuilt.equals(past)) {
      throw new IllegalStateException(
          "past repairs: counted %s, rebuilt %s".formatted(past, rebuilt));
    }
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
