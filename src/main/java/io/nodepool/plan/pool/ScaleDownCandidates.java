package io.nodepool.plan.pool;

import io.nodepool.fleet.Assignment;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Chooses the Nodes to remove when a pool has too many. Candidates are ranked by one ordered list,
 * and the rank of a chosen Node is recorded (contract §7, decision D19). Machines that have not
 * booted yet are cancelled before any candidate.
 */
public final class ScaleDownCandidates {
  /** The decision about a candidate. */
  public enum Outcome {
    /** It must leave, whether or not that is admitted already. */
    CHOSEN,
    /** It would leave, and waits for its tenant work to end. */
    WAITING,
    /** It would leave, and is passed over for some time. */
    PASSED_OVER,
    /** It would leave, and its rack does not leave as a whole. */
    RACK_STAYS,
    /** It would leave, and a user paused the pool. */
    PAUSED,
    /** The candidates before it are enough. */
    KEPT
  }

  /**
   * The verdict on a candidate that must leave, or would have to.
   *
   * @param place its place among all candidates, from 1
   * @param of the number of candidates
   */
  public record Verdict(Member member, CandidateRank rank, Outcome outcome, int place, int of) {
    /** The verdict in a sentence: {@code "Node g1 is chosen: " + text()}. */
    public String text() {
      return "%s; candidate %d of %d".formatted(rank.text(), place, of);
    }

    private Verdict at(int next) {
      return new Verdict(member, rank, outcome, next, of);
    }
  }

  /** The keys that order two candidates; the first key that differs decides. */
  public enum Key {
    RANK(Comparator.comparing(Candidate::rank)),
    CHOSEN_BEFORE(Comparator.comparing(each -> !each.chosenBefore())),
    WORK(Comparator.comparing(each -> each.member().isBusy())),
    FEWEST_PODS(Comparator.comparingInt(each -> each.member().workload().pods())),
    /** The newest has cost the least. */
    NEWEST(Comparator.comparing(Candidate::assignedAt, Comparator.reverseOrder())),
    /** It makes the order deterministic. */
    UID(Comparator.comparing(Candidate::uid));

    private final Comparator<Candidate> order;

    Key(Comparator<Candidate> order) {
      this.order = order;
    }

    /** The first key by which these differ. */
    private static Optional<Key> between(Candidate one, Candidate other) {
      return Stream.of(values()).filter(key -> key.order.compare(one, other) != 0).findFirst();
    }
  }

  /**
   * A candidate in the order of all candidates.
   *
   * @param key the key that decided between it and the nearest candidate with another outcome;
   *     empty if there is none, and for rack types, which leave in whole racks
   */
  public record Ordered(Verdict verdict, Optional<Key> key) {}

  /**
   * The choice.
   *
   * @param verdicts the verdicts on the Nodes that must leave or would have to, in order
   * @param kept admitted Nodes that no longer have to be removed
   * @param missing how many Nodes have to be removed beyond those chosen
   */
  record Choice(List<Verdict> verdicts, List<Member> kept, int missing) {
    Choice {
      verdicts = List.copyOf(verdicts);
      kept = List.copyOf(kept);
    }

    /** The verdicts with this outcome. */
    Stream<Verdict> with(Outcome outcome) {
      return verdicts.stream().filter(verdict -> verdict.outcome() == outcome);
    }
  }

  /**
   * A Node that could be removed. Its keys are taken from its member once, not at each comparison.
   *
   * @param chosenBefore whether it is admitted to leave for the size of its pool
   * @param stays whether it may not leave now
   * @param place its place among all candidates, from 1; 0 before they are ordered
   */
  private record Candidate(
      Member member,
      CandidateRank rank,
      boolean chosenBefore,
      Instant assignedAt,
      boolean stays,
      int place) {
    static final Comparator<Candidate> ORDER =
        Stream.of(Key.values())
            .map(key -> key.order)
            .reduce(Comparator::thenComparing)
            .orElseThrow();

    static Candidate of(PoolSnapshot seen, Member member, Instant now) {
      return new Candidate(
          member,
          lastingRank(member),
          chosen(member).isPresent(),
          member.host().assignment().map(Assignment::at).orElse(Instant.MIN),
          ScaleDownCandidates.stays(seen, member, now),
          0);
    }

    Candidate at(int next) {
      return new Candidate(member, rank, chosenBefore, assignedAt, stays, next);
    }

    /**
     * Whether it is admitted although it would not be removed now. It counts toward the excess
     * until its machine's planner, which alone withdraws the admission, has decided.
     */
    boolean isOpen() {
      return stays && chosenBefore;
    }

    private String uid() {
      return member.host().id().uid();
    }
  }

  private ScaleDownCandidates() {}

