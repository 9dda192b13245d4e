package io.nodepool.plan.node;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.admission.NodeDemands;
import io.nodepool.plan.disruption.cause.AlertVerificationCause;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.KnownCause.TakenBack;
import io.nodepool.plan.disruption.cause.NoMachineCause;
import io.nodepool.plan.disruption.cause.RebootConsent;
import io.nodepool.plan.disruption.cause.RebootFailedCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides the next change of the record of a Node's disruption: a pure function of the record, the
 * demands, the facts about the Node and the permissions. At each stage causes join, or withdraw
 * while they may. A disruption is committed after the settle time of the cordon, when a live list
 * of the Node's Pods shows that it may be disrupted. The API server accepts a binding to a cordoned
 * Node, so nothing less shows that the Node is idle. A committed disruption only gets earlier
 * limits, or is raised from a reboot to leave.
 */
final class NodeDisruption {
  /**
   * A Node that a person uncordoned is passed over this many times longer than a Node that got
   * tenant work (decision D69).
   */
  private static final int UNCORDONED_FACTOR = 5;

  private static final String GOT_WORK = "it got tenant work";

  private final DisruptedNode subject;
  private final Node node;
  private final NodeDemands demands;
  private final NodeRecord record;
  private final Instant now;
  private final PlanSettings settings;

  NodeDisruption(DisruptedNode subject) {
    this.subject = subject;
    this.node = subject.node();
    this.demands = subject.demands();
    this.record = subject.record();
    this.now = subject.now();
    this.settings = subject.settings();
  }

  /** Admits what the machine's plan demands by itself; empty if it demands nothing now. */
  Optional<PlannedAction> admit() {
    List<Disruption.Cause> admitted =
        demands.own().stream()
            .filter(cause -> demands.isAdmitted(cause) && mayAdmit(cause))
            .toList();
    return admitted.isEmpty() ? Optional.empty() : Optional.of(record.admit(admitted));
  }

  /**
   * Whether the Node may be cordoned for this cause now. A cause that ends when the Node is busy
   * begins when the Node is idle by its Pods and its CWActive, and not again at once after tenant
   * work or a person kept the Node. Another repair of a Node that is cordoned for a repair joins
   * it, and waits for its own permission.
   */
  private boolean mayAdmit(Disruption.Cause cause) {
    return cause.leaves()
        || cause.what().isRepair()
        || (demands.isAdmitted(cause)
            && node.passedOverUntil(now).isEmpty()
            && !(demands.endsWhenBusy(cause) && (subject.isBusy() || node.isReportedActive())));
  }

  /** The next change of the record of a disruption under way. */
  RecordChange next(Disruption.Active recorded) {
    return joinOrWithdraw(recorded)
        .orElseGet(() ->
            switch (recorded) {
              case Disruption.Admitted admitted -> followAdmitted(admitted);
              case Disruption.Committed leaving when leaving.isLeaving() ->
                  release(leaving)
                      .or(() ->
                          unshown(leaving)
                              .map(progress ->
                                  new RecordChange.Step(record.show(leaving, progress))))
                      .orElse(RecordChange.KEEP);
              case Disruption.Committed reboot -> raiseOrRelease(reboot);
            });
  }

  /**
   * Causes that are not demanded any more withdraw while they may. Before the commitment, causes
   * that may be admitted join; after it, causes for which the Node leaves.
   */
  private Optional<RecordChange> joinOrWithdraw(Disruption.Active recorded) {
    List<Disruption.Cause> own = demands.own();
    List<Disruption.Cause> left =
        recorded.causes().stream()
            .filter(cause -> !recorded.isRevocable(cause) || demands.isStillDemanded(cause, own))
            .toList();
    List<Disruption.Cause> joined =
        recorded.newAmong(own).stream()
            .filter(cause ->
                recorded instanceof Disruption.Committed committed
                    ? cause.leaves() || (committed.isVerification() && cause.what().isRepair())
                    : mayAdmit(cause))
            .toList();
    if (joined.isEmpty() && left.size() == recorded.causes().size()) {
      return Optional.empty();
    }
    List<Disruption.Cause> next = Stream.concat(left.stream(), joined.stream()).toList();
    if (recorded instanceof Disruption.Committed leaving && leaving.isLeaving()) {
      return step(tightened(leaving, next));
    }
    String why =
        next.isEmpty()
            ? KnownCause.withdrawnText(recorded.causes(), demands.facts())
            : joined.isEmpty() ? "a cause was withdrawn" : joined.getFirst().text();
    return step(record.left(recorded, next, now, Instant.MIN, why));
  }

