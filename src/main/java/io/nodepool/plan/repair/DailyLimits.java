package io.nodepool.plan.repair;

import io.nodepool.fleet.PastRepair;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.RolloutSettings.Limit;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.TypeHosts;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The limits of what is done within 24 hours to repair machines of a pool (decision D33). They are
 * counted from the Hosts, also from those that the pool no longer holds, so a restart forgets
 * nothing.
 */
final class DailyLimits {
  /** An alert that is active on more Nodes is in doubt. */
  static final Limit SHARE = new Limit(4, 20);

  /** On how many Nodes work may end for one alert without a failed verification. */
  private static final Limit ENDED_FOR_ALERT = new Limit(1, 2);

  /**
   * As {@link #ENDED_FOR_ALERT}, if the fleet does not verify or boots ended the alert; also for
   * all alerts together.
   */
  private static final Limit ENDED = new Limit(3, 10);

  /** How many Hosts of a pool may be set aside without a failed verification. */
  private static final Limit SET_ASIDE = new Limit(3, 10);

  /** How many Hosts of a type in a zone may be set aside without a failed verification. */
  private static final Limit SET_ASIDE_OF_TYPE = new Limit(4, 5);

  /** How long until repairs that other pools carry out are counted again. */
  private static final Duration LOOK = Duration.ofMinutes(1);

  /** The factor by which these limits grow with a failed verification. */
  private static final int PROVED = 3;

  private final PoolSnapshot seen;
  private final Instant now;
  private final int speed;
  private final Instant since;

  /**
   * On how many Nodes work ended without a failed verification, by alert, without {@link #helped}.
   */
  private final SortedMap<String, Integer> ended = new TreeMap<>();

  /** On how many Nodes work ended and a boot ended the alert, by alert. */
  private final SortedMap<String, Integer> helped = new TreeMap<>();

  private final SortedMap<String, Integer> takenOut = new TreeMap<>();

  /** On how many Nodes work ended and the alert is still active, by alert. */
  private final SortedMap<String, Integer> begun = new TreeMap<>();

  private int endedInAll;
  private boolean hasProbedBusy;
  private int setAside;
  private int setAsideProved;
  private final Set<String> racksOut = new TreeSet<>();

  /** When the answer about a type may change. */
  private final List<Instant> mayChangeAt = new ArrayList<>();

  DailyLimits(PoolSnapshot seen, Instant now, int speed) {
    this.seen = seen;
    this.now = now;
    this.speed = speed;
    Instant window = now.minus(scaled(PastRepair.WINDOW));
    this.since =
        seen.pool().spec().repair().limits().released(now).filter(window::isBefore).orElse(window);
    seen.holding().past().byHost().forEach(this::count);
  }

  /** The value of a limit for these members of a pool. */
  static int most(Limit limit, Members members) {
    return limit.of(members.count(Members.Trait.CURRENT));
  }

  Duration scaled(Duration time) {
    return time.dividedBy(speed);
  }

  private void count(String hostUid, List<PastRepair> all) {
    Optional<Member> member = seen.members().find(hostUid);
    List<PastRepair> counted = all.stream().filter(this::counts).toList();
    counted.stream().filter(PastRepair::out).reduce((_, next) -> next).ifPresent(this::countOut);
    // A Node that has not left yet counts among the Nodes on which the alert is active.
    alerts(counted, each -> each.out() && !each.proved())
        .filter(alert -> !isAsked(alert, member))
        .forEach(alert -> takenOut.merge(alert, 1, Integer::sum));
    alerts(counted, PastRepair::endedWork)
        .filter(alert -> isAsked(alert, member))
        .forEach(alert -> begun.merge(alert, 1, Integer::sum));
    SortedMap<String, Boolean> endedFor = new TreeMap<>();
    for (PastRepair each : counted) {
      if (each.endedWork() && each.rack().isEmpty() && !isProved(each, all, member)) {
        endedFor.merge(each.alert(), isHelped(each, all, member), Boolean::logicalAnd);
        hasProbedBusy |= each.probe();
      }
    }
    endedFor.forEach(
        (alert, isHelped) -> (isHelped ? helped : ended).merge(alert, 1, Integer::sum));
    endedInAll += endedFor.isEmpty() ? 0 : 1;
  }

  private static Stream<String> alerts(List<PastRepair> all, Predicate<PastRepair> which) {
    return all.stream().filter(which).map(PastRepair::alert).distinct();
  }

  /** Whether the member exists, and this alert asks for a repair of its machine. */
  private static boolean isAsked(String alert, Optional<Member> member) {
    return member.flatMap(each -> each.findings().needed().find(alert)).isPresent();
  }

  private void countOut(PastRepair last) {
    if (!last.rack().isEmpty()) {
      racksOut.add(last.rack());
    } else if (last.proved()) {
      setAsideProved++;
    } else {
      setAside++;
    }
  }

  private boolean counts(PastRepair each) {
    // Times on Hosts have milliseconds.
    return !each.at().isBefore(since.truncatedTo(ChronoUnit.MILLIS));
  }

  /** Whether the machine failed a verification since; one for a repaired fault does not count. */
  private static boolean isProved(PastRepair one, List<PastRepair> all, Optional<Member> member) {
    return all.stream()
            .filter(each -> each.proved() && each.alert().equals(one.alert()))
            .anyMatch(each -> !each.at().isBefore(one.at()))
        || member.filter(each -> each.host().isProvedFaulty(one.alert())).isPresent();
  }

