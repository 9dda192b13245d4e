package io.nodepool.plan.pool;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Chooses the Nodes to remove when a pool has too many. Candidates are ranked by one ordered list,
 * and the rank of a chosen Node is recorded (contract §7, decision D19). Machines that have not
 * booted yet are cancelled before any of these.
 */
final class ScaleDownCandidates {
  /** A Node chosen for removal, and its rank. */
  record Chosen(Member member, CandidateRank rank) {}

  /**
   * The choice.
   *
   * @param chosen Nodes to remove, in order, whether or not they are marked already
   * @param kept marked Nodes that are no longer to be removed
   * @param waiting Nodes that would be removed but may not be at present, in order: busy ones, and
   *     those that are passed over
   * @param missing how many Nodes have to be removed beyond those chosen
   */
  record Choice(List<Chosen> chosen, List<Member> kept, List<Member> waiting, int missing) {
    Choice {
      chosen = List.copyOf(chosen);
      kept = List.copyOf(kept);
      waiting = List.copyOf(waiting);
    }
  }

  /** A Node that could be removed. */
  private record Candidate(Member member, CandidateRank rank, boolean busy, boolean stays) {
    /**
     * By rank; within a rank marked Nodes first, then by workload, then newest first, because those
     * have cost the least. The UID makes the order deterministic.
     */
    static final Comparator<Candidate> ORDER =
        Comparator.comparing(Candidate::rank)
            .thenComparing(candidate -> candidate.member().mark().isEmpty())
            .thenComparing(Candidate::busy)
            .thenComparingInt(candidate -> candidate.member().workload().pods())
            .thenComparing(Candidate::assignedAt, Comparator.reverseOrder())
            .thenComparing(candidate -> candidate.member().host().id().uid());

    /**
     * Whether the Node is marked although it would not be removed now. It counts toward the excess
     * until its machine, which alone withdraws such a mark, has decided.
     */
    boolean isOpen() {
      return stays && member.mark().isPresent();
    }

    private Instant assignedAt() {
      return member.host().assignment().map(Assignment::at).orElse(Instant.MIN);
    }
  }

  private ScaleDownCandidates() {}

  /**
   * Chooses the Nodes to remove.
   *
   * @param tooMany how many booted Nodes have to be removed
   */
  static Choice choose(PoolSnapshot seen, int tooMany, int rackSize, Instant now) {
    int excess =
        tooMany
            - (int)
                seen.members()
                    .having(Members.Trait.FROZEN)
                    .filter(ScaleDownCandidates::mayBeChosen)
                    .count();
    if (excess <= 0) {
      // No Node has to be removed, so none is ranked: the ranking would cost more than the rest of
      // the plan.
      List<Member> marked =
          seen.members().having(Members.Trait.MARKED).filter(ScaleDownCandidates::isUp).toList();
      return new Choice(List.of(), marked, List.of(), 0);
    }
    List<Candidate> candidates =
        seen.members().stream()
            .filter(ScaleDownCandidates::isUp)
            .map(member -> candidate(seen, member, now))
            .sorted(Candidate.ORDER)
            .toList();
    return rackSize <= 1 ? single(candidates, excess) : racks(candidates, excess);
  }

  /**
   * The preempted Nodes of a pool that is being deleted. They leave anyhow, but for both causes, so
   * that it does not matter which came first: the deletion may interrupt sooner.
   */
  static List<Chosen> preempted(PoolSnapshot seen, Instant now) {
    return seen.members()
        .having(Members.Trait.LEAVING)
        .filter(ScaleDownCandidates::isOnlyPreempted)
        .map(member -> candidate(seen, member, now))
        .filter(candidate -> !candidate.stays())
        .map(candidate -> new Chosen(candidate.member(), candidate.rank()))
        .toList();
  }

  /** Whether the member would stay if its fleet withdrew its notice. */
  private static boolean isOnlyPreempted(Member member) {
    return member.isPreempted()
        && member.node().filter(node -> !node.isDraining()).isPresent()
        && !member.isFrozen()
        && member.underWay().isEmpty()
        && member.host().power() == Host.Power.ON
        && member.mark().map(Disruption.Active::causes).orElse(List.of()).stream()
            .allMatch(
                cause -> cause.what().isOfSize() || cause.what() == DisruptionCause.PREEMPTION);
  }

  /** Whether the machine has booted, can be read, and is not being removed. */
  private static boolean isUp(Member member) {
    return !member.isTerminating() && !member.isFrozen() && !member.host().isBooting();
  }

  /**
   * Whether the member cannot be read, so that it may be a chosen Node. It counts toward the
   * excess: no other Node is removed in its place.
   */
  private static boolean mayBeChosen(Member member) {
    return member.isFrozen() && !member.isTerminating() && !member.host().isBooting();
  }