  private PlannedAction tightened(Disruption.Committed leaving, List<Disruption.Cause> causes) {
    Demand.Part wanted = demands.ofDrained().orElseThrow().carriedOut(false);
    Disruption.Committed next =
        leaving.withCauses(causes).committed(now, leaving.limits().tightenedTo(limits(wanted)));
    return record.tighten(leaving, next, subject.drain(subject.pods(), next.limits()));
  }

  private static Optional<RecordChange> step(PlannedAction action) {
    return Optional.of(new RecordChange.Step(action));
  }

  private DisruptionLimits limits(Demand.Part wanted) {
    return wanted.limits(now, settings.preemption().forced());
  }

  /** The due progress of the drain that the Node does not show; empty if there is none. */
  Optional<DrainProgress> unshown(Disruption.Committed committed) {
    return DrainProgress.of(node, subject.pool(), committed, now)
        .filter(progress -> !progress.isShown(node))
        .filter(_ -> demands.progressAt().filter(at -> !now.isBefore(at)).isPresent());
  }

  private RecordChange followAdmitted(Disruption.Admitted admitted) {
    return uncordoned(admitted)
        .or(() -> kept(admitted, subject.pods(), GOT_WORK))
        .or(() -> announced(admitted))
        .or(() ->
            demands
                .inEffect()
                .map(demand -> demand.carriedOut(subject.isBusy()))
                .flatMap(wanted ->
                    Optional.of(demands.committed(admitted.causes(), wanted.ending()))
                        .filter(committed -> !committed.isEmpty())
                        .map(committed -> commitWhenDue(admitted, committed, wanted))))
        .orElse(RecordChange.KEEP);
  }

  private Optional<RecordChange> announced(Disruption.Active recorded) {
    return subject.announce(recorded).map(RecordChange.Step::new);
  }

  /**
   * Another client uncordoned the Node: the disruption ends, except for causes that insist; for
   * these the Node is cordoned again (decision D69). Empty if it is cordoned.
   */
  private Optional<RecordChange> uncordoned(Disruption.Admitted admitted) {
    if (node.cordoned()) {
      return Optional.empty();
    }
    Instant until = now.plus(settings.removal().passedOver().multipliedBy(UNCORDONED_FACTOR));
    List<Disruption.Cause> insisting =
        admitted.causes().stream().filter(cause -> cause.rule().insists()).toList();
    if (insisting.isEmpty()) {
      return step(
          record.withdraw(
              admitted, admitted.ended(now, until), true, "another client uncordoned it"));
    }
    boolean all = insisting.size() == admitted.causes().size();
    return step(
        record.cordonAgain(
            admitted, all ? admitted : admitted.withCauses(insisting).withPassedOver(until)));
  }

  /**
   * Withdraws the causes for which tenant work among these Pods keeps the Node; empty if no work
   * keeps it. The pool does not choose the Node again for some time, because another attempt would
   * fail the same way.
   */
  private Optional<RecordChange> kept(Disruption.Active recorded, List<Pod> pods, String why) {
    List<Disruption.Cause> left =
        recorded.causes().stream()
            .filter(cause -> !(recorded.isRevocable(cause) && demands.endsWhenBusy(cause)))
            .toList();
    return left.size() < recorded.causes().size() && subject.isBusy(pods)
        ? step(record.left(recorded, left, now, subject.passedOver(), why))
        : Optional.empty();
  }

