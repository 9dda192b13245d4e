package io.nodepool.plan.occurrence;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.BatchState.Drains;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.pool.DisruptionBatch;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.PoolStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Determines what happened to a pool's Nodes while no operator ran, or while the last one could no
 * longer publish it: the difference between the published status and the observed state. If several
 * histories are possible, the one with the fewest occurrences counts, so that no Event reports a
 * change that did not happen (decision D89).
 */
public record MissedOccurrences(PoolStatus published, Members members) {
  /** The ledger with which an operator starts that observes these members for the first time. */
  public static EventLedger ledger(PoolStatus published, Members members) {
    return new MissedOccurrences(published, members).ledger();
  }

  private EventLedger ledger() {
    int lostCurrent = Math.max(0, published.currentNodes() - members.count(Members.Trait.CURRENT));
    int held = members.count(Members.Trait.CURRENT) + members.count(Members.Trait.IN_PROGRESS);
    int lostHeld = Math.max(0, published.held() - held);
    Map<CountsAs, List<Member>> disrupted = disrupted();
    int lost = Math.min(lostCurrent, lostHeld);
    int preserved = Math.min(lost, members.preserved().size());
    Map<CountsAs, Integer> removed = removed(lost - preserved, disrupted);
    int allRemoved = preserved + removed.values().stream().mapToInt(Integer::intValue).sum();

    EventLedger ledger = EventLedger.of(published);
    ledger = ledger.plus(Occurrence.ASSIGNED, held - published.held());
    ledger = ledger.plus(Occurrence.VANISHED, lostCurrent - allRemoved);
    ledger =
        ledger.plus(
            Occurrence.REGISTERED, members.count(Members.Trait.CURRENT) - published.currentNodes());
    for (CountsAs as : CountsAs.values()) {
      List<Member> underWay = disrupted.getOrDefault(as, List.of());
      int kept = as == CountsAs.REMOVAL ? preserved : 0;
      int left = removed.getOrDefault(as, 0);
      ledger = ledger.with(as, batch -> missed(as, underWay, left, kept, batch));
    }
    return ledger;
  }

  /** The members under disruption, the last chosen first. */
  private Map<CountsAs, List<Member>> disrupted() {
    return members.stream()
        .filter(member -> member.disruptedAs().isPresent())
        .sorted(
            Comparator.comparing(MissedOccurrences::chosenAt)
                .reversed()
                .thenComparing(member -> member.host().id().name()))
        .collect(
            Collectors.groupingBy(
                member -> member.disruptedAs().orElseThrow(),
                () -> new EnumMap<>(CountsAs.class),
                Collectors.toList()));
  }

  private static Instant chosenAt(Member member) {
    return member.disruption().map(Disruption::at).orElse(Instant.MIN);
  }

  /**
   * How many of the lost Nodes were removed in each kind of disruption: first Nodes that are
   * missing among the disruptions under way, then Nodes that newly chosen ones replaced.
   */
  private Map<CountsAs, Integer> removed(int lost, Map<CountsAs, List<Member>> disrupted) {
    Map<CountsAs, Integer> removed = new EnumMap<>(CountsAs.class);
    int left = lost;
    for (boolean missing : new boolean[] {true, false}) {
      for (CountsAs as : List.of(CountsAs.REMOVAL, CountsAs.PREEMPTION)) {
        int before = removed.getOrDefault(as, 0);
        int now = missing ? disrupted.getOrDefault(as, List.of()).size() : 0;
        int most = published.events().batch(as).underWay() - now - before;
        int more = Math.clamp(most, 0, left);
        removed.merge(as, more, Integer::sum);
        left -= more;
      }
    }
    return removed;
  }

  /**
   * The batch with the missed occurrences of the disruptions of this kind.
   *
   * @param preserved how many ended because their machines are kept for inspection
   */
  private DisruptionBatch missed(
      CountsAs as, List<Member> underWay, int removed, int preserved, DisruptionBatch batch) {
    BatchState before = published.events().batch(as);
    int remaining = before.underWay() - removed - preserved;
    int returned = Math.max(0, remaining - underWay.size());
    DisruptionBatch next = batch;
    for (int i = 0; i < removed + preserved + returned; i++) {
      next = next.ends(DrainStage.NONE);
    }
    // If the operator set all cordons of the batch, it also set those of ended disruptions.
    boolean allOurs =
        before.counts().of(Occurrence.CORDONED) == before.counts().of(Occurrence.CHOSEN);
    next =
        next.plus(Occurrence.REMOVED, removed)
            .plus(Occurrence.RETURNED, returned)
            .plus(Occurrence.UNCORDONED, allOurs ? returned : 0);
    for (Member chosen :
        underWay.stream().limit(Math.max(0, underWay.size() - remaining)).toList()) {
      String name = chosen.host().id().name();
      next = next.begins(name, DrainStage.NONE);
      next = MemberChange.explained(next, as, Occurrence.CHOSEN, chosen);
      if (MemberChange.isCordonedByUs(chosen)) {
        next = next.plus(Occurrence.CORDONED, name);
        next = MemberChange.explained(next, as, Occurrence.CORDONED, chosen);
      }
    }
    int others = before.underWay() - removed - preserved - returned;
    next = stage(before, Occurrence.DRAINED, DrainStage.BEGUN, underWay, others, next);
    next = stage(before, Occurrence.BLOCKED, DrainStage.BLOCKED, underWay, others, next);
    next = stage(before, Occurrence.FORCED, DrainStage.FORCED, underWay, others, next);
    List<String> stopped =
        underWay.stream()
            .filter(MemberChange::isStopped)
            .map(member -> member.host().id().name())
            .toList();
    int prepared =
        next.count(Occurrence.REMOVED) + stopped.size() - next.count(Occurrence.PREPARED);
    for (String name : stopped.stream().limit(Math.max(0, prepared)).toList()) {
      next = next.plus(Occurrence.PREPARED, name);
    }
    return next.plus(Occurrence.PREPARED, prepared - stopped.size()).withDrains(drains(underWay));
  }

  private static Drains drains(List<Member> underWay) {
    Drains drains = Drains.NONE;
    for (Member member : underWay) {
      drains = drains.plus(MemberChange.stage(member));
    }
    return drains;
  }

  /**
   * Records the Nodes whose drain reached this stage since the status was published.
   *
   * @param others how many disruptions of the status are still under way; those that had not
   *     reached this stage are assumed to have ended first
   */
  private static DisruptionBatch stage(
      BatchState before,
      Occurrence what,
      DrainStage stage,
      List<Member> underWay,
      int others,
      DisruptionBatch batch) {
    List<String> now =
        underWay.stream()
            .filter(member -> MemberChange.stage(member).compareTo(stage) >= 0)
            .filter(member -> what != Occurrence.BLOCKED || MemberChange.stage(member) == stage)
            .map(member -> member.host().id().name())
            .toList();
    int last = Math.min(others, last(before.drains(), stage));
    DisruptionBatch next = batch;
    for (String name : now.stream().limit(Math.max(0, now.size() - last)).toList()) {
      next = next.plus(what, name);
    }
    return next;
  }

  private static int last(Drains published, DrainStage stage) {
    return switch (stage) {
      case NONE -> 0;
      case BEGUN -> published.begun();
      case BLOCKED -> published.blocked() - published.forced();
      case FORCED -> published.forced();
    };
  }
}
