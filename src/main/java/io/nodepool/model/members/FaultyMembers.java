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
import java.util.function.Function;
import java.util.stream.Collectors;
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
        moved(available, last, next, member -> byAlert(beginning(member, Beginning.AVAILABLE))),
        moved(outOfUse, last, next, member -> byAlert(beginning(member, Beginning.OUT_OF_USE))),
        moved(ending, last, next, member -> byAlert(beginning(member, Beginning.ENDING))),
        moved(idle, last, next, member -> byAlert(admitted(member, false))),
        moved(busy, last, next, member -> byAlert(admitted(member, true))),
        moved(verifiable, last, next, FaultyMembers::verifiable),
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

  /** The places with those of a member moved, of which there is one for each of some alerts. */
  private static <P extends Comparable<P>> TreePMap<String, TreePSet<P>> moved(
      TreePMap<String, TreePSet<P>> places,
      @Nullable Member last,
      @Nullable Member next,
      Function<Member, Map<String, P>> placesOf) {
    Map<String, P> before = last == null ? Map.of() : placesOf.apply(last);
    Map<String, P> after = next == null ? Map.of() : placesOf.apply(next);
    TreePMap<String, TreePSet<P>> moved = places;
    if (!before.equals(after)) {
      for (Map.Entry<String, P> each : before.entrySet()) {
        moved = IndexedSet.moved(moved, each.getKey(), each.getValue(), null);
      }
      for (Map.Entry<String, P> each : after.entrySet()) {
        moved = IndexedSet.moved(moved, each.getKey(), null, each.getValue());
      }
    }
    return moved;
  }

  private static Map<String, RepairPlace> byAlert(Optional<RepairPlace> place) {
    return place.map(each -> Map.of(each.alert(), each)).orElse(Map.of());
  }

  private static Map<String, Verifiable> verifiable(Member member) {
    if (!MachineRepair.mayVerify(member)) {
      return Map.of();
    }
    Verifiable place =
        new Verifiable(
            member.node().filter(Node::isAvailable).isPresent(),
            member.host().id().name(),
            member.host().id().uid());
    return reported(member).collect(Collectors.toMap(alert -> alert, _ -> place));
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
    return new RepairPlace(
        !member.findings().needed().stands(alert),
        grade,
        alert,
        member.host().id().name(),
        member.host().id().uid());
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
    return Stream.concat(of(idle, alert).stream(), of(busy, alert).stream());
  }

  /** A member about which this alert stands; empty if there is none. */
  public Optional<RepairPlace> any(String alert) {
    return Stream.of(idle, available, outOfUse, busy)
        .flatMap(places -> of(places, alert).stream())
        .findFirst();
  }

  /** Those of these with this alert. */
  public static <P extends Comparable<P>> TreePSet<P> of(
      Map<String, TreePSet<P>> places, String alert) {
    return places.getOrDefault(alert, TreePSet.empty());
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

  /** How many of these there are, but for those with these alerts. */
  public static int count(Map<String, TreePSet<RepairPlace>> of, Set<String> without) {
    return of.entrySet().stream()
        .filter(each -> !without.contains(each.getKey()))
        .mapToInt(each -> each.getValue().size())
        .sum();
  }
}