  /**
   * The commitment to the wanted demand, once it is due: of an admitted disruption, without causes
   * that are held back, or of a reboot that is raised to leave.
   */
  private RecordChange commitWhenDue(
      Disruption.Active recorded, List<Disruption.Cause> causes, Demand.Part wanted) {
    Demand.Window window = wanted.window();
    Instant due = subject.isBusy() ? window.interruptAt() : window.notBefore();
    if (now.isBefore(due)) {
      return RecordChange.Keep.until(due);
    }
    boolean admitted = recorded instanceof Disruption.Admitted;
    String why = admitted ? "its cordon has settled" : "it is to leave instead of its reboot";
    return (admitted ? unsettled(causes) : Optional.<RecordChange>empty())
        .orElseGet(() ->
            subject
                .listed()
                .map(listed -> commit(recorded, causes, wanted, listed.pods()))
                .orElseGet(() -> new RecordChange.Step(subject.list(why))));
  }

  /** The commitment, if these Pods that were listed live allow it. */
  private RecordChange commit(
      Disruption.Active recorded,
      List<Disruption.Cause> causes,
      Demand.Part wanted,
      List<Pod> pods) {
    Demand.Window window = wanted.window();
    return kept(recorded, pods, "it got tenant work that only a live list shows")
        .orElseGet(() ->
            subject.isBusy(pods) && !window.mayInterrupt(now)
                ? RecordChange.Keep.until(window.interruptAt())
                : new RecordChange.Step(
                    RepairNote.missing(demands.facts(), causes, wanted, subject.isBusy(pods))
                        .orElseGet(() -> raised(recorded, causes, wanted, pods))));
  }

  /** The commitment, after the Event that the machine did not pass its verification. */
  private PlannedAction raised(
      Disruption.Active recorded,
      List<Disruption.Cause> causes,
      Demand.Part wanted,
      List<Pod> pods) {
    List<EventDraft> notVerified =
        recorded.commitment().flatMap(AlertVerificationCause::verifiedFor).stream()
            .filter(_ -> causes.stream().anyMatch(cause -> cause.what().isRepair()))
            .filter(
                alert -> demands.facts().host().filter(h -> h.isProvedFaulty(alert)).isPresent())
            .map(alert ->
                subject
                    .events()
                    .notVerified(recorded, alert, LostMachine.NOT_VERIFIED, "It is repaired"))
            .toList();
    return committed(recorded.withCauses(causes).committed(now, limits(recorded, wanted)), pods)
        .after(notVerified);
  }

  /** A boot that follows a verification moves no instant of its drain later. */
  private DisruptionLimits limits(Disruption.Active recorded, Demand.Part wanted) {
    DisruptionLimits limits = limits(wanted);
    return recorded
        .commitment()
        .filter(_ -> limits.boot().isPresent())
        .map(reboot -> limits.tightenedTo(reboot.limits()))
        .orElse(limits);
  }

  /**
   * The wait of an admitted disruption for these causes, whatever is demanded: its cordon must
   * settle, and a request that interrupts work must be read anew. Empty if there is no wait.
   */
  private Optional<RecordChange> unsettled(List<Disruption.Cause> causes) {
    Instant settled = subject.evidence().cordonSeen().orElse(now).plus(settings.removal().settle());
    if (!demands.isDueUnsettled() && now.isBefore(settled)) {
      return Optional.of(RecordChange.Keep.until(settled));
    }
    boolean unread =
        demands.facts().consent() instanceof RebootConsent.Unread
            && causes.stream().noneMatch(Disruption.Cause::leaves)
            && causes.stream().anyMatch(cause -> KnownCause.of(cause).isImmediate());
    return unread ? step(RebootConsent.read(node)) : Optional.empty();
  }

