package io.nodepool.model.members;

import io.nodepool.fleet.ComponentRepair;
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
 * @param uncordoned those of which a repair may begin for which their Nodes are cordoned
 * @param cordoned those that are cordoned for a repair which is not carried out yet
 * @param components those of which a component may be repaired while they run
 * @param verifiable those whose machine may be verified without harm, by each alert that others
 *     report about it: those first that tenants cannot use anyway
 * @param passedOver those of which no repair begins until an instant, by that instant
 */
public record FaultyMembers(
    TreePMap<String, Integer> standing,
    Uncordoned uncordoned,
    Cordoned cordoned,
    Components components,
    TreePMap<String, TreePSet<Verifiable>> verifiable,
    TreePSet<MemberInstant> passedOver) {
  /** No member. */
  static final FaultyMembers NONE =
      new FaultyMembers(
          TreePMap.empty(),
          new Uncordoned(TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty()),
          new Cordoned(TreePMap.empty(), TreePMap.empty()),
          new Components(TreePMap.empty(), TreePMap.empty()),
          TreePMap.empty(),
          TreePSet.empty());

  /**
   * Members of which a repair may begin, by alert.
   *
   * @param available those that tenants can use
   * @param outOfUse those that tenants cannot use
   * @param ending those of which a repair could begin, had the signals of its alert not gone off
   * @param byRack those that are available, by the names of their racks
   */
  public record Uncordoned(
      TreePMap<String, TreePSet<RepairPlace>> available,
      TreePMap<String, TreePSet<RepairPlace>> outOfUse,
      TreePMap<String, TreePSet<RepairPlace>> ending,
      TreePMap<String, TreePSet<RepairPlace>> byRack) {
    private Uncordoned replaced(@Nullable Member last, @Nullable Member next) {
      return new Uncordoned(
          moved(available, last, next, member -> byAlert(beginning(member, Beginning.AVAILABLE))),
          moved(outOfUse, last, next, member -> byAlert(beginning(member, Beginning.OUT_OF_USE))),
          moved(ending, last, next, member -> byAlert(beginning(member, Beginning.ENDING))),
          moved(byRack, last, next, FaultyMembers::inRack));
    }

    /** All of them. */
    public Stream<TreePMap<String, TreePSet<RepairPlace>>> all() {
      return Stream.of(outOfUse, available, ending);
    }

    private boolean isEmpty() {
      return all().allMatch(Map::isEmpty);
    }
  }

  /**
   * Members that are cordoned for a repair, by alert.
   *
   * @param idle those whose repair may be carried out under any policy
   * @param busy those whose repair would end their work
   */
  public record Cordoned(
      TreePMap<String, TreePSet<RepairPlace>> idle, TreePMap<String, TreePSet<RepairPlace>> busy) {
    private Cordoned replaced(@Nullable Member last, @Nullable Member next) {
      return new Cordoned(
          moved(idle, last, next, member -> byAlert(admitted(member, false))),
          moved(busy, last, next, member -> byAlert(admitted(member, true))));
    }

    /** Those that this alert asks for. */
    public Stream<RepairPlace> of(String alert) {
      return Stream.concat(
          FaultyMembers.of(idle, alert).stream(), FaultyMembers.of(busy, alert).stream());
    }

    /** Whether no member is cordoned for a repair. */
    public boolean isEmpty() {
      return idle.isEmpty() && busy.isEmpty();
    }
  }

  /**
   * Members of which a component may be repaired, by alert.
   *
   * @param repairable those of which another attempt may be made
   * @param tried those of which so many attempts were made that another one may not help
   */
  public record Components(
      TreePMap<String, TreePSet<Repairable>> repairable,
      TreePMap<String, TreePSet<Repairable>> tried) {
    private Components replaced(@Nullable Member last, @Nullable Member next) {
      return new Components(
          moved(repairable, last, next, member -> ofComponent(member, false)),
          moved(tried, last, next, member -> ofComponent(member, true)));
    }

    private boolean isEmpty() {
      return repairable.isEmpty() && tried.isEmpty();
    }
  }

  /**
   * A member of which a component may be repaired: those first that have waited longest.
   *
   * @param repairedAt when the last attempt ended; the beginning of time if there was none
   */
  public record Repairable(Instant repairedAt, String name, String uid)
      implements Comparable<Repairable> {
    private static final Comparator<Repairable> ORDER =
        Comparator.comparing(Repairable::repairedAt)
            .thenComparing(Repairable::name)
            .thenComparing(Repairable::uid);

    @Override
    public int compareTo(Repairable other) {
      return ORDER.compare(this, other);
    }
  }

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
    // Nearly all machines are well, and this is asked with each change of one.
    if (isWell(last) && isWell(next)) {
      return this;
    }
    return new FaultyMembers(
        counted(counted(standing, last, -1), next, 1),
        uncordoned.replaced(last, next),
        cordoned.replaced(last, next),
        components.replaced(last, next),
        moved(verifiable, last, next, FaultyMembers::verifiable),
        IndexedSet.moved(passedOver, passedOver(last), passedOver(next)));
  }

  /** Whether no alert asks for a repair of it, and none is recorded. */
  private static boolean isWell(@Nullable Member member) {
    return member == null
        || (!member.findings().needed().isAny() && MachineRepair.admitted(member).isEmpty());
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

  private static Map<String, RepairPlace> inRack(Member member) {
    return beginning(member, Beginning.AVAILABLE)
        .map(place -> Map.of(member.host().machine().rack(), place))
        .orElse(Map.of());
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

  private static Map<String, Repairable> ofComponent(Member member, boolean tried) {
    return MachineRepair.ofComponent(member)
        .filter(needed -> tried == isTried(member, needed))
        .map(needed ->
            Map.of(
                needed.alert(),
                new Repairable(
                    MachineRepair.lastRepair(member.host(), needed).orElse(Instant.MIN),
                    member.host().id().name(),
                    member.host().id().uid())))
        .orElse(Map.of());
  }

  private static boolean isTried(Member member, NeededRepairs.Needed needed) {
    return member
        .host()
        .repair(needed.alert())
        .filter(last -> last.attempt() >= ComponentRepair.MOST_ATTEMPTS)
        .isPresent();
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
        .filter(repair -> MachineRepair.endsWork(member, repair) == busy)
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

  /** A member about which this alert stands; empty if there is none. */
  public Optional<RepairPlace> any(String alert) {
    return Stream.of(
            cordoned.idle(), uncordoned.available(), uncordoned.outOfUse(), cordoned.busy())
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
        && uncordoned.isEmpty()
        && cordoned.isEmpty()
        && components.isEmpty()
        && passedOver.isEmpty();
  }

  /** The first ones of these, but for those with these alerts. */
  public static <P extends Comparable<P>> Stream<P> first(
      Map<String, TreePSet<P>> of, Set<String> without, int limit) {
    return of.entrySet().stream()
        .filter(each -> !without.contains(each.getKey()))
        .flatMap(each -> each.getValue().stream().limit(limit))
        .sorted()
        .limit(limit);
  }

  /** How many of these there are, but for those with these alerts. */
  public static <P extends Comparable<P>> int count(
      Map<String, TreePSet<P>> of, Set<String> without) {
    return of.entrySet().stream()
        .filter(each -> !without.contains(each.getKey()))
        .mapToInt(each -> each.getValue().size())
        .sum();
  }
}
