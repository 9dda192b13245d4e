package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The places at which a test puts in a fault: snapshots, plans, requests and answers. */
final class Seams {
  /** An answer without an object. */
  static final Answer<Observation> NO_OBJECT =
      new Answer.Done<>(new Observation.PodGone("", "", 0));

  private Seams() {}

  /** Plans pools by another snapshot. */
  static UnaryOperator<PoolPlanning> poolSeen(UnaryOperator<PoolSnapshot> change) {
    return planner -> (seen, now) -> planner.plan(change.apply(seen), now);
  }

  /** Plans machines by another snapshot. */
  static UnaryOperator<MachinePlanning> machineSeen(ChangedSnapshot change) {
    return planner ->
        machines((seen, now) -> planner.plan(change.of(seen, now), now), planner::plan);
  }

  /** Changes the snapshot of a machine. */
  interface ChangedSnapshot {
    MachineSnapshot of(MachineSnapshot seen, Instant now);
  }

  /** Plans a machine that has a Host. */
  interface OfMachine {
    MachinePlan plan(MachineSnapshot seen, Instant now);
  }

  /** Plans a Node without a Host. */
  interface OfLeftover {
    MachinePlan plan(LeftoverNode seen, Instant now);
  }

  static MachinePlanning machines(OfMachine ofMachine, OfLeftover ofLeftover) {
    return new MachinePlanning() {
      @Override
      public MachinePlan plan(MachineSnapshot seen, Instant now) {
        return ofMachine.plan(seen, now);
      }

      @Override
      public MachinePlan plan(LeftoverNode seen, Instant now) {
        return ofLeftover.plan(seen, now);
      }
    };
  }

  /** Changes the Pods of machines, as observed in watches and live lists. */
  static UnaryOperator<MachinePlanning> podsSeen(UnaryOperator<Pod> change) {
    return machineSeen((seen, now) ->
        seen.withBound(new MachineSnapshot.Bound(changed(seen.pods(), change), seen.controlPlane()))
            .withEvidence(
                seen.evidence()
                    .withListed(
                        seen.evidence()
                            .listed()
                            .map(listing ->
                                new MachineSnapshot.Listing(
                                    changed(listing.pods(), change), listing.at())))));
  }

  private static List<Pod> changed(List<Pod> pods, UnaryOperator<Pod> change) {
    return pods.stream().map(change).toList();
  }

  /** Changes what a write of a Node's metadata and spec for this purpose changes. */
  static Action changing(
      Action action, NodePurpose purpose, UnaryOperator<NodeChange.OfSpec> change) {
    return action instanceof Action.WriteNode write
            && write.isFor(purpose)
            && write.change() instanceof NodeChange.OfSpec spec
        ? new Action.WriteNode(
            write.node(), write.nodeUid(), write.precondition(), change.apply(spec), purpose)
        : action;
  }

  /** Replaces the planned actions of both planners. */
  static OperatorOverrides steps(Function<PlannedAction, Stream<PlannedAction>> change) {
    return OperatorOverrides.AS_BUILT
        .withPlanner(planner ->
            (seen, now) -> {
              var plan = planner.plan(seen, now);
              return plan.withPlannedActions(
                  plan.plannedActions().stream().flatMap(change).toList());
            })
        .withMachines(planner ->
            machines(
                (seen, now) -> changed(planner.plan(seen, now), change),
                (seen, now) -> changed(planner.plan(seen, now), change)));
  }

  private static MachinePlan changed(
      MachinePlan plan, Function<PlannedAction, Stream<PlannedAction>> change) {
    return new MachinePlan(plan.plannedActions().stream().flatMap(change).toList(), plan.wakeup());
  }

  /** Replaces the actions in the plans of both planners. */
  static OperatorOverrides actions(UnaryOperator<Action> change) {
    return steps(plannedAction ->
        Stream.of(
            new PlannedAction(
                plannedAction.eventDrafts(),
                change.apply(plannedAction.action()),
                plannedAction.why())));
  }

  /** Replaces the Events of requests. */
  static OperatorOverrides withEvents(Announced change) {
    return sent(
        (eventDrafts, action, submit) -> submit.send(change.of(eventDrafts, action), action));
  }

  /** Returns the Events to emit before an action. */
  interface Announced {
    List<EventDraft> of(List<EventDraft> eventDrafts, Action action);
  }

  /** Replaces the actions that are submitted to the writer. */
  static OperatorOverrides written(UnaryOperator<Action> change) {
    return sent((eventDrafts, action, submit) -> submit.send(eventDrafts, change.apply(action)));
  }

  /** Submits an action. */
  interface Ask {
    void send(List<EventDraft> eventDrafts, Action action);
  }

  /** Submits something else instead of an action. */
  interface Asked {
    void instead(List<EventDraft> eventDrafts, Action action, Ask submit);
  }

  private static OperatorOverrides sent(Asked asked) {
    return OperatorOverrides.AS_BUILT.withWriter(writer ->
        writer(
            writer,
            (eventDrafts, action, answer) ->
                asked.instead(
                    eventDrafts, action, (drafts, done) -> writer.submit(drafts, done, answer))));
  }

  /** Replaces the answer to an action. */
  interface Understood {
    Answer<Observation> as(Action action, Answer<Observation> answer);
  }

  static UnaryOperator<Writer> understood(Understood understood) {
    return writer ->
        writer(
            writer,
            (eventDrafts, action, answer) ->
                writer.submit(
                    eventDrafts, action, truth -> answer.accept(understood.as(action, truth))));
  }

  /** Replaces a writer's method. */
  interface Submit {
    void submit(List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer);
  }

  static Writer writer(Writer reader, Submit submit) {
    return new Writer() {
      @Override
      public void submit(
          List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
        submit.submit(eventDrafts, action, answer);
      }

      @Override
      public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
        reader.read(subject, answer);
      }
    };
  }
}