  private PlannedAction committed(Disruption.Committed next, List<Pod> pods) {
    Drain drain = subject.drain(pods, next.limits());
    return record.commit(
        next.withDrain(drain.stage()), drain, next.isLeaving() ? unshown(next) : Optional.empty());
  }

  /**
   * A committed reboot is raised to leave, or its drain ends; else it goes on. The Node is drained
   * until its machine is asked to boot.
   */
  private RecordChange raiseOrRelease(Disruption.Committed reboot) {
    boolean drains =
        demands
            .facts()
            .host()
            .filter(host -> RebootRequest.asked(host, node, reboot).isEmpty())
            .isPresent();
    Optional<Demand.Part> leaving = demands.inEffect().flatMap(Demand::leaving);
    return leaving
        .flatMap(_ -> kept(reboot, subject.pods(), GOT_WORK))
        .or(() -> announced(reboot))
        .or(() -> withoutMachine(reboot))
        .orElseGet(() -> {
          RecordChange raised =
              leaving
                  .or(() -> repaired(reboot))
                  .map(wanted -> raise(reboot, wanted, drains))
                  .orElse(RecordChange.KEEP);
          boolean goesOn = drains && raised instanceof RecordChange.Keep;
          return goesOn ? release(reboot).orElse(raised) : raised;
        });
  }

  /**
   * Records that the machine to be booted is gone. Work that may not be interrupted for that ends
   * the reboot and its drain, which would have no effect (decision D219).
   */
  private Optional<RecordChange> withoutMachine(Disruption.Committed reboot) {
    Disruption.Cause gone = new NoMachineCause().at(now);
    if (demands.facts().host().isPresent() || reboot.newAmong(List.of(gone)).isEmpty()) {
      return Optional.empty();
    }
    return step(
        demands.endsWhenBusy(gone) && subject.isBusy()
            ? record.withdraw(
                reboot, reboot.ended(now, now), false, "its machine is gone, and it has work")
            : record.update(
                reboot, reboot.withCauses(reboot.causesAnd(List.of(gone))), gone.text()));
  }

  /**
   * Raises a committed reboot to leave, when the causes to leave that were added allow it: the Node
   * is idle by a live list, or its work may be interrupted. Nothing changes while the drain for the
   * reboot ends the work: that drain keeps its deadline.
   */
  private RecordChange raise(Disruption.Committed reboot, Demand.Part wanted, boolean drains) {
    List<Disruption.Cause> rest =
        reboot.causes().stream().filter(cause -> !cause.what().isAlertVerification()).toList();
    List<Disruption.Cause> permitted = demands.committed(rest, wanted.ending());
    List<Disruption.Cause> causes =
        rest.stream()
            .filter(cause -> !cause.what().isRepair() || permitted.contains(cause))
            .toList();
    return drains && subject.isBusy() && !wanted.window().isFromOutside()
        ? RecordChange.KEEP
        : commitWhenDue(reboot, causes.isEmpty() ? reboot.causes() : causes, wanted);
  }

  /** The demand for a boot that follows the verification. */
  private Optional<Demand.Part> repaired(Disruption.Committed reboot) {
    return demands
        .ofRepairs()
        .filter(_ -> reboot.isVerification())
        .map(demand -> demand.carriedOut(subject.isBusy()));
  }

  /**
   * Ends a drain that has lost its ground, before the last Pod is gone: the Node stays, without the
   * evicted Pods. While the loss is not certain, nothing more is evicted (decision D199). Empty
   * otherwise.
   */
  private Optional<RecordChange> release(Disruption.Committed committed) {
    boolean isOver =
        !node.metadata().label(NodeLabels.STATE).equals(LifecycleState.PRODUCTION.word())
            || isDrained(committed);
    return isOver ? Optional.empty() : withoutRepair(committed).or(() -> withoutRollout(committed));
  }

