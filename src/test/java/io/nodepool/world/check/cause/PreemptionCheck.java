package io.nodepool.world.check.cause;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Reclaim;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Moment;
import io.nodepool.world.check.truth.Wording;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Fleets reclaim the machines of spot Nodes. */
final class PreemptionCheck implements CauseCheck {
  private static final PlanSettings.PreemptionSettings TIMELINE =
      PlanSettings.DEFAULTS.preemption();

  private static final Map<EventReason, List<Wording>> EVENTS =
      Map.of(
          EventReason.PREEMPTION_PENDING,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} will be preempted: its machine is reclaimed. No new Pods are scheduled to it.",
                  (_, moment) -> isOfReclaimed(moment))),
          EventReason.PREEMPTION_IN_PROGRESS,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} is being preempted: its Pods are evicted.",
                  (_, moment) -> isOfReclaimed(moment))),
          EventReason.DELETED_FOR_PREEMPTION,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} is preempted and deleted.[ {pods#Pod} cut off.]",
                  PreemptionCheck::cutsOff)));

  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "it is preempted, because its fleet reclaims the machine", PreemptionCheck::isReclaimed);
  }

  private static boolean isReclaimed(Moment moment) {
    return moment.host(host -> host.reclaim().isPresent());
  }

  @Override
  public Map<String, BiPredicate<TextForm.Statement, Moment>> keeps() {
    return Map.of(
        "its fleet withdraws that before {drain}, when its drain begins; its machine stops at {stop} at the latest",
        (read, moment) ->
            moment.host(host ->
                host.preemption()
                    .filter(notice ->
                        read.word("drain").equals(Messages.instant(drain(notice)))
                            && read.word("stop").equals(Messages.instant(stop(notice))))
                    .isPresent()));
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its fleet withdrew the notice of preemption",
        (_, moment) -> moment.host(host -> host.reclaim().isEmpty()));
  }

  @Override
  public Map<EventReason, List<Wording>> events() {
    return EVENTS;
  }

  private static void isOfReclaimed(Moment moment) {
    moment.require(STATE, isReclaimed(moment), "its machine is reclaimed");
  }

  private static void cutsOff(TextForm.Statement read, Moment moment) {
    int cutOff = read.has("pods") ? read.number("pods") : 0;
    moment.require(
        COUNT, moment.work().watchedPods(moment.name()).has(cutOff), "so many Pods are cut off");
  }

  @Override
  public boolean demands(LeavingNode leaving) {
    return consents(leaving).findAny().isPresent();
  }

  @Override
  public Stream<Consent> consents(LeavingNode leaving) {
    return notices(leaving)
        .filter(notice -> isWarned(notice, leaving.chronicle().now()))
        .map(PreemptionCheck::consent);
  }

  @Override
  public Stream<Consent> announced(LeavingNode leaving) {
    return notices(leaving).map(PreemptionCheck::consent);
  }

  /** The notices that stood. */
  private static Stream<Reclaim> notices(LeavingNode leaving) {
    return leaving.hosts().filter(leaving.node()::isOf).flatMap(host -> host.preemption().stream());
  }

  private static Instant stop(Reclaim notice) {
    Instant longest = notice.announcedAt().plus(TIMELINE.window());
    return notice.reclaimAt().isBefore(longest) ? notice.reclaimAt() : longest;
  }

  private static Instant drain(Reclaim notice) {
    Instant warned = notice.announcedAt().plus(TIMELINE.warning());
    Instant force = stop(notice).minus(TIMELINE.forced());
    return warned.isBefore(force) ? warned : force;
  }

  private static Consent consent(Reclaim notice) {
    Instant force = stop(notice).minus(TIMELINE.forced());
    Duration given = Consent.shortest(Duration.between(notice.announcedAt(), force));
    return new Consent(Consent.Term.LASTS, notice.announcedAt().plus(given));
  }

  /** Whether the warning is over; a fleet that gives less time shortens it. */
  private static boolean isWarned(Reclaim notice, Instant now) {
    Duration given = Duration.between(notice.announcedAt(), stop(notice).minus(TIMELINE.forced()));
    Duration warning = given.compareTo(TIMELINE.warning()) < 0 ? given : TIMELINE.warning();
    return !now.isBefore(notice.announcedAt().plus(Consent.shortest(warning)));
  }
}