  /**
   * Chooses the Nodes to remove.
   *
   * @param tooMany how many booted Nodes have to be removed
   */
  static Choice choose(PoolSnapshot seen, int tooMany, int rackSize, Instant now) {
    int excess = excess(seen, tooMany);
    if (excess <= 0) {
      // No Node has to be removed, so none is ranked: the ranking would cost more than the rest of
      // the plan.
      List<Member> admitted =
          seen.members()
              .having(Members.Trait.REVOCABLE)
              .filter(ScaleDownCandidates::isUp)
              .filter(member -> chosen(member).isPresent())
              .toList();
      return new Choice(List.of(), admitted, 0);
    }
    return Ranking.of(seen, excess, now).choice(rackSize);
  }

  /**
   * The verdicts on all candidates, also those that do not have to leave, in the order of removal.
   *
   * @param tooMany how many booted Nodes have to be removed
   * @param paused whether a user paused the pool, so that no candidate leaves
   */
  static List<Ordered> all(
      PoolSnapshot seen, int tooMany, int rackSize, boolean paused, Instant now) {
    Ranking ranking = Ranking.of(seen, Math.max(0, excess(seen, tooMany)), now);
    Choice choice = ranking.choice(rackSize);
    List<Candidate> order =
        rackSize <= 1
            ? ranking.candidates()
            : ranking.racked().stream().flatMap(List::stream).toList();
    Set<String> chosen =
        choice
            .with(Outcome.CHOSEN)
            .map(verdict -> verdict.member().host().id().uid())
            .collect(Collectors.toSet());
    List<Ordered> all = new ArrayList<>();
    for (Candidate each : order) {
      boolean leaves = chosen.contains(each.uid());
      Verdict verdict =
          leaves
              ? ranking.verdict(each, paused ? Outcome.PAUSED : Outcome.CHOSEN)
              : choice.missing() == 0
                  ? ranking.verdict(each, Outcome.KEPT)
                  : each.stays()
                      ? ranking.kept(each)
                      : ranking.verdict(each, rackSize > 1 ? Outcome.RACK_STAYS : Outcome.KEPT);
      all.add(
          new Ordered(
              verdict.at(all.size() + 1),
              rackSize > 1
                  ? Optional.empty()
                  : nearest(order, each, leaves, chosen)
                      .flatMap(other -> Key.between(each, other))));
    }
    return all;
  }

  /** For a candidate that leaves, the first that stays; for any other, the last that leaves. */
  private static Optional<Candidate> nearest(
      List<Candidate> order, Candidate of, boolean leaves, Set<String> chosen) {
    Stream<Candidate> others =
        order.stream().filter(each -> !each.equals(of) && chosen.contains(each.uid()) != leaves);
    return leaves
        ? others.filter(each -> !each.stays()).findFirst()
        : others.reduce((_, last) -> last);
  }

  /**
   * How many Nodes have to be removed. A Node that cannot be read may be chosen: no other Node is
   * removed in its place.
   */
  private static int excess(PoolSnapshot seen, int tooMany) {
    return tooMany
        - (int)
            seen.members()
                .having(Members.Trait.FROZEN)
                .filter(ScaleDownCandidates::isBooted)
                .count();
  }

  /** The disruption of a Node that was chosen already, which may still be withdrawn. */
  private static Optional<Disruption.Active> chosen(Member member) {
    return member
        .revocable()
        .filter(active -> active.causesNotOfSize().size() < active.causes().size());
  }

  /** Whether the machine has booted, can be read, and is not being removed. */
  private static boolean isUp(Member member) {
    return isBooted(member) && !member.isFrozen();
  }

  private static boolean isBooted(Member member) {
    return !member.isTerminating() && !member.isBooting();
  }

  /**
   * Candidates in their order; some of them have to leave.
   *
   * @param excess how many have to leave
   */
  private record Ranking(List<Candidate> candidates, int excess, Instant now) {
    static Ranking of(PoolSnapshot seen, int excess, Instant now) {
      List<Candidate> candidates = new ArrayList<>();
      seen.members().stream()
          .filter(ScaleDownCandidates::isUp)
          .map(member -> Candidate.of(seen, member, now))
          .sorted(Candidate.ORDER)
          .forEachOrdered(candidate -> candidates.add(candidate.at(candidates.size() + 1)));
      return new Ranking(candidates, excess, now);
    }

    Choice choice(int rackSize) {
      return rackSize <= 1 ? single() : racks();
    }

    Choice single() {
      List<Verdict> verdicts = new ArrayList<>();
      int left = Math.max(0, excess - (int) candidates.stream().filter(Candidate::isOpen).count());
      for (Candidate candidate : candidates) {
        if (candidate.stays()) {
          verdicts.add(kept(candidate));
          // It counts toward the excess: a client's request is not replaced by the pool's own
          // choice.
          left -= candidate.rank().isRequest() && !candidate.isOpen() && left > 0 ? 1 : 0;
        } else if (left > 0) {
          verdicts.add(verdict(candidate, Outcome.CHOSEN));
          left--;
        }
      }
      return choice(verdicts);
    }