  private static Choice single(List<Candidate> candidates, int excess) {
    List<Chosen> chosen = new ArrayList<>();
    List<Member> waiting = new ArrayList<>();
    int left = Math.max(0, excess - (int) candidates.stream().filter(Candidate::isOpen).count());
    for (Candidate candidate : candidates) {
      if (candidate.stays()) {
        waiting.add(candidate.member());
        // It counts toward the excess: a client's request is not replaced by the pool's own choice.
        left -= candidate.rank().isRequest() && !candidate.isOpen() && left > 0 ? 1 : 0;
      } else if (left > 0) {
        chosen.add(new Chosen(candidate.member(), candidate.rank()));
        left--;
      }
    }
    return choice(candidates, chosen, waiting, excess);
  }

  /**
   * Chooses whole racks: those of which every Node may be removed, and as many as fit into the
   * excess.
   */
  private static Choice racks(List<Candidate> candidates, int excess) {
    Map<String, List<Candidate>> racks =
        candidates.stream()
            .collect(
                Collectors.groupingBy(
                    candidate -> candidate.member().host().machine().rack(),
                    TreeMap::new,
                    Collectors.toList()));
    List<Chosen> chosen = new ArrayList<>();
    List<Member> waiting = new ArrayList<>();
    int left = excess;
    for (List<Candidate> rack : racks.values().stream().sorted(rackOrder()).toList()) {
      if (rack.size() > left) {
        continue;
      }
      List<Member> staying = rack.stream().filter(Candidate::stays).map(Candidate::member).toList();
      if (!staying.isEmpty()) {
        waiting.addAll(staying);
      } else {
        rack.forEach(each -> chosen.add(new Chosen(each.member(), each.rank())));
        left -= rack.size();
      }
    }
    return choice(candidates, chosen, waiting, excess);
  }

  /**
   * Racks with marked Nodes first, then those with the fewest busy Nodes, then those with the
   * fewest booted machines.
   */
  private static Comparator<List<Candidate>> rackOrder() {
    return Comparator.comparing((List<Candidate> rack) ->
            rack.stream().noneMatch(each -> each.member().mark().isPresent()))
        .thenComparingLong(rack -> rack.stream().filter(Candidate::busy).count())
        .thenComparingInt(List::size);
  }

  private static Choice choice(
      List<Candidate> candidates, List<Chosen> chosen, List<Member> waiting, int excess) {
    Set<String> chosenUids =
        chosen.stream().map(each -> each.member().host().id().uid()).collect(Collectors.toSet());
    List<Member> kept =
        candidates.stream()
            .filter(candidate -> !candidate.isOpen())
            .map(Candidate::member)
            .filter(member -> member.mark().isPresent())
            .filter(member -> !chosenUids.contains(member.host().id().uid()))
            .toList();
    int missing = Math.max(0, excess - chosen.size());
    return new Choice(chosen, kept, missing == 0 ? List.of() : waiting, missing);
  }

  private static Candidate candidate(PoolSnapshot seen, Member member, Instant now) {
    boolean busy = isBusy(member);
    boolean stays =
        (busy && seen.pool().spec().keepsBusyNodes()) || member.passedOverUntil(now).isPresent();
    return new Candidate(member, rank(member, busy), busy, stays);
  }

  /**
   * Whether the Node is busy by the observed Pods or by its own CWActive; it is idle only if both
   * say so.
   */
  private static boolean isBusy(Member member) {
    return member.workload().isBusy()
        || member.node().flatMap(Node::activity).map(Node.Activity::active).orElse(false);
  }

  private static CandidateRank rank(Member member, boolean busy) {
    if (member.node().isEmpty() || !member.node().get().registered()) {
      return CandidateRank.NOT_REGISTERED;
    }
    Node node = member.node().get();
    if (node.isRemovalRequested()) {
      return CandidateRank.CLIENT_REQUEST;
    }
    if (node.isTainted(NodeTaints.AUTOSCALER_DELETION)) {
      return CandidateRank.AUTOSCALER;
    }
    if (!node.ready()) {
      return CandidateRank.UNHEALTHY;
    }
    if (busy) {
      return CandidateRank.ACTIVE;
    }
    boolean ownCordon =
        member.mark().filter(mark -> mark.cordon() == Disruption.Cordon.OURS).isPresent();
    if (node.cordoned() && !ownCordon) {
      return CandidateRank.CORDONED;
    }
    if (node.isTainted(NodeTaints.AUTOSCALER_CANDIDATE)) {
      return CandidateRank.AUTOSCALER_CANDIDATE;
    }
    return member.workload().interruptible() > 0 ? CandidateRank.INTERRUPTIBLE : CandidateRank.IDLE;
  }
}
