package io.nodepool.model.members;

import io.nodepool.health.NeededRepairs;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members about whose machines alerts stand that ask for a repair, as the pool's plan counts
 * and chooses them: by alert, the strongest grade first. Immutable: a change returns another
 * instance in logarithmic time.
 *
 * @param standing on how many Nodes that are Ready each alert stands that others report
 * @param available those of which a repair may begin, and that tenants can use
 * @param outOfUse those of which a repair may begin, and that tenants cannot use
 * @param ending those of which a repair could begin, had the signals of its alert not gone off
 * @param idle those that are cordoned for a repair which may be carried out under any policy
 * @param busy those that are cordoned for a repair which would end their work
 * @param verifiable those whose machine may be verified without harm, by each alert that others
 *     report about it: those first that tenants cannot use anyway
 * @param passedOver those of which no repair begins until an instant, by that instant
 */
public record FaultyMembers(
    TreePMap<String, Integer> standing,
    TreePMap<String, TreePSet<RepairPlace>> available,
    TreePMap<String, TreePSet<RepairPlace>> outOfUse,
    TreePMap<String, TreePSet<RepairPlace>> ending,
    TreePMap<String, TreePSet<RepairPlace>> idle,
    TreePMap<String, TreePSet<RepairPlace>> busy,
    TreePMap<String, TreePSet<Verifiable>> verifiable,
    TreePSet<MemberInstant> passedOver) {
  /** No member. */
  static final FaultyMembers NONE =
      new FaultyMembers(
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePSet.empty());

  /**
   * A member whose machine may be verified.
   *
   * @param isAvailable whether tenants can use it until then
   */
  public record Verifiable(boolean isAvailable, String name, String uid)
      implements Comparable<Verifiable> {
    private static final Comparator<Verifiable> ORDER =
        Comparator.comparing(Verifiable::isAvailable)
            .thenComparing(Verifiable::name)
            .thenComparing(Verifiable::uid);

    @Override
    public int compareTo(Verifiable other) {
      return ORDER.compare(this, other);
    }
  }

  /** With {@code next} in place of {@code last}; null stands for none. */
  FaultyMembers replaced(@Nullable Member last, @Nullable Member next) {
    return new FaultyMembers(
        counted(counted(standing, last, -1), next, 1),
        moved(available, last, next, member -> beginning(member, Beginning.AVAILABLE)),
        moved(outOfUse, last, next, member -> beginning(member, Beginning.OUT_OF_USE)),
        moved(ending, last, next, member -> beginning(member, Beginning.ENDING)),
        moved(idle, last, next, member -> admitted(member, false)),
        moved(busy, last, next, member -> admitted(member, true)),
        verifiable(last, next),
        IndexedSet.moved(passedOver, passedOver(last), passedOver(next)));
  }

  private static TreePMap<String, Integer> counted(
      TreePMap<String, Integer> counts, @Nullable Member member, int more) {
    if (member == null || !MachineRepair.isAsked(member) || !member.node().orElseThrow().ready()) {
      return counts;
    }
    TreePMap<String, Integer> next = counts;
    for (NeededRepairs.Needed each : member.findings().needed().all()) {
      next = each.isOfOthers() ? IndexedSet.counted(next, each.alert(), more) : next;
    }
    return next;
  }

  private static TreePMap<String, TreePSet<RepairPlace>> moved(
      TreePMap<String, TreePSet<RepairPlace>> places,
      @Nullable Member last,
      @Nullable Member next,
      Function<Member, Optional<RepairPlace>> place) {
    RepairPlace before = last == null ? null : place.apply(last).orElse(null);
    RepairPlace after = next == null ? null : place.apply(next).orElse(null);
    if (before != null && before.equals(after)) {
      return places;
    }
    TreePMap<String, TreePSet<RepairPlace>> rest =
        before == null ? places : IndexedSet.moved(places, before.alert(), before, null);
    return after == null ? rest : IndexedSet.moved(rest, after.alert(), null, after);
  }

  private TreePMap<String, TreePSet<Verifiable>> verifiable(
      @Nullable Member last, @Nullable Member next) {
    Map<String, Verifiable> before = verifiable(last);
    Map<String, Verifiable> after = verifiable(next);
    TreePMap<String, TreePSet<Verifiable>> places = verifiable;
    if (!before.equals(after)) {
      for (Map.Entry<String, Verifiable> each : before.entrySet()) {
        places = IndexedSet.moved(places, each.getKey(), each.getValue(), null);
      }
      for (Map.Entry<String, Verifiable> each : after.entrySet()) {
        places = IndexedSet.moved(places, each.getKey(), null, each.getValue());
      }
    }
    return places;
  }

  private static Map<String, Verifiable> verifiable(@Nullable Member member) {
    Map<String, Verifiable> by = new TreeMap<>();
    if (member != null && MachineRepair.mayVerify(member)) {
      Verifiable place =
          new Verifiable(
              member.node().filter(Node::isAvailable).isPresent(),
              member.host().id().name(),
              member.host().id().uid());
      reported(member).forEach(alert -> by.put(alert, place));
    }
    return by;
  }

  /** The alerts that others report, which stand about a machine and ask for a repair. */
  private static Stream<String> reported(Member member) {
    return member.findings().needed().all().stream()
        .filter(each -> each.isOfOthers() && !each.ending())
        .map(NeededRepairs.Needed::alert);
  }

  private enum Beginning {
    AVAILABLE,
    OUT_OF_USE,
    ENDING
  }

  private static Optional<RepairPlace> beginning(Member member, Beginning as) {
    return MachineRepair.mayBegin(member) && member.passedOver().isEmpty()
        ? member
            .findings()
            .needed()
            .first()
            .filter(needed -> of(needed, member) == as)
            .map(needed -> place(member, needed.alert(), needed.grade()))
        : Optional.empty();
  }

  private static Beginning of(NeededRepairs.Needed needed, Member member) {
    return needed.ending()
        ? Beginning.ENDING
        : member.isUnavailable() ? Beginning.OUT_OF_USE : Beginning.AVAILABLE;
  }

  private static Optional<RepairPlace> admitted(Member member, boolean busy) {
    return MachineRepair.admitted(member)
        .filter(repair -> (member.isBusy() && !repair.endsProtectedWork()) == busy)
        .map(repair -> place(member, repair.alert(), repair.grade()));
  }

  private static RepairPlace place(Member member, String alert, Grade grade) {
    boolean ending =
        member.findings().needed().find(alert).filter(each -> !each.ending()).isEmpty();
    return new RepairPlace(
        ending, grade, alert, member.host().id().name(), member.host().id().uid());
  }

  private static @Nullable MemberInstant passedOver(@Nullable Member member) {
    return member == null || !MachineRepair.mayBegin(member)
        ? null
        : member
            .passedOver()
            .map(until -> new MemberInstant(until, member.host().id().uid()))
            .orElse(null);
  }

  /** When the first one may begin of those that are passed over; empty without any. */
  public Optional<Instant> nextPassedOver() {
    return passedOver.stream().findFirst().map(MemberInstant::at);
  }

  /** Those that are cordoned for a repair which this alert asks for. */
  public Stream<RepairPlace> cordonedFor(String alert) {
    return Stream.of(idle, busy)
        .flatMap(places -> places.getOrDefault(alert, TreePSet.empty()).stream());
  }

  /** Whether no repair begins, waits or may be carried out. */
  public boolean isEmpty() {
    return standing.isEmpty()
        && available.isEmpty()
        && outOfUse.isEmpty()
        && ending.isEmpty()
        && idle.isEmpty()
        && busy.isEmpty()
        && passedOver.isEmpty();
  }

  /** The first ones of these, but for those with these alerts. */
  public static Stream<RepairPlace> first(
      Map<String, TreePSet<RepairPlace>> of, Set<String> without, int limit) {
    return of.entrySet().stream()
        .filter(each -> !without.contains(each.getKey()))
        .flatMap(each -> each.getValue().stream().limit(limit))
        .sorted()
        .limit(limit);
  }

  /** How many of these there are. */
  public static int count(Map<String, TreePSet<RepairPlace>> of) {
    return of.values().stream().mapToInt(TreePSet::size).sum();
  }

  /** How many of these have one of these alerts. */
  public static int count(Map<String, TreePSet<RepairPlace>> of, Set<String> with) {
    return with.stream().map(of::get).filter(each -> each != null).mapToInt(TreePSet::size).sum();
  }
}
