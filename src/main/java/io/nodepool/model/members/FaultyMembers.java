package io.nodepool.model.members;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.StandingAlert;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pcollections.PMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members whose machines have active alerts that ask for a repair, as the pool's plan counts
 * and chooses them: by alert, the strongest grade first. Immutable: a change returns another
 * instance in logarithmic time.
 *
 * @param ofOthers the number of Nodes on which each alert of another source is active; such an
 *     alert may be wrong
 * @param own the number of Nodes on which each alert that the operator itself observes is active
 * @param groups members whose repair may begin, or has begun
 * @param byRack members of the group {@link Group#AVAILABLE}, by the names of their racks
 * @param components members with a component that may be repaired while they run
 * @param verifiable members whose machine may be verified without harm, by each alert of another
 *     source about it: the longest time without a verification first
 * @param passedOver members whose repair does not begin before an instant, by that instant
 */
public record FaultyMembers(
    PMap<String, Integer> ofOthers,
    PMap<String, Integer> own,
    TreePMap<Group, Places<RepairPlace>> groups,
    Places<RepairPlace> byRack,
    Components components,
    Places<Verifiable> verifiable,
    TreePSet<MemberInstant> passedOver) {
  /** No member. */
  static final FaultyMembers NONE =
      new FaultyMembers(
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          Places.none(),
          new Components(Places.none(), Places.none(), Places.none()),
          Places.none(),
          TreePSet.empty());

  /** The state of a repair for which the Node is cordoned. */
  public enum Group {
    /** It may begin, and tenants cannot use the Node anyway. */
    OUT_OF_USE,
    /** It may begin, and tenants can use the Node. */
    AVAILABLE,
    /** It does not begin, since the signals of its alert are off. */
    ENDING,
    /**
     * It neither begins nor goes on, since the signals of its alert are stale. Its member is in no
     * other group.
     */
    STALE,
    /** The Node is cordoned, and the repair that comes next is not carried out yet. */
    CORDONED,
    /** As CORDONED, in a pool that protects work. */
    CORDONED_KEEPING_WORK;

    private Map<String, RepairPlace> place(Member member) {
      Optional<RepairPlace> place =
          switch (this) {
            case OUT_OF_USE, AVAILABLE, ENDING -> beginning(member, this);
            case STALE -> stale(member).or(() -> beginning(member, this));
            case CORDONED -> next(member, false);
            case CORDONED_KEEPING_WORK -> next(member, true);
          };
      return place.map(each -> Map.of(each.alert(), each)).orElse(Map.of());
    }
  }

  /**
   * Members with a component that may be repaired, by alert.
   *
   * <p>Each is listed with the end of its last attempt, or the beginning of time.
   *
   * @param repairable members for which another attempt may be made
   * @param tried members for which the greatest number of attempts was made
   * @param asked members whose last attempt has not failed, though their alert is active, with the
   *     instant of the request
   */
  public record Components(
      Places<NamedSince> repairable, Places<NamedSince> tried, Places<NamedSince> asked) {
    private Components replaced(Replacement<Member> member) {
      return new Components(
          repairable.replaced(member, each -> ofComponent(each, false)),
          tried.replaced(member, each -> ofComponent(each, true)),
          asked.replaced(member, FaultyMembers::asked));
    }
  }

  /**
   * A member whose machine may be verified.
   *
   * @param verifiedAt when it was last verified for an alert; the beginning of time if it was not
   * @param isAnswered whether it answered that verification
   * @param isAvailable whether tenants can use it until its verification
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
    // Nearly all machines have no fault, and this runs with each change of a machine.
    if (Stream.of(member.last(), member.next())
        .noneMatch(each -> each.filter(FaultyMembers::isFaulty).isPresent())) {
      return this;
    }
    TreePMap<Group, Places<RepairPlace>> next = groups;
    for (Group group : Group.values()) {
      Places<RepairPlace> places = in(group).replaced(member, group::place);
      next = places.isEmpty() ? next.minus(group) : next.plus(group, places);
    }
    return new FaultyMembers(
        member.counted(ofOthers, each -> standing(each, NeededRepairs.Needed::isOfOthers)),
        member.counted(own, each -> standing(each, needed -> !needed.isOfOthers())),
        next,
        byRack.replaced(member, FaultyMembers::inRack),
        components.replaced(member),
        verifiable.replaced(member, FaultyMembers::verifiableFor),
        member.in(passedOver, FaultyMembers::passedOverUntil));
  }

  /** Whether an alert asks for a repair of it, or a repair is recorded. */
  private static boolean isFaulty(Member member) {
    return member.findings().needed().isAny() || !MachineRepair.admitted(member).isEmpty();
  }

  private static Stream<String> standing(Member member, Predicate<NeededRepairs.Needed> which) {
    return member.findings().needed().all().stream()
        .filter(_ -> MachineRepair.isAsked(member))
        .filter(which)
        .map(NeededRepairs.Needed::alert);
  }

  private static Map<String, RepairPlace> inRack(Member member) {
    return beginning(member, Group.AVAILABLE)
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
    return member.findings().needed().all().stream()
        .filter(each -> each.isOfOthers() && each.stands())
        .collect(Collectors.toMap(NeededRepairs.Needed::alert, _ -> place));
  }

  private static Map<String, NamedSince> ofComponent(Member member, boolean tried) {
    Host host = member.host();
    return MachineRepair.ofComponent(member)
        .filter(needed -> tried == isTried(host, needed))
        .map(needed ->
            Map.of(
                needed.alert(),
                NamedSince.of(
                    MachineRepair.lastRepair(host, needed).orElse(Instant.MIN), host.id())))
        .orElse(Map.of());
  }

  private static boolean isTried(Host host, NeededRepairs.Needed needed) {
    return host.repair(needed.alert())
        .filter(last -> last.attempt() >= ComponentRepair.MOST_ATTEMPTS)
        .isPresent();
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

  /** The place of a member whose repair may begin, if it is in this group. */
  private static Optional<RepairPlace> beginning(Member member, Group group) {
    return MachineRepair.mayBegin(member) && member.passedOver().isEmpty()
        ? member
            .findings()
            .needed()
            .first()
            .filter(needed -> group(needed, member) == group)
            .map(needed -> RepairPlace.of(member, needed.alert(), needed.grade()))
        : Optional.empty();
  }

  private static Group group(NeededRepairs.Needed needed, Member member) {
    return switch (needed.state()) {
      case ENDING -> Group.ENDING;
      case STALE -> Group.STALE;
      case STANDS -> member.isUnavailable() ? Group.OUT_OF_USE : Group.AVAILABLE;
    };
  }

  private static Optional<RepairPlace> next(Member member, boolean keepsWork) {
    return MachineRepair.next(member, keepsWork)
        .filter(repair -> !isStale(member, repair.alert()))
        .map(repair -> RepairPlace.of(member, repair.alert(), repair.grade()));
  }

  /** The place of a member that is cordoned for a stale alert. */
  private static Optional<RepairPlace> stale(Member member) {
    return MachineRepair.admitted(member).stream()
        .filter(repair -> isStale(member, repair.alert()))
        .map(repair -> RepairPlace.of(member, repair.alert(), repair.grade()))
        .findFirst();
  }

  private static boolean isStale(Member member, String alert) {
    return member
        .findings()
        .needed()
        .find(alert)
        .filter(each -> each.state() == StandingAlert.State.STALE)
        .isPresent();
  }

  private static Optional<MemberInstant> passedOverUntil(Member member) {
    return member
        .passedOver()
        .filter(_ -> MachineRepair.mayBegin(member))
        .map(until -> MemberInstant.of(until, member));
  }

  /** The members of a group, by alert. */
  public Places<RepairPlace> in(Group group) {
    return groups.getOrDefault(group, Places.none());
  }

  /** Members whose Nodes are not cordoned for the repair that they need. */
  public Stream<Places<RepairPlace>> uncordoned() {
    return Stream.of(Group.OUT_OF_USE, Group.AVAILABLE, Group.ENDING).map(this::in);
  }

  /** The cordoned members whose next repair is for this alert. */
  public Stream<RepairPlace> cordonedFor(String alert) {
    return Stream.of(Group.CORDONED_KEEPING_WORK, Group.CORDONED)
        .flatMap(group -> in(group).of(alert).stream());
  }

  /** When the first repair that is passed over may begin; empty if there is none. */
  public Optional<Instant> nextPassedOver() {
    return passedOver.stream().findFirst().map(MemberInstant::at);
  }

  /** Whether no repair begins, waits or may be carried out. */
  public boolean isEmpty() {
    return ofOthers.isEmpty()
        && own.isEmpty()
        && groups.isEmpty()
        && components.repairable().isEmpty()
        && components.tried().isEmpty()
        && passedOver.isEmpty();
  }
}
