package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.model.LeftoverNode;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Notice;
import io.nodepool.plan.Step;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The places at which a fault is put in: what is seen, planned, sent and answered. */
final class Seams {
  /** An answer that brings no object. */
  static final Answer<Observation> NO_OBJECT =
      new Answer.Done<>(new Observation.PodGone("", "", 0));

  private Seams() {}

  /** Pools are planned by another picture. */
  static UnaryOperator<PoolPlanning> poolSeen(UnaryOperator<PoolSnapshot> change) {
    return planner -> (seen, now) -> planner.plan(change.apply(seen), now);
  }

  /** Machines are planned by another picture. */
  static UnaryOperator<MachinePlanning> machineSeen(Retold change) {
    return planner ->
        machines((seen, now) -> planner.plan(change.of(seen, now), now), planner::plan);
  }

  /** What is seen of a machine, told differently. */
  interface Retold {
    MachineSnapshot of(MachineSnapshot seen, Instant now);
  }

  /** Plans a machine that has a Host. */
  interface OfMachine {
    MachinePlan plan(MachineSnapshot seen, Instant now);
  }

  /** Plans a Node that has none. */
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

  /** The Pods of machines are seen differently, in watches and live lists. */
  static UnaryOperator<MachinePlanning> podsSeen(UnaryOperator<Pod> change) {
    return machineSeen((seen, now) ->
        seen.withPods(changed(seen.pods(), change))
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

  /** Both planners' steps are others. */
  static Parts steps(Function<Step, Stream<Step>> change) {
    return Parts.AS_BUILT
        .withPlanner(planner ->
            (seen, now) -> {
              var plan = planner.plan(seen, now);
              return plan.withSteps(plan.steps().stream().flatMap(change).toList());
            })
        .withMachines(planner ->
            machines(
                (seen, now) -> changed(planner.plan(seen, now), change),
                (seen, now) -> changed(planner.plan(seen, now), change)));
  }

  private static MachinePlan changed(MachinePlan plan, Function<Step, Stream<Step>> change) {
    return new MachinePlan(plan.steps().stream().flatMap(change).toList(), plan.wakeup());
  }

  /** Both planners' steps are about other actions. */
  static Parts actions(UnaryOperator<Action> change) {
    return steps(
        step -> Stream.of(new Step(step.notices(), change.apply(step.action()), step.why())));
  }

  /** Requests are sent with other Events before them. */
  static Parts notices(Announced change) {
    return sent((notices, action, submit) -> submit.send(change.of(notices, action), action));
  }

  /** Which Events are told before an action. */
  interface Announced {
    List<Notice> of(List<Notice> notices, Action action);
  }

  /** The writer is asked for another action. */
  static Parts written(UnaryOperator<Action> change) {
    return sent((notices, action, submit) -> submit.send(notices, change.apply(action)));
  }

  /** What is asked of a writer. */
  interface Ask {
    void send(List<Notice> notices, Action action);
  }

  /** What is asked of a writer instead. */
  interface Asked {
    void instead(List<Notice> notices, Action action, Ask submit);
  }

  private static Parts sent(Asked asked) {
    return Parts.AS_BUILT.withWriter(writer ->
        writer(
            writer,
            (notices, action, answer) ->
                asked.instead(notices, action, (told, done) -> writer.submit(told, done, answer))));
  }

  /** What an answer to an action is taken for. */
  interface Understood {
    Answer<Observation> as(Action action, Answer<Observation> answer);
  }

  static UnaryOperator<Writer> understood(Understood understood) {
    return writer ->
        writer(
            writer,
            (notices, action, answer) ->
                writer.submit(
                    notices, action, truth -> answer.accept(understood.as(action, truth))));
  }

  /** Submits in a writer's place. */
  interface Submit {
    void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer);
  }

  static Writer writer(Writer reader, Submit submit) {
    return new Writer() {
      @Override
      public void submit(
          List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
        submit.submit(notices, action, answer);
      }

      @Override
      public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
        reader.read(subject, answer);
      }
    };
  }
}
