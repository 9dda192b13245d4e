package io.nodepool.model.members;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members about whose machines alerts stand that ask for a repair, as the pool's plan counts
 * and chooses them: by alert, the strongest grade first. Immutable: a change returns another
 * instance in logarithmic time.
 *
 * @param standing on how many Nodes each alert stands
 * @param uncordoned those of which a repair may begin for which their Nodes are cordoned
 * @param cordoned those that are cordoned for a repair which is not carried out yet
 * @param components those of which a component may be repaired while they run
 * @param verifiable those whose machine may be verified without harm, by each alert that others
 *     report about it: those first that were not verified for longest
 * @param stale those of which no repair begins or goes on, since the signals of its alert are
 *     stale; among none of the others
 * @param passedOver those of which no repair begins until an instant, by that instant
 */
public record FaultyMembers(
    Standing standing,
    Uncordoned uncordoned,
    Cordoned cordoned,
    Components components,
    TreePMap<String, TreePSet<Verifiable>> verifiable,
    TreePMap<String, TreePSet<RepairPlace>> stale,
    TreePSet<MemberInstant> passedOver) {
  /** No member. */
  static final FaultyMembers NONE =
      new FaultyMembers(
          new Standing(TreePMap.empty(), TreePMap.empty()),
          new Uncordoned(TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty()),
          new Cordoned(TreePMap.empty(), TreePMap.empty()),
          new Components(TreePMap.empty(), TreePMap.empty(), TreePMap.empty()),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePSet.empty());

  /**
   * On how many Nodes of the pool each alert stands that asks for a repair.
   *
   * @param ofOthers those that others report, who may be wrong
   * @param own those that the operator itself observes
   */
  public record Standing(TreePMap<String, Integer> ofOthers, TreePMap<String, Integer> own) {
    private Standing replaced(Replacement<Member> member) {
      return new Standing(
          counted(ofOthers, member, NeededRepairs.Needed::isOfOthers),
          counted(own, member, each -> !each.isOfOthers()));
    }

    private static TreePMap<String, Integer> counted(
        TreePMap<String, Integer> last,
        Replacement<Member> member,
        Predicate<NeededRepairs.Needed> which) {
      TreePMap<String, Integer> counts = last;
      for (String alert : member.last().map(each -> on(each, which)).orElse(List.of())) {
        counts = Replacement.counted(counts, alert, -1);
      }
      for (String alert : member.next().map(each -> on(each, which)).orElse(List.of())) {
        counts = Replacement.counted(counts, alert, 1);
      }
      return counts;
    }

    private static List<String> on(Member member, Predicate<NeededRepairs.Needed> which) {
      return MachineRepair.isAsked(member)
          ? member.findings().needed().all().stream()
              .filter(which)
              .map(NeededRepairs.Needed::alert)
              .toList()
          : List.of();
    }

    private boolean isEmpty() {
      return ofOthers.isEmpty() && own.isEmpty();
    }
  }

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
    private Uncordoned replaced(Replacement<Member> member) {
      return new Uncordoned(
          member.inEach(available, each -> byAlert(beginning(each, Beginning.AVAILABLE))),
          member.inEach(outOfUse, each -> byAlert(beginning(each, Beginning.OUT_OF_USE))),
          member.inEach(ending, each -> byAlert(beginning(each, Beginning.ENDING))),
          member.inEach(byRack, FaultyMembers::inRack));
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
   * @param kept those whose repair may be carried out in a pool that protects work
   * @param all all of them, by the repair that comes next in another pool
   */
  public record Cordoned(
      TreePMap<String, TreePSet<RepairPlace>> kept, TreePMap<String, TreePSet<RepairPlace>> all) {
    private Cordoned replaced(Replacement<Member> member) {
      return new Cordoned(
          member.inEach(kept, each -> byAlert(next(each, true))),
          member.inEach(all, each -> byAlert(next(each, false))));
    }

    /** Those that this alert asks for. */
    public Stream<RepairPlace> of(String alert) {
      return Stream.of(kept, all).flatMap(places -> FaultyMembers.of(places, alert).stream());
    }

    /** Whether no member is cordoned for a repair. */
    public boolean isEmpty() {
      return all.isEmpty();
    }
  }

  /**
   * Members of which a component may be repaired, by alert.
   *
   * <p>Since when each was not repaired: the end of the last attempt, or the beginning of time.
   *
   * @param repairable those of which another attempt may be made
   * @param tried those of which so many attempts were made that another one may not help
   * @param asked those whose last attempt has not failed, though their alert stands, since when it
   *     was asked for
   */
  public record Components(
      TreePMap<String, TreePSet<NamedSince>> repairable,
      TreePMap<String, TreePSet<NamedSince>> tried,
      TreePMap<String, TreePSet<NamedSince>> asked) {
    private Components replaced(Replacement<Member> member) {
      return new Components(
          member.inEach(repairable, each -> ofComponent(each, false)),
          member.inEach(tried, each -> ofComponent(each, true)),
          member.inEach(asked, FaultyMembers::asked));
    }

    private boolean isEmpty() {
      return repairable.isEmpty() && tried.isEmpty();
    }
  }

  /**
   * A member whose machine may be verified.
   *
   * @param verifiedAt when it was last verified for an alert; the beginning of time if it was not
   * @param isAnswered whether it answered that
   * @param isAvailable whether tenants can use it until then
   */
  public record Verifiable(
      Instant verifiedAt, boolean isAnswered, boolean isAvailable, String name, String uid)
      implements Comparable<Verifiable> {
    private static final Comparator<Verifiable> ORDER =
        Comparator.comparing(Verifiable::verifiedAt)
            .thenComparing(Verifiable::isAvailable)
            .thenComparing(Verifiable::name)
            .thenComparing(Verifiable::uid);

    @Override
    public int compareTo(Verifiable other) {
      return ORDER.compare(this, other);
    }
  }

  /** With the next state of a member in place of the last one. */
  FaultyMembers replaced(Replacement<Member> member) {
    // Nearly all machines are well, and this is asked with each change of one.
    if (Stream.of(member.last(), member.next())
        .noneMatch(each -> each.filter(FaultyMembers::isFaulty).isPresent())) {
      return this;
    }
    return new FaultyMembers(
        standing.replaced(member),
        uncordoned.replaced(member),
        cordoned.replaced(member),
        components.replaced(member),
        member.inEach(verifiable, FaultyMembers::verifiableFor),
        member.inEach(stale, each -> byAlert(staleOf(each))),
        member.in(passedOver, FaultyMembers::passedOverUntil));
  }

  /** Whether an alert asks for a repair of it, or one is recorded. */
  private static boolean isFaulty(Member member) {
    return member.findings().needed().isAny() || !MachineRepair.admitted(member).isEmpty();
  }

  private static Map<String, RepairPlace> byAlert(Optional<RepairPlace> place) {
    return place.map(each -> Map.of(each.alert(), each)).orElse(Map.of());
  }

  private static Map<String, RepairPlace> inRack(Member member) {
    return beginning(member, Beginning.AVAILABLE)
        .map(place -> Map.of(member.host().machine().rack(), place))
        .orElse(Map.of());
  }

  private static Map<String, Verifiable> verifiableFor(Member member) {
    if (!MachineRepair.mayVerify(member)) {
      return Map.of();
    }
    Verifiable place =
        new Verifiable(
            member.host().alertVerification().map(BootRequest::at).orElse(Instant.MIN),
            member.host().alertVerified().isPresent(),
            member.node().filter(Node::isAvailable).isPresent(),
            member.host().id().name(),
            member.host().id().uid());
    return reported(member).collect(Collectors.toMap(alert -> alert, _ -> place));
  }

  private static Map<String, NamedSince> ofComponent(Member member, boolean tried) {
    return MachineRepair.ofComponent(member)
        .filter(needed -> tried == isTried(member, needed))
        .map(needed ->
            Map.of(
                needed.alert(),
                NamedSince.of(
                    MachineRepair.lastRepair(member.host(), needed).orElse(Instant.MIN),
                    member.host().id())))
        .orElse(Map.of());
  }

  private static Map<String, NamedSince> asked(Member member) {
    Host host = member.host();
    return member
        .findings()
        .needed()
        .component()
        .filter(NeededRepairs.Needed::stands)
        .flatMap(needed -> host.repair(needed.alert()))
        .filter(last -> host.isOfAssignment(last.at()))
        .filter(last ->
            last.answer(host.report().repairs())
                .filter(answer ->
                    !answer.succeeded() || last.attempt() >= ComponentRepair.MOST_ATTEMPTS)
                .isEmpty())
        .map(last -> Map.of(last.alert(), NamedSince.of(last.at(), host.id())))
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
        .filter(each -> each.isOfOthers() && each.stands())
        .map(NeededRepairs.Needed::alert);
  }

  private enum Beginning {
    AVAILABLE,
    OUT_OF_USE,
    ENDING,
    STALE
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
    return switch (needed.state()) {
      case ENDING -> Beginning.ENDING;
      case STALE -> Beginning.STALE;
      case STANDS -> member.isUnavailable() ? Beginning.OUT_OF_USE : Beginning.AVAILABLE;
    };
  }

  private static Optional<RepairPlace> next(Member member, boolean keepsWork) {
    return MachineRepair.next(member, keepsWork)
        .filter(repair -> !isStale(member, repair.alert()))
        .map(repair -> place(member, repair.alert(), repair.grade()));
  }

  /** The place of one that is cordoned for a stale alert, or would be. */
  private static Optional<RepairPlace> staleOf(Member member) {
    return MachineRepair.admitted(member).stream()
        .filter(repair -> isStale(member, repair.alert()))
        .map(repair -> place(member, repair.alert(), repair.grade()))
        .findFirst()
        .or(() -> beginning(member, Beginning.STALE));
  }

  private static boolean isStale(Member member, String alert) {
    return member
        .findings()
        .needed()
        .find(alert)
        .filter(each -> each.state() == StandingAlert.State.STALE)
        .isPresent();
  }

  private static RepairPlace place(Member member, String alert, Grade grade) {
    return new RepairPlace(
        !member.findings().needed().stands(alert),
        grade,
        member.isBusy(),
        alert,
        member.host().id().name(),
        member.host().id().uid());
  }

  private static Optional<MemberInstant> passedOverUntil(Member member) {
    return member
        .passedOver()
        .filter(_ -> MachineRepair.mayBegin(member))
        .map(until -> MemberInstant.of(until, member));
  }

  /** When the first one may begin of those that are passed over; empty without any. */
  public Optional<Instant> nextPassedOver() {
    return passedOver.stream().findFirst().map(MemberInstant::at);
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
        && stale.isEmpty()
        && passedOver.isEmpty();
  }

  /** The first ones of these, but for those with such alerts. */
  public static <P extends Comparable<P>> Stream<P> first(
      Map<String, TreePSet<P>> of, Predicate<String> without, int limit) {
    return of.entrySet().stream()
        .filter(each -> !without.test(each.getKey()))
        .flatMap(each -> each.getValue().stream().limit(limit))
        .sorted()
        .limit(limit);
  }

  /** How many of these there are, but for those with such alerts. */
  public static <P extends Comparable<P>> int count(
      Map<String, TreePSet<P>> of, Predicate<String> without) {
    return of.entrySet().stream()
        .filter(each -> !without.test(each.getKey()))
        .mapToInt(each -> each.getValue().size())
        .sum();
  }
}