  /**
   * Ends the drain for a repair that has lost its ground (decision D325). Other causes of the drain
   * follow their own rules.
   */
  private Optional<RecordChange> withoutRepair(Disruption.Committed committed) {
    List<Disruption.Cause> asking =
        committed.causes().stream()
            .filter(cause -> cause.leaves() == committed.isLeaving() && !committed.awaits(cause))
            .toList();
    List<Disruption.Cause> gone =
        asking.stream()
            .filter(cause -> cause.what().isRepair() || cause.what().isAlertVerification())
            .filter(cause -> takenBack(List.of(cause)) != TakenBack.NO)
            .toList();
    if (gone.isEmpty()) {
      return Optional.empty();
    }
    TakenBack all = takenBack(asking);
    List<Disruption.Cause> ended = withRepairs(all == TakenBack.NO ? gone : asking, committed);
    List<Disruption.Cause> left =
        committed.causes().stream().filter(cause -> !ended.contains(cause)).toList();
    if (all == TakenBack.ASKED && left.isEmpty()) {
      return pause(againAt());
    }
    String why = KnownCause.withdrawnText(gone, demands.facts());
    return step(
        left.isEmpty()
            ? released(committed, why)
            : record.update(committed, committed.admitted(left), why));
  }

  private PlannedAction released(Disruption.Committed committed, String why) {
    return record.withdraw(committed, committed.ended(now, subject.passedOver()), false, why);
  }

  /** Nothing more is evicted until then, and nothing else is decided. */
  private static Optional<RecordChange> pause(Instant until) {
    return Optional.of(new RecordChange.Step(MachinePlan.waiting(until)));
  }

  /**
   * Ends the drain for a rollout that a user has taken back before the remaining Pods are deleted
   * (decision D173).
   */
  private Optional<RecordChange> withoutRollout(Disruption.Committed committed) {
    if (!now.isBefore(committed.forceAt())) {
      return Optional.empty();
    }
    return switch (takenBack(committed.causes())) {
      case ASKED -> pause(committed.forceAt());
      case YES -> step(released(committed, "its rollout was stopped, or no longer evicts"));
      case NO, UNHARMED -> Optional.empty();
    };
  }

  /** These causes, and the repairs that wait for the results of verifications among them. */
  private static List<Disruption.Cause> withRepairs(
      List<Disruption.Cause> causes, Disruption.Committed committed) {
    Set<String> verified =
        causes.stream()
            .map(Disruption.Cause::what)
            .filter(DisruptionCause::isAlertVerification)
            .map(DisruptionCause::reference)
            .collect(Collectors.toSet());
    return committed.causes().stream()
        .filter(cause ->
            causes.contains(cause)
                || (committed.awaits(cause)
                    && cause
                        .what()
                        .repaired()
                        .filter(repair -> verified.contains(repair.alert()))
                        .isPresent()))
        .toList();
  }

  private TakenBack takenBack(List<Disruption.Cause> causes) {
    return demands.takenBack(causes, subject.isBusy());
  }

  /** When the signals of a machine are checked again, if nothing else changes. */
  private Instant againAt() {
    return demands
        .facts()
        .seen()
        .flatMap(seen -> seen.health().changesAt())
        .filter(now::isBefore)
        .orElse(subject.passedOver());
  }

  /** Whether no Pod is left to evict, by the watch and by the last live list. */
  private boolean isDrained(Disruption.Committed committed) {
    return subject.drain(subject.pods(), committed.limits()).isDone()
        && subject
            .listed()
            .filter(listed -> !subject.drain(listed.pods(), committed.limits()).isDone())
            .isEmpty();
  }

  /** Gives up a reboot whose machine did not come back: the Node leaves, its Host is set aside. */
  PlannedAction giveUp(Disruption.Committed reboot) {
    List<Disruption.Cause> causes = reboot.causesAnd(List.of(new RebootFailedCause().at(now)));
    DisruptionLimits limits = DisruptionLimits.leaving(now.plus(settings.drain().deadline()));
    return committed(reboot.withCauses(causes).committed(now, limits), subject.pods());
  }
}
