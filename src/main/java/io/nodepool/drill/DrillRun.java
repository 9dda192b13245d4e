package io.nodepool.drill;

import io.nodepool.control.LoopSettings;
import io.nodepool.drill.script.ScriptEvent;
import io.nodepool.drill.script.ScriptPlayer;
import io.nodepool.drill.workload.Autoscaler;
import io.nodepool.drill.workload.WorkloadRunner;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.world.World;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Plays a scenario once. The same scenario and seed give the same run: the seed decides the order
 * of steps that may happen in any order, what happens by chance, and which machines it happens to.
 */
public final class DrillRun {
  /** How often {@code always} expectations are evaluated. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  /** The longest step of time otherwise. */
  private static final Duration SELDOM = Duration.ofMinutes(10);

  /**
   * Another course of a run from a time on.
   *
   * @param number the number of the course; 0 is the same course
   */
  record Fork(Duration from, int number) {}

  private final Scenario scenario;
  private final long seed;
  private final World world;
  private final WorkloadRunner workloads;
  private final Timeline timeline;
  private final DrillFacts facts;

  private DrillRun(Scenario scenario, long seed, Consumer<World> watcher) {
    this.scenario = scenario;
    this.seed = seed;
    Scenario.Site site = scenario.site();
    DataCentre dataCentre = site.seeded() ? site.dataCentre() : site.dataCentre().withSeed(seed);
    this.world =
        new World(
            dataCentre,
            InstanceCatalogue.bundled(),
            seed,
            Faults.NONE,
            LoopSettings.DEFAULTS,
            OperatorOverrides.AS_BUILT);
    world.endAfter(Long.MAX_VALUE);
    watcher.accept(world);
    this.timeline = new Timeline(world);
    this.workloads =
        new WorkloadRunner(
            world,
            new NodeBlueprint(
                world.cluster().offer(), dataCentre.site().cluster(), site.kubelet(), false),
            scenario.objects().priorities(),
            scenario.objects().budgets(),
            timeline,
            new SplittableRandom(~seed));
    this.facts = new DrillFacts(world, workloads, timeline);
  }

  /**
   * Plays a scenario.
   *
   * @param trace receives each step, if present
   */
  public static DrillResult play(Scenario scenario, long seed, Optional<Consumer<String>> trace) {
    return watched(scenario, seed, world -> trace.ifPresent(world::trace));
  }

  /** Plays a scenario in a world that {@code watcher} watches from its start. */
  static DrillResult watched(Scenario scenario, long seed, Consumer<World> watcher) {
    List<ScriptEvent> all = ScriptEvent.all(scenario.script(), scenario.lasts(), seed);
    return new DrillRun(scenario, seed, watcher).play(all, new Fork(scenario.lasts(), 0));
  }

  /** Plays a scenario with only these entries of its script, and another course. */
  static DrillResult play(Scenario scenario, long seed, List<ScriptEvent> script, Fork fork) {
    return new DrillRun(scenario, seed, _ -> {}).play(script, fork);
  }

  private DrillResult play(List<ScriptEvent> script, Fork fork) {
    Instant start = world.instant();
    scenario
        .objects()
        .pools()
        .forEach(pool -> world.cluster().createPool(pool.name(), pool.spec(), start));
    world.operators().start();
    scenario.objects().workloads().values().forEach(workloads::apply);
    scenario
        .objects()
        .autoscaler()
        .ifPresent(settings -> new Autoscaler(world, workloads, settings).run());
    ScriptPlayer player = new ScriptPlayer(world, workloads, timeline::script);
    script.forEach(each ->
        world.later(each.at(), () -> player.play(scenario.script().get(each.entry()), each)));
    boolean always =
        scenario.expectations().stream()
            .anyMatch(each -> each.moment() instanceof Expectation.Moment.Always);
    Optional<DrillResult.Failure> failure = Optional.empty();
    Duration now = Duration.ZERO;
    while (failure.isEmpty() && now.compareTo(scenario.lasts()) < 0) {
      Duration next = next(now, always ? LOOK : SELDOM, fork);
      world.advance(next.minus(now));
      if (next.equals(fork.from())) {
        world.fork(fork.number());
      }
      failure = failure(now, next);
      now = next;
    }
    return new DrillResult(
        seed,
        failure,
        world.steps(),
        timeline.lines(),
        workloads.figures(),
        facts.machines(),
        timeline.totals(),
        timeline.boots());
  }

  /** The time of the next look at the world. */
  private Duration next(Duration now, Duration look, Fork fork) {
    Duration next = now.plus(look);
    next = sooner(next, scenario.lasts(), now);
    next = sooner(next, fork.from(), now);
    for (Expectation each : scenario.expectations()) {
      if (each.moment() instanceof Expectation.Moment.At(Duration time)) {
        next = sooner(next, time, now);
      }
    }
    return next;
  }

  private static Duration sooner(Duration next, Duration other, Duration now) {
    return other.compareTo(now) > 0 && other.compareTo(next) < 0 ? other : next;
  }

  /** The first expectation that does not hold now. */
  private Optional<DrillResult.Failure> failure(Duration last, Duration now) {
    List<Expectation> due =
        scenario.expectations().stream()
            .filter(each ->
                switch (each.moment()) {
                  case Expectation.Moment.Always() -> true;
                  case Expectation.Moment.AtEnd() -> now.equals(scenario.lasts());
                  case Expectation.Moment.At(Duration time) ->
                      time.compareTo(last) > 0 && time.compareTo(now) <= 0;
                })
            .toList();
    if (due.isEmpty()) {
      return Optional.empty();
    }
    Map<String, Object> values = facts.now();
    return due.stream()
        .flatMap(each ->
            each.violated(values).stream()
                .map(why -> new DrillResult.Failure(world.instant(), each.text(), why)))
        .findFirst();
  }
}
