package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.MachineEntry;
import io.nodepool.control.state.PoolRefusals;
import io.nodepool.control.write.BackOff;
import io.nodepool.control.write.WriteCounts;
import io.nodepool.control.write.WriteFailure;
import io.nodepool.control.write.WriteHandler;
import io.nodepool.control.write.WriteTracker;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.report.OldestEvents;
import io.nodepool.plan.report.StatusRefusal;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits the actions of the loops, each with the Events that announce it, as soon as the {@link
 * WriteTracker} permits. Records them in the {@link ClusterState}, and wakes the loops that an
 * answer concerns. Confined to the decision thread.
 */
final class ActionSubmitter {
  private static final Logger log = LoggerFactory.getLogger(ActionSubmitter.class);

  private final Writer writer;
  private final ClusterState state;
  private final Waker waker;
  private final InstantSource clock;
  private final BackOff backOff;
  private final ReferenceGeneration generation;
  private final WriteTracker<Action.Subject, SubmittedAction, Observation> tracker;
  private final RecentEvents events;
  private final DisruptionCounts disruptions = new DisruptionCounts();

  /** The loops that requested a write on an object while another write was under way. */
  private final Map<Action.Subject, Set<ReconcileKey>> waiting = new HashMap<>();

  ActionSubmitter(
      Writer writer,
      ClusterState state,
      Waker waker,
      InstantSource clock,
      BackOff backOff,
      ReferenceGeneration generation) {
    this.writer = writer;
    this.state = state;
    this.waker = waker;
    this.clock = clock;
    this.backOff = backOff;
    this.generation = generation;
    this.tracker = new WriteTracker<>(new Answers(), clock, backOff);
    this.events = new RecentEvents(backOff.forgottenAfter());
  }

  /** The number of objects that cannot be written to now, by cause. */
  WriteCounts counts() {
    return tracker.counts();
  }

  /** The disruptions that ended since this process started. */
  DisruptionCounts disruptions() {
    return disruptions;
  }

