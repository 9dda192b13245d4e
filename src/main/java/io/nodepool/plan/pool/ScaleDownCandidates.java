package io.nodepool.plan.pool;

import io.nodepool.fleet.Assignment;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Removal;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.vocabulary.RemovalCause;
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
 * Which Nodes go when a pool has too many: one ordered ladder, whose deciding rung is kept as the
 * cause (contract §7, decision D19). Those that have not come up yet are cancelled before any of
 * these.
 */
final class ScaleDownCandidates {
  /** A Node that is to go, and why it and no other. */
  record Chosen(Member member, RemovalCause cause) {}

  /**
   * The choice.
   *
   * @param chosen Nodes that are to go, in order; marked already or not
   * @param kept marked Nodes that are not to go any more
   * @param waiting Nodes that would have to go and may not at present, in order: busy ones, and
   *     those that are passed over
   * @param missing how many Nodes more would have to go than are chosen
   */
  record Choice(List<Chosen> chosen, List<Member> kept, List<Member> waiting, int missing) {
    Choice {
      chosen = List.copyOf(chosen);
      kept = List.copyOf(kept);
      waiting = List.copyOf(waiting);
    }
  }

  /** One that could go. */
  private record Candidate(Member member, RemovalCause cause, boolean busy, boolean stays) {
    /** Newest first, as those have cost least; the UID makes it the same every time. */
    static final Comparator<Candidate> ORDER =
        Comparator.comparing(Candidate::cause)
            .thenComparing(candidate -> candidate.member().mark().isEmpty())
            .thenComparing(Candidate::busy)
            .thenComparingInt(candidate -> candidate.member().workload().pods())
            .thenComparing(Candidate::assignedAt, Comparator.reverseOrder())
            .thenComparing(candidate -> candidate.member().host().id().uid());

    /**
     * Whether it is marked and looks as if it stayed. It holds its place until its machine, which
     * alone takes such a mark back, has found out.
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
   * Chooses.
   *
   * @param tooMany how many of those that came up have to go
   */
  static Choice choose(PoolSnapshot seen, int tooMany, int rackSize, Instant now) {
    int excess =
        tooMany
            - (int)
                seen.members()
                    .having(Members.Trait.FROZEN)
                    .filter(ScaleDownCandidates::mayBeGoing)
                    .count();
    if (excess <= 0) {
      // Nothing has to go: nothing is ranked, which would cost more than all the rest of a plan.
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

  /** Whether it came up, can be read and stays. */
  private static boolean isUp(Member member) {
    return !member.isTerminating() && !member.isFrozen() && !member.host().isBooting();
  }

  /**
   * Whether it cannot be read, so that it may be the one that was chosen, or would be. It holds its
   * place: no other Node goes instead of it.
   */
  private static boolean mayBeGoing(Member member) {
    return member.isFrozen() && !member.isTerminating() && !member.host().isBooting();
  }

  private static Choice single(List<Candidate> candidates, int excess) {
    List<Chosen> chosen = new ArrayList<>();
    List<Member> waiting = new ArrayList<>();
    int left = Math.max(0, excess - (int) candidates.stream().filter(Candidate::isOpen).count());
    for (Candidate candidate : candidates) {
      if (candidate.stays()) {
        waiting.add(candidate.member());
        // It holds its place: the choice of whoever asked for it is not replaced by ours.
        left -= candidate.cause().isRequest() && !candidate.isOpen() && left > 0 ? 1 : 0;
      } else if (left > 0) {
        chosen.add(new Chosen(candidate.member(), candidate.cause()));
        left--;
      }
    }
    return choice(candidates, chosen, waiting, excess);
  }

  /** A rack goes as a whole: once each of its Nodes may go, and as many racks as fit. */
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
        rack.forEach(each -> chosen.add(new Chosen(each.member(), each.cause())));
        left -= rack.size();
      }
    }
    return choice(candidates, chosen, waiting, excess);
  }

  /** First what was begun, then what is idle, then what least has come up of. */
  private static Comparator<List<Candidate>> rackOrder() {
    return Comparator.comparing((List<Candidate> rack) ->
            rack.stream().noneMatch(each -> each.member().mark().isPresent()))
        .thenComparingLong(rack -> rack.stream().filter(Candidate::busy).count())
        .thenComparingInt(List::size);
  }

  private static Choice choice(
      List<Candidate> candidates, List<Chosen> chosen, List<Member> waiting, int excess) {
    Set<String> going =
        chosen.stream().map(each -> each.member().host().id().uid()).collect(Collectors.toSet());
    List<Member> kept =
        candidates.stream()
            .filter(candidate -> !candidate.isOpen())
            .map(Candidate::member)
            .filter(member -> member.mark().isPresent())
            .filter(member -> !going.contains(member.host().id().uid()))
            .toList();
    int missing = Math.max(0, excess - chosen.size());
    return new Choice(chosen, kept, missing == 0 ? List.of() : waiting, missing);
  }

  private static Candidate candidate(PoolSnapshot seen, Member member, Instant now) {
    boolean busy = isBusy(member);
    boolean stays =
        (busy && seen.pool().spec().keepsBusyNodes()) || member.passedOverUntil(now).isPresent();
    return new Candidate(member, cause(member, busy), busy, stays);
  }

  /** By what runs on it, and by what it says of itself: only where both say idle, it is. */
  private static boolean isBusy(Member member) {
    return member.workload().isBusy()
        || member.node().flatMap(Node::activity).map(Node.Activity::active).orElse(false);
  }

  private static RemovalCause cause(Member member, boolean busy) {
    if (member.node().isEmpty() || !member.node().get().registered()) {
      return RemovalCause.NOT_REGISTERED;
    }
    Node node = member.node().get();
    if (node.isRemovalRequested()) {
      return RemovalCause.CLIENT_REQUEST;
    }
    if (node.isTainted(NodeTaints.AUTOSCALER_DELETION)) {
      return RemovalCause.AUTOSCALER;
    }
    if (!node.ready()) {
      return RemovalCause.UNHEALTHY;
    }
    if (busy) {
      return RemovalCause.ACTIVE;
    }
    boolean ours = member.mark().map(Removal.Marked::ownCordon).orElse(false);
    if (node.cordoned() && !ours) {
      return RemovalCause.CORDONED;
    }
    if (node.isTainted(NodeTaints.AUTOSCALER_CANDIDATE)) {
      return RemovalCause.AUTOSCALER_CANDIDATE;
    }
    return member.workload().interruptible() > 0 ? RemovalCause.INTERRUPTIBLE : RemovalCause.IDLE;
  }
}