  /** Whether the machine was booted, and its alert has stayed off since. */
  private boolean isHelped(PastRepair one, List<PastRepair> all, Optional<Member> member) {
    return all.stream().noneMatch(PastRepair::out)
        && member
            .filter(each -> each.findings().needed().find(one.alert()).isEmpty())
            .filter(each ->
                each.host()
                    .boot()
                    .filter(boot -> boot.isRepair() && !boot.at().isBefore(one.at()))
                    .isPresent())
            .flatMap(Member::backAt)
            .filter(at -> !at.plus(scaled(RepairAttempts.REST)).isAfter(now))
            .isPresent();
  }

  /**
   * Whether the fleet verifies machines. Also true while its offer cannot be read: then nothing
   * begins.
   */
  boolean isVerifying() {
    return seen.offer().known().map(offer -> offer.capabilities().verifies()).orElse(true);
  }

  /**
   * Whether one more repair for this alert would end the work of too many Nodes without a proof.
   */
  boolean isDoubtedByCount(String alert) {
    int unhelped = ended.getOrDefault(alert, 0);
    int all = unhelped + helped.getOrDefault(alert, 0);
    return (isVerifying() && unhelped >= most(ENDED_FOR_ALERT, seen.members()))
        || all >= most(ENDED, seen.members());
  }

  /** On how many Nodes work was ended for this alert, and the alert is active. */
  int begun(String alert) {
    return begun.getOrDefault(alert, 0);
  }

  /** How many Hosts were set aside for this alert without a proof. */
  int takenOut(String alert) {
    return takenOut.getOrDefault(alert, 0);
  }

  /** Whether a person released an alert, so that it is not in doubt for a while. */
  boolean isReleased(String alert) {
    return seen.pool().spec().repair().suspects().isReleased(alert, now);
  }

  /** Whether work on one more Node may be ended for any alert without a proof. */
  boolean mayEndWork() {
    return endedInAll < most(ENDED, seen.members());
  }

  /**
   * Whether work on one more Node may be ended for this alert without a proof. A genuine alert is
   * no longer doubted by count; it may end the work of one more Node, as a probe may.
   */
  boolean mayEndWorkFor(String alert) {
    return isReleased(alert)
        || (mayEndWork()
            && (!isVerifying()
                || ended.getOrDefault(alert, 0) <= most(ENDED_FOR_ALERT, seen.members())));
  }

  /** When a repair or a verdict of that time no longer counts. */
  Instant until(Instant at) {
    return at.equals(Instant.MIN) ? at : at.plus(scaled(PastRepair.WINDOW));
  }

  /** Whether a Node with work may be verified to learn whether an alert is true. */
  boolean mayProbeBusy(String alert) {
    return !hasProbedBusy && mayEndWorkFor(alert);
  }

  /** Why no other machine is taken out of service; empty if one may be. */
  Optional<Why> outHeld(Member member, boolean proved) {
    int factor = proved ? PROVED : 1;
    int mostOfPool = SET_ASIDE.of(seen.pool().spec().target()) * factor;
    int ofPool = proved ? setAsideProved : setAside;
    if (ofPool >= mostOfPool) {
      return Optional.of(
          held(
              "Hosts of the NodePool set aside for alerts within 24 hours%s: %d of at most %d."
                  .formatted(proofText(proved), ofPool, mostOfPool)));
    }
    TypeHosts.ZoneHosts zone =
        seen.availability().ofType().in(member.host().machine().location().zone());
    int mostOfType = SET_ASIDE_OF_TYPE.of(zone.hosts()) * factor;
    long done =
        zone.outs().entrySet().stream()
            .flatMap(host ->
                host.getValue().stream()
                    .filter(each -> counts(each) && each.proved() == proved)
                    .map(each -> each.rack().isEmpty() ? host.getKey() : "rack " + each.rack()))
            .distinct()
            .count();
    long ofType = done + seen.availability().inFlightElsewhere().all();
    if (done < mostOfType && ofType >= mostOfType) {
      // This pool is not notified when repairs of other pools end.
      mayChangeAt.add(now.plus(scaled(LOOK)));
    }
    zone.outs().values().stream()
        .flatMap(Collection::stream)
        .filter(this::counts)
        .map(each -> until(each.at()))
        .min(Instant::compareTo)
        .ifPresent(mayChangeAt::add);
    return ofType < mostOfType
        ? Optional.empty()
        : Optional.of(
            held(
                "Hosts of type %s in zone %s set aside for alerts within 24 hours%s, or being repaired in other NodePools: %d of at most %d."
                    .formatted(
                        member.host().machine().instanceType(),
                        member.host().machine().location().zone(),
                        proofText(proved),
                        ofType,
                        mostOfType)));
  }

  /** Whether the machines of another rack may be repaired together, if that takes them out. */
  boolean mayRepairRack(boolean takesOut) {
    return !takesOut || racksOut.size() < Math.max(1, seen.members().byRack().current() / 10);
  }

  private static String proofText(boolean proved) {
    return proved ? "" : " without a failed verification";
  }

  private Why held(String text) {
    return Why.held(
        RepairsHeldReason.TOO_MANY_SET_ASIDE,
        text
            + " No other one is until that is longer ago, or a person releases it."
            + ignoredRelease());
  }

  /** Why the annotation that releases these limits is ignored; empty text if it is not. */
  String ignoredRelease() {
    return seen.pool().spec().repair().limits().ignoredRelease(now).map(" "::concat).orElse("");
  }

  /** When an answer may change; empty if nothing is counted. */
  Optional<Instant> changesAt() {
    return Stream.concat(
            mayChangeAt.stream(),
            seen.holding().past().byHost().values().stream()
                .flatMap(Collection::stream)
                .filter(this::counts)
                .map(each -> until(each.at())))
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }
}