  /** The number of entries by collection, for leak checks. */
  Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new TreeMap<>(tracker.sizes());
    sizes.put("objects waited for", waiting.size());
    sizes.put("objects announced lately", events.size());
    return sizes;
  }

  /** Whether an answer about the object is awaited, or its last write is in doubt. */
  boolean isUnderWay(Action.Subject subject) {
    return tracker.isUnderWay(subject);
  }

  /**
   * Resolves writes in doubt and discards expired entries. Requested with {@link
   * ReconcileKey.OfWrites}.
   *
   * @return when to run again
   */
  Optional<Instant> runDue() {
    return tracker.runDue();
  }

  /**
   * Submits an action if its object can be written to now.
   *
   * @return when to try again; empty if the action was sent, or if an answer will wake the owner
   */
  Optional<Instant> submit(PlannedAction plannedAction, ReconcileKey owner) {
    SubmittedAction wanted =
        new SubmittedAction(
            plannedAction, owner, plannedAction.action().traits().effects(), List.of());
    if (tracker.isUnderWay(wanted.subject())) {
      waiting.computeIfAbsent(wanted.subject(), key -> new LinkedHashSet<>()).add(owner);
      return Optional.empty();
    }
    Instant notBefore = tracker.notBefore(wanted);
    if (clock.instant().isBefore(notBefore)) {
      takeAnother(wanted.action(), tracker.notRepeatedBefore(wanted));
      return Optional.of(notBefore);
    }
    // A write in doubt has failed if it is still wanted.
    tracker
        .failure(wanted)
        .filter(WriteFailure::inDoubt)
        .ifPresent(failure -> report(failure, false));
    tracker.send(
        wanted.sent(
            events.news(announced(wanted), clock.instant()),
            DisruptionCounts.ending(plannedAction, state)));
    return Optional.empty();
  }

  /** The action with the Events that earlier attempts make necessary. */
  private PlannedAction announced(SubmittedAction wanted) {
    // A change that another client keeps undoing is reported once, and not announced again.
    PlannedAction fresh =
        tracker.isUndone(wanted)
            ? wanted.plannedAction().withEventDrafts(List.of())
            : wanted.plannedAction();
    PlannedAction failing =
        tracker
            .failure(wanted)
            .map(failure ->
                RequestFailures.reported(
                    fresh,
                    failure,
                    state.machine(wanted.subject().text()).flatMap(MachineEntry::regarding)))
            .orElse(fresh);
    PlannedAction announced =
        failing.notStaying(tracker.undone(wanted), WriteTracker.UNDONE_AFTER, backOff.longest());
    return switch (generation) {
      case CURRENT -> announced;
      case OLDEST -> OldestEvents.beside(announced);
    };
  }

  /** Single conflicts are expected and not reported; a denial is reported at once. */
  private void report(WriteFailure<SubmittedAction> failure, boolean denied) {
    if (denied || RequestFailures.isReported(failure)) {
      trouble(failure.request().action(), Optional.of(failure.why()), denied);
    }
  }

  private void trouble(Action action, Optional<String> why, boolean denied) {
    if (own(action.subject()) instanceof ReconcileKey.OfMachine(String machine)) {
      state.troubled(machine, action, why, denied).forEach(waker::wake);
    }
  }

  /**
   * Excludes a Host from assignment until this time, so that the pool is planned with another Host.
   */
  private void takeAnother(Action action, Instant until) {
    if (action instanceof Action.OnHost(HostOperation.Assign assign)
        && clock.instant().isBefore(until)) {
      state.refused(assign.host(), until).forEach(waker::wake);
    }
  }

  private final class Answers implements WriteHandler<SubmittedAction, Observation> {
    @Override
    public void send(SubmittedAction sent, Consumer<Answer<Observation>> answer) {
      PlannedAction plannedAction = sent.plannedAction();
      state.submitted(plannedAction.action());
      DecisionLog.log(plannedAction, state);
      writer.submit(
          plannedAction.eventDrafts(),
          plannedAction.action(),
          outcome -> {
            emitted(plannedAction, outcome);
            answer.accept(outcome);
          });
    }

    /** Events are emitted before the write, so they may exist even if the write was refused. */
    private void emitted(PlannedAction plannedAction, Answer<Observation> outcome) {
      if (!(outcome instanceof Answer.Unavailable<Observation>)
          && !plannedAction.eventDrafts().isEmpty()) {
        events.emitted(
            plannedAction.action().subject(), plannedAction.eventDrafts(), clock.instant());
        state.emitted(plannedAction.eventDrafts());
        tracker.forgetLater();
      }
    }

    @Override
    public void read(SubmittedAction sent, Consumer<Answer<Observation>> answer) {
      writer.read(sent.subject(), answer);
    }

    /** Runs the loop of the writes now: it sets its own timer for this time. */
    @Override
    public void wakeAt(Instant time) {
      waker.wake(new ReconcileKey.OfWrites());
    }

    /** An eviction that a budget refuses is retried at the drain's own interval. */
    @Override
    public boolean hasEffect(SubmittedAction sent, Observation after) {
      return !(after instanceof Observation.EvictionTried(_, _, Optional<String> budget)
          && budget.isPresent());
    }

    @Override
    public void resolved(SubmittedAction sent) {
      state.resolved(sent.action()).forEach(waker::wake);
    }

    @Override
    public void done(SubmittedAction sent, Observation object) {
      sent.ended()
          .forEach(end ->
              disruptions.add(
                  state.poolOf(sent.subject()), end, bootOf(sent.subject()), clock.instant()));
      if (sent.action() instanceof Action.PublishStatus publish) {
        state.refusals(publish.pool()).ifPresent(pool -> pool.published(clock.instant()));
      } else if (sent.action() instanceof Action.OnHost(HostOperation.Assign assign)) {
        state.refusals(assign.pool()).ifPresent(PoolRefusals::assigned);
      }
      fold(object);
    }

    private void fold(Observation object) {
      state.fold(object, ClusterState.Source.ANSWER).forEach(waker::wake);
    }

    private Optional<BootRequest> bootOf(Action.Subject subject) {
      return state.machine(subject.text()).flatMap(MachineEntry::boot);
    }

    @Override
    public void found(SubmittedAction sent, Observation object) {
      fold(object);
    }

    @Override
    public void failed(
        SubmittedAction sent, WriteFailure<SubmittedAction> failure, Answer<Observation> answer) {
      report(failure, answer instanceof Answer.Denied<Observation>);
      log.info(
          "{} ({}); next try in {} ms at the earliest",
          failure.why(),
          sent,
          Duration.between(clock.instant(), failure.until()).toMillis());
      if (answer instanceof Answer.Denied<Observation>(String why, boolean invalid)) {
        denied(sent.action(), why, invalid);
        takeAnother(sent.action(), failure.until());
      } else if (answer instanceof Answer.Refused<Observation>) {
        takeAnother(sent.action(), failure.until());
      }
    }

    /** Records a denial that concerns a pool as a whole. */
    private void denied(Action action, String why, boolean invalid) {
      Instant now = clock.instant();
      if (action instanceof Action.PublishStatus(PoolId pool, PoolStatus status) && invalid) {
        state
            .refusals(pool)
            .ifPresent(last -> last.refused(StatusRefusal.of(status, last.status(), why, now)));
      } else if (action instanceof Action.OnHost(HostOperation.Assign assign)) {
        state
            .refusals(assign.pool())
            .ifPresent(refusals ->
                // Another Host is tried each time; the message must not change with it.
                refusals.refusedAssignment(why.replace(assign.host().name(), "…"), backOff, now));
      }
    }

    @Override
    public void recovered(WriteFailure<SubmittedAction> last) {
      if (last.denied() || RequestFailures.isReported(last)) {
        trouble(last.request().action(), Optional.empty(), false);
      }
    }

    /**
     * Wakes the owner, the object's own loop, and all loops that requested a write in the meantime:
     * the watch may already have delivered every event that would wake them.
     */
    @Override
    public void free(SubmittedAction sent) {
      waker.wake(sent.owner());
      Set<ReconcileKey> others = waiting.remove(sent.subject());
      if (others != null) {
        others.forEach(waker::wake);
      }
      ReconcileKey own = own(sent.subject());
      if (!own.equals(sent.owner())) {
        waker.wake(own);
      }
    }

    @Override
    public Optional<Instant> forgetOld(Instant now) {
      return events.forgetOld(now);
    }
  }

  private static ReconcileKey own(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId host) -> new ReconcileKey.OfMachine(host.name());
      case Action.Subject.OfNode(String name, String _) -> new ReconcileKey.OfMachine(name);
      case Action.Subject.OfPod(String _, String _, String _, String node) ->
          new ReconcileKey.OfMachine(node);
      case Action.Subject.OfPool(PoolId pool) -> new ReconcileKey.OfPool(pool.name());
      case Action.Subject.OfNamespace(String name, String _) -> new ReconcileKey.OfNamespace(name);
    };
  }
}