    /** Chooses whole racks whose Nodes may all be removed, as long as they fit into the excess. */
    Choice racks() {
      List<Verdict> verdicts = new ArrayList<>();
      int left = excess;
      for (List<Candidate> rack : racked()) {
        if (rack.size() > left) {
          continue;
        }
        if (rack.stream().anyMatch(Candidate::stays)) {
          rack.stream().filter(Candidate::stays).map(this::kept).forEach(verdicts::add);
        } else {
          rack.forEach(each -> verdicts.add(verdict(each, Outcome.CHOSEN)));
          left -= rack.size();
        }
      }
      return choice(verdicts);
    }

    /** The candidates by rack, in the order in which racks leave. */
    List<List<Candidate>> racked() {
      return candidates.stream()
          .collect(
              Collectors.groupingBy(
                  candidate -> candidate.member().host().machine().rack(),
                  TreeMap::new,
                  Collectors.toList()))
          .values()
          .stream()
          .sorted(rackOrder())
          .toList();
    }

    /**
     * Racks with admitted Nodes first, then those with the fewest busy Nodes, then those with the
     * fewest booted machines.
     */
    private static Comparator<List<Candidate>> rackOrder() {
      return Comparator.comparing(
              (List<Candidate> rack) -> rack.stream().noneMatch(Candidate::chosenBefore))
          .thenComparingLong(rack -> rack.stream().filter(each -> each.member().isBusy()).count())
          .thenComparingInt(List::size);
    }

    private Verdict kept(Candidate candidate) {
      return verdict(
          candidate,
          candidate.member().passedOverUntil(now).isPresent()
              ? Outcome.PASSED_OVER
              : Outcome.WAITING);
    }

    private Verdict verdict(Candidate candidate, Outcome outcome) {
      return new Verdict(
          candidate.member(), candidate.rank(), outcome, candidate.place(), candidates.size());
    }

    private Choice choice(List<Verdict> verdicts) {
      Set<String> chosen =
          verdicts.stream()
              .filter(verdict -> verdict.outcome() == Outcome.CHOSEN)
              .map(verdict -> verdict.member().host().id().uid())
              .collect(Collectors.toSet());
      List<Member> kept =
          candidates.stream()
              .filter(candidate -> candidate.chosenBefore() && !candidate.stays())
              .filter(candidate -> !chosen.contains(candidate.uid()))
              .map(Candidate::member)
              .toList();
      int missing = Math.max(0, excess - chosen.size());
      // Verdicts on Nodes that stay are needed only while Nodes are missing.
      return new Choice(
          verdicts.stream()
              .filter(verdict -> missing > 0 || verdict.outcome() == Outcome.CHOSEN)
              .toList(),
          kept,
          missing);
    }
  }

  /**
   * The rank now, or the rank of the fault for which an idle Node was chosen, even if it has
   * passed: Nodes whose faults come and go are not chosen in turn (decision D232).
   */
  private static CandidateRank lastingRank(Member member) {
    CandidateRank rank = rank(member);
    return member.isBusy()
        ? rank
        : member.revocable().stream()
            .flatMap(active -> active.causes().stream())
            .flatMap(cause -> KnownCause.of(cause).chosenRank().stream())
            .filter(CandidateRank::isFault)
            .reduce(rank, BinaryOperator.minBy(Comparator.naturalOrder()));
  }

  /** Whether the Node may not leave now: it is busy and protected, or passed over. */
  public static boolean stays(PoolSnapshot seen, Member member, Instant now) {
    return (seen.pool().spec().keepsBusyNodes() && member.isBusy())
        || member.passedOverUntil(now).isPresent();
  }

  /** Whether the Node's reboot is requested or under way; its removal saves the reboot (D71). */
  private static boolean isOutOfService(Node node) {
    return node.isOutOfService() || RebootRequest.of(node).isPresent();
  }

  private static CandidateRank rank(Member member) {
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
    if (!member.isBusy() && isOutOfService(node)) {
      return CandidateRank.OUT_OF_SERVICE;
    }
    if (!node.ready()) {
      return CandidateRank.UNHEALTHY;
    }
    if (member.isBusy()) {
      return CandidateRank.ACTIVE;
    }
    boolean ownCordon =
        member.revocable().filter(active -> active.cordon() == Disruption.Cordon.OURS).isPresent();
    if (node.cordoned() && !ownCordon) {
      return CandidateRank.CORDONED;
    }
    if (node.isTainted(NodeTaints.AUTOSCALER_CANDIDATE)) {
      return CandidateRank.AUTOSCALER_CANDIDATE;
    }
    return member.workload().interruptible() > 0 ? CandidateRank.INTERRUPTIBLE : CandidateRank.IDLE;
  }
}
