package io.nodepool.plan.pool;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.condition.AtTargetReason;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How many Hosts are taken or given back now, and is the pool at its target? */
final class HostScaling {
  /**
   * Assignments that a pool may have under way at once: enough to keep the API server busy, few
   * enough to be recalled.
   */
  static final int UNDER_WAY = 64;

  /** Newest first: what was asked for last has cost least so far. */
  private static final Comparator<Member> NEWEST_FIRST =
      Comparator.comparing((Member member) -> member.host().assignment().orElseThrow().at())
          .reversed()
          .thenComparing(member -> member.host().id().uid());

  private HostScaling() {}

  /**
   * Takes the pool's share of the free Hosts, up to the size that its published request is granted:
   * what is not yet on the object does not outlive the operator, and nothing may rest on it.
   */
  static List<PlannedAction> assign(
      PoolSnapshot seen, List<PoolSnapshot.Candidate> share, String profile, Instant now) {
    Pool pool = seen.pool();
    int granted = pool.status().growth().map(Growth::granted).orElse(0);
    int held = seen.held();
    int atMost = Math.min(UNDER_WAY - seen.assigning(), granted - held);
    return share.stream()
        .limit(Math.max(0, atMost))
        .map(candidate ->
            PlannedAction.quiet(
                new Action.OnHost(
                    new HostOperation.Assign(
                        candidate.host(),
                        candidate.tenancy(),
                        new Assignment(
                            pool.id(),
                            pool.spec().isSpot() ? "spot" : "default",
                            HostOperation.assignId(
                                candidate.host(), candidate.tenancy(), pool.id()),
                            now,
                            pool.spec().node().permitted()),
                        profile)),
                "its turn for a free Host"))
        .toList();
  }

  /**
   * Gives back up to {@code excess} Hosts that have not come up yet, newest first; registered Nodes
   * are not touched. A type that comes in racks is given back rack by rack, those first of which
   * least has come up.
   *
   * @param rackSize how many Hosts of a rack belong together; at most 1 for single Hosts
   */
  static List<PlannedAction> cancel(PoolSnapshot seen, int excess, int rackSize) {
    if (excess <= 0) {
      return List.of();
    }
    Stream<Member> members =
        rackSize <= 1
            ? seen.members().having(Members.Trait.BOOTING)
            : leavingRacks(seen, excess, rackSize).stream();
    return members
        .filter(member -> member.host().isBooting() && member.underWay().isEmpty())
        .filter(member -> !member.isFrozen())
        .sorted(NEWEST_FIRST)
        .limit(excess)
        .map(member ->
            PlannedAction.quiet(
                new Action.OnHost(
                    new HostOperation.Cancel(
                        member.host().id(),
                        member.host().tenancy(),
                        seen.pool().id(),
                        Optional.empty())),
                "the target fell before it came up"))
        .toList();
  }

  /** The members of the racks that go when so many Nodes are too many. */
  private static List<Member> leavingRacks(PoolSnapshot seen, int excess, int rackSize) {
    Map<String, List<Member>> racks =
        seen.members().stream()
            .filter(member -> !member.isBeingGivenBack())
            .collect(
                Collectors.groupingBy(
                    member -> member.host().machine().rack(), TreeMap::new, Collectors.toList()));
    return racks.values().stream()
        .sorted(
            Comparator.comparingLong((List<Member> rack) ->
                rack.stream().filter(member -> !member.host().isBooting()).count()))
        .limit((excess + rackSize - 1) / rackSize)
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Hosts that are too many and can be cancelled, or will be able to be, for they are not up; also
   * those that were never read, instead of which no Node goes that was.
   */
  static int notUp(PoolSnapshot seen) {
    return seen.assigning() + seen.unread().size() + seen.members().count(Members.Trait.COMING_UP);
  }

  /**
   * Compares what is registered with the target (decision D3), if the Nodes can be counted.
   *
   * @param refusal what is said of Nodes that the API server does not allow
   */
  static Finding atTarget(
      PoolSnapshot seen,
      StatusCounts counts,
      int target,
      ScaleDown.Outlook scaleDown,
      Optional<String> refusal) {
    Optional<Finding> uncountable =
        refusal.or(() -> frozen(seen)).map(why -> new Finding(AtTargetReason.INTERNAL_ERROR, why));
    return uncountable.orElseGet(() -> atTarget(counts, target, scaleDown));
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

  private static Finding atTarget(StatusCounts counts, int target, ScaleDown.Outlook scaleDown) {
    int missing = target - counts.current();
    if (missing == 0) {
      return new Finding(
          AtTargetReason.TARGET_MET, AtTargetReason.TARGET_MET.message().orElseThrow());
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
                counts.queued()));
  }
}
