package io.nodepool.world;

import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.Leaderships;
import io.nodepool.world.operator.OperatorOverrides;
import io.nodepool.world.operator.OperatorProcess;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Operators, a data centre and a cluster under virtual time: one thread, one seed. The seed decides
 * the order of steps that may happen in any order; the faults decide what goes wrong. The same seed
 * and faults give the same run.
 */
public final class World implements InstantSource {
  /** The start of every run. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** A run with more steps does not come to rest. */
  private long stepsAtMost = 2_000_000;

  private final SplittableRandom random;
  private final Faults faults;
  private final LoopSettings timings;
  private final OperatorOverrides overrides;
  private final WorldCluster cluster;
  private final SimulatedFleetRunner fleetRunner;
  private final Traffic traffic;
  private final ApiOutages apiOutages = new ApiOutages(this);
  private final Situations situations = new Situations();
  private final List<RunObserver> observers = new ArrayList<>();
  private final Agenda agenda = new Agenda();
  private final Leaderships leaderships = new Leaderships();
  private final WallClock wall = new WallClock(this);

  /** The callbacks before operators' writes, by the number of the write. */
  private final Map<Integer, Runnable> beforeWrites = new HashMap<>();

  private final Operators operators;
  private Instant now;
  private Instant calmSince;

  /** Since when an operator observes everything; a refused write does not reset it. */
  private Instant observedSince;

  private long steps;
  private Optional<Consumer<String>> trace = Optional.empty();

  /** Creates a world at its start, without an operator. */
  public World(
      DataCentre dataCentre,
      InstanceCatalogue catalogue,
      long seed,
      Faults faults,
      LoopSettings timings,
      OperatorOverrides overrides) {
    this(dataCentre, catalogue, seed, faults, timings, overrides, START);
  }

  private World(
      DataCentre dataCentre,
      InstanceCatalogue catalogue,
      long seed,
      Faults faults,
      LoopSettings timings,
      OperatorOverrides overrides,
      Instant start) {
    this.now = start;
    this.calmSince = start;
    this.observedSince = start;
    this.random = new SplittableRandom(seed);
    this.faults = faults;
    this.timings = timings;
    this.overrides = overrides;
    this.cluster = new WorldCluster(dataCentre, catalogue, this);
    this.fleetRunner =
        new SimulatedFleetRunner(
            cluster,
            dataCentre,
            new FaultyReports(cluster, situations, new SplittableRandom(~seed)));
    actors().watchMachines();
    this.traffic = new Traffic(this, faults, overrides, random);
    this.operators = new Operators(this, catalogue, wall, overrides);
  }

