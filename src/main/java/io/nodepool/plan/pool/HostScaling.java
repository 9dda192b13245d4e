package io.nodepool.plan.pool;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.report.HeldMachines;
import io.nodepool.plan.report.NodesWithoutHost;
import io.nodepool.vocabulary.condition.AtTargetReason;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decides how many Hosts are assigned or cancelled now, and whether the pool is at its target. */
final class HostScaling {
  /**
   * The greatest number of assignments that a pool may have under way at once: enough to keep the
   * API server busy, few enough to cancel.
   */
  static final int UNDER_WAY = 64;

  /** Newest first: the machines assigned last have cost the least so far. */
  private static final Comparator<Member> NEWEST_FIRST =
      Comparator.comparing((Member member) -> member.host().assignment().orElseThrow().at())
          .reversed()
          .thenComparing(member -> member.host().id().uid());

  private HostScaling() {}

  /**
   * Assigns the pool's share of the free Hosts, up to the size that its published growth request is
   * granted. A request that is not published is lost when the operator dies, so nothing may depend
   * on it.
   */
  static List<PlannedAction> assign(
      PoolSnapshot seen, List<FreeHosts.FreeHost> share, String profile, Instant now) {
    Pool pool = seen.pool();
    int granted = pool.status().growth().map(Growth::granted).orElse(0);
    int held = seen.held();
    int atMost = Math.min(mostUnderWay(seen, now) - seen.assigning(), granted - held);
    return share.stream()
        .limit(Math.max(0, atMost))
        .map(host ->
            PlannedAction.quiet(
                new Action.OnHost(
                    new HostOperation.Assign(
                        host.id(),
                        host.tenancy(),
                        new Assignment(
                            pool.id(),
                            pool.spec().isSpot() ? "spot" : "default",
                            HostOperation.assignId(host.id(), host.tenancy(), pool.id()),
                            now,
                            pool.spec().node().permitted()),
                        profile)),
                "its turn for a free Host"))
        .toList();
  }

  /** While the server refuses assignments, one is tried at a time, with growing waits. */
  private static int mostUnderWay(PoolSnapshot seen, Instant now) {
    return seen.refusals()
        .assignments()
        .map(refused -> now.isBefore(refused.notBefore()) ? 0 : 1)
        .orElse(UNDER_WAY);
  }

  /**
   * Cancels assignments of Hosts that have not booted yet; registered Nodes are not affected. All
   * Hosts that the fleet wants back from a spot pool are cancelled, because no work on them needs
   * the notice (decision D135); then, up to {@code excess}, the newest. Rack types are cancelled
   * rack by rack, starting with the racks that have the fewest booted machines.
   *
   * @param rackSize how many Hosts of a rack are allocated together; 1 or less if Hosts are
   *     allocated singly
   */
  static List<PlannedAction> cancel(PoolSnapshot seen, int excess, int rackSize) {
    List<Member> reclaimed = reclaimed(seen);
    int further = excess - reclaimed.size();
    Stream<PlannedAction> all =
        reclaimed.stream().map(member -> cancel(seen, member, "the fleet wants it back"));
    if (further > 0) {
      Stream<Member> members =
          rackSize <= 1
              ? seen.members().having(Members.Trait.BOOTING)
              : racksToRemove(seen, further, rackSize).stream();
      all =
          Stream.concat(
              all,
              members
                  .filter(member -> isCancellable(member) && !reclaimed.contains(member))
                  .sorted(NEWEST_FIRST)
                  .limit(further)
                  .map(member -> cancel(seen, member, "the target fell before it came up")));
    }
    return all.toList();
  }

  /**
   * Clears the failures of Hosts that failed in a configuration that the pool's status reports as
   * disabled, so that they can be assigned again (decision D190).
   */
  static List<PlannedAction> clearFailures(PoolSnapshot seen) {
    return seen.free().suspected().stream()
        .map(each ->
            PlannedAction.quiet(
                new Action.OnHost(
                    new HostOperation.ClearFailures(
                        each.host(),
                        each.tenancy(),
                        seen.pool().id(),
                        each.configuration(),
                        each.setAside())),
                "it failed in configuration %s, which is disabled".formatted(each.configuration())))
        .toList();
  }

  /** The Hosts of a spot pool that the fleet wants back before they booted. */
  private static List<Member> reclaimed(PoolSnapshot seen) {
    return seen.pool().spec().isSpot() && seen.free().reclaimed() > 0
        ? seen.members()
            .having(Members.Trait.BOOTING)
            .filter(member -> member.host().reclaim().isPresent() && isCancellable(member))
            .sorted(NEWEST_FIRST)
            .toList()
        : List.of();
  }

  private static boolean isCancellable(Member member) {
    return member.isBooting() && member.underWay().isEmpty() && !member.isFrozen();
  }

  private static PlannedAction cancel(PoolSnapshot seen, Member member, String why) {
    return PlannedAction.quiet(
        new Action.OnHost(
            HostOperation.Cancel.of(member.host(), seen.pool().id(), Optional.empty())),
        why);
  }

  /** The members of the racks to remove for this excess of Nodes. */
  private static List<Member> racksToRemove(PoolSnapshot seen, int excess, int rackSize) {
    Map<String, List<Member>> racks =
        seen.members().stream()
            .filter(member -> !member.isBeingGivenBack())
            .collect(
                Collectors.groupingBy(
                    member -> member.host().machine().rack(), TreeMap::new, Collectors.toList()));
    return racks.values().stream()
        .sorted(
            Comparator.comparingLong(
                (List<Member> rack) -> rack.stream().filter(member -> !member.isBooting()).count()))
        .limit((excess + rackSize - 1) / rackSize)
        .flatMap(List::stream)
        .toList();
  }

  /**
   * The number of Hosts that have not booted and can be cancelled now or later, and of Hosts that
   * were never read. No other Node is removed in their place.
   */
  static int notUp(PoolSnapshot seen) {
    return seen.assigning() + seen.unread().size() + seen.members().count(Members.Trait.COMING_UP);
  }

  /**
   * Compares the number of registered Nodes with the target (decision D3), if the Nodes can be
   * counted. Names the busy Nodes without a Host, which are not counted.
   *
   * @param refusal the message about Nodes or assignments that the API server denies; empty if it
   *     denies none
   */
  static Finding atTarget(
      PoolSnapshot seen,
      NodeCounts counts,
      ScaleDown.Outlook scaleDown,
      Optional<String> refusal,
      Optional<String> disabled) {
    Optional<Finding> uncountable =
        refusal.or(() -> frozen(seen)).map(why -> new Finding(AtTargetReason.INTERNAL_ERROR, why));
    return NodesWithoutHost.beside(
        uncountable.orElseGet(
            () -> HeldMachines.beside(atTarget(counts, scaleDown, disabled), seen.members())),
        seen);
  }

  private static Optional<String> frozen(PoolSnapshot seen) {
    List<String> frozen =
        Stream.concat(
                seen.members()
                    .having(Members.Trait.FROZEN)
                    .map(member ->
                        member.host().id().name()
                            + ": "
                            + member.findings().frozen().orElseThrow()),
                seen.unread().stream().map(unread -> unread.name() + ": " + unread.why()))
            .toList();
    return frozen.stream()
        .findFirst()
        .map(first ->
            "%s cannot be read and %s left as %s: %s"
                .formatted(
                    Messages.count(frozen.size(), "machine"),
                    frozen.size() == 1 ? "is" : "are",
                    frozen.size() == 1 ? "it is" : "they are",
                    first));
  }

  private static Finding atTarget(
      NodeCounts counts, ScaleDown.Outlook scaleDown, Optional<String> disabled) {
    int target = counts.target();
    int missing = target - counts.current();
    if (missing == 0) {
      return Finding.of(AtTargetReason.TARGET_MET);
    }
    if (missing < 0) {
      return new Finding(
          AtTargetReason.OVER_TARGET,
          "NodePool has %s, %d more than its target of %d%s."
              .formatted(
                  Messages.count(counts.current(), "node"), -missing, target, scaleDown.text()));
    }
    return new Finding(
        AtTargetReason.UNDER_TARGET,
        "NodePool has %d of %s: %d in progress, %d queued."
                .formatted(
                    counts.current(),
                    Messages.count(target, "node"),
                    counts.inProgress(),
                    counts.queued())
            + disabled.map(" "::concat).orElse(""));
  }
}