  /**
   * A world that continues from this instant with the objects of another cluster, without an
   * operator and without faults.
   *
   * @param listed the observations of the objects
   * @param dataCentre how the machines behave from now on; it has no machine of its own
   */
  public static World of(
      List<Observation> listed, Instant now, DataCentre dataCentre, OperatorOverrides overrides) {
    World world =
        new World(
            dataCentre,
            InstanceCatalogue.bundled(),
            dataCentre.seed(),
            Faults.NONE,
            LoopSettings.DEFAULTS,
            overrides,
            now);
    world.cluster.take(listed);
    world.actors().goOnWithSilentNodes();
    return world;
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** The cluster, for clients' actions and for checks. */
  public WorldCluster cluster() {
    return cluster;
  }

  /** Temporary failures of the API server. */
  public ApiOutages apiOutages() {
    return apiOutages;
  }

  /** The actors other than the operator and the data centre. */
  public WorldActors actors() {
    return new WorldActors(this);
  }

  /** The processes of the operator. */
  public Operators operators() {
    return operators;
  }

  /** When a process of the operator led. */
  public Leaderships leaderships() {
    return leaderships;
  }

  /** The wall clock of the operator's machine. */
  public WallClock wallClock() {
    return wall;
  }

  /** The situations that occurred in the run so far. */
  public Situations situations() {
    return situations;
  }

  /** From now on, the fleet's reports have these faults. */
  public void fleetFaults(FleetFaults next) {
    fleetRunner.set(next);
  }

  /** Schedules an action after a delay. */
  public void later(Duration delay, Runnable what) {
    agenda.add(now.plus(delay), what);
  }

  /** Starts a scheduler that places Pods, and delays some of its bindings. */
  public WorldScheduler schedule(long seed, WorldScheduler.Lateness lateness) {
    return new WorldScheduler(this, new SplittableRandom(seed), lateness);
  }

  /** Reports each effect from now on, in one line. */
  public void trace(Consumer<String> next) {
    trace = Optional.of(next);
  }

  void addTrace(Supplier<String> what) {
    trace.ifPresent(
        to -> to.accept("%s %d %s".formatted(Duration.between(START, now), steps, what.get())));
  }

  /** Something disturbs the operator now, so that it may act later than it would otherwise. */
  void disturbed() {
    calmSince = now;
    observedSince = now;
  }

  /** A write of the operator is refused, so that it acts later than it would otherwise. */
  void hindered() {
    calmSince = now;
  }

  private boolean isCalm() {
    return !faults.areRough()
        && operators.leader().isPresent()
        && !apiOutages.isDisturbing()
        && !cluster.isAnyGarbled();
  }

  /**
   * From now on, the order of concurrent steps and the durations of the machines' actions differ
   * for each number. With 0, nothing changes.
   */
  public void fork(int number) {
    if (number > 0) {
      fleetRunner.fork(number);
    }
    for (int i = 0; i < number; i++) {
      random.nextLong();
    }
  }

  /** The number of steps so far. */
  public long steps() {
    return steps;
  }

  /** Sets the number of steps after which a run that does not come to rest ends. */
  public void endAfter(long next) {
    stepsAtMost = next;
  }

  /** Runs this once, just before the operators' write with this number takes effect. */
  public void beforeWrite(int number, Runnable what) {
    beforeWrites.put(number, what);
  }

  void aboutToWrite(int number) {
    Optional.ofNullable(beforeWrites.remove(number)).ifPresent(Runnable::run);
  }

  /** The number of operators' writes that were about to take effect. */
  public int writes() {
    return traffic.writes;
  }

  /** The number of failed requests and ended operator processes. */
  public int disturbances() {
    return traffic.disturbances + operators.starts() - 1;
  }

  /** The number of causes for repeated Events: lost Events, and ended operator processes. */
  public int repeatCauses() {
    return traffic.lostEvents + operators.starts() - 1;
  }

  /** The durations of an operator's loops. */
  LoopSettings timings() {
    return overrides.timings().apply(timings);
  }

  /** How long an operator remembers its writes. */
  Duration remembered() {
    return timings().backOff().forgottenAfter();
  }

  Traffic traffic() {
    return traffic;
  }

  SplittableRandom random() {
    return random;
  }

  Faults faults() {
    return faults;
  }

  /** Notifies this observer from now on, after the observers that were added before it. */
  public void observe(RunObserver observer) {
    observers.add(observer);
  }

  /** Runs this after each step from now on; it must not change anything. */
  public void afterEachStep(Runnable next) {
    observe(
        new RunObserver() {
          @Override
          public void stepped() {
            next.run();
          }
        });
  }

  void tell(Consumer<RunObserver> what) {
    observers.forEach(what);
  }

  /** Advances virtual time; everything that is due until then happens. */
  public void advance(Duration duration) {
    Instant end = now.plus(duration);
    while (step(end)) {
      if (++steps > stepsAtMost) {
        throw new IllegalStateException("the world does not come to rest");
      }
      if (!isCalm()) {
        disturbed();
      }
      tell(RunObserver::stepped);
    }
    now = end;
    tell(RunObserver::advanced);
  }

  /** Since when an operator runs and nothing disturbs it. */
  public Instant calmSince() {
    return calmSince;
  }

  /** Since when an operator runs that observes everything. */
  public Instant observedSince() {
    return observedSince;
  }

  /** The operator that can act now. */
  public Optional<OperatorProcess> able() {
    return apiOutages.isOut() ? Optional.empty() : informed();
  }

  /** The leader, once it has observed the cluster. */
  public Optional<OperatorProcess> informed() {
    return operators.leader().filter(OperatorProcess::isComplete);
  }

  /** Takes one step. Returns whether one was possible before the end. */
  private boolean step(Instant end) {
    if (!now.isBefore(end)) {
      return false;
    }
    Choices choices = choices();
    if (choices.count() > 0) {
      choices.take(random.nextInt(choices.count()));
      now = now.plusNanos(random.nextLong(2_000_000));
      return true;
    }
    Optional<Instant> next = alarms().min(Instant::compareTo).filter(at -> !at.isAfter(end));
    next.ifPresent(at -> {
      now = at.isAfter(now) ? at : now;
      ring();
    });
    return next.isPresent();
  }

  private Choices choices() {
    Choices choices = new Choices();
    operators.addChoices(choices);
    fleetRunner.addChoices(choices, now);
    if (agenda.next().filter(at -> !at.isAfter(now)).isPresent()) {
      choices.add(() -> agenda.take(now).ifPresent(Runnable::run));
    }
    return choices;
  }

  private Stream<Instant> alarms() {
    return Stream.of(
            fleetRunner.alarms.next().stream(),
            agenda.next().stream(),
            apiOutages.ends(),
            operators.alarms())
        .flatMap(instants -> instants);
  }

  /** Moves expired timers to the due sets. */
  private void ring() {
    fleetRunner.alarms.expire(now, fleetRunner.due);
    operators.ring();
  }

  /** Whether no operator has anything to do or to wait for, and no machine becomes free soon. */
  public boolean isAtRest() {
    return agenda.isEmpty()
        && !fleetRunner.isCleaning()
        && !apiOutages.isOut()
        && fleetRunner.due.isEmpty()
        && fleetRunner.sent.isEmpty()
        && operators.areAtRest();
  }
}
