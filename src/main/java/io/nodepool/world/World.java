package io.nodepool.world;

import io.nodepool.control.Key;
import io.nodepool.control.Timings;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.simulated.DataCentre;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An operator, a data centre and a cluster under virtual time: one thread, one seed. The seed
 * decides in which order things happen that may happen in any order; the faults decide what goes
 * wrong. The same seed and faults give the same run.
 */
public final class World implements InstantSource {
  /** When every run begins. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(20);
  private static final int STEPS_AT_MOST = 2_000_000;

  private final InstanceCatalogue catalogue;
  private final SplittableRandom random;
  private final Faults faults;
  private final Timings timings;
  private final Parts parts;
  private final WorldCluster cluster;
  private final Hall hall;
  private final Invariants invariants;
  private final List<OperatorProcess.Request> orphans = new ArrayList<>();
  private final Agenda agenda = new Agenda();

  private Instant now = START;
  private Optional<OperatorProcess> operator = Optional.empty();
  private Optional<Instant> startsAt = Optional.empty();
  private int writes;
  private int starts;
  private long steps;
  private Optional<Consumer<String>> trace = Optional.empty();

  /** A world in which nothing has happened yet and no operator runs. */
  public World(
      DataCentre dataCentre,
      InstanceCatalogue catalogue,
      long seed,
      Faults faults,
      Timings timings,
      Parts parts) {
    this.catalogue = catalogue;
    this.random = new SplittableRandom(seed);
    this.faults = faults;
    this.timings = timings;
    this.parts = parts;
    this.cluster = new WorldCluster(dataCentre, catalogue, START);
    this.hall = new Hall(cluster, dataCentre);
    this.invariants = new Invariants(cluster);
  }

  @Override
  public Instant instant() {
    return now;
  }

  /** The cluster, to act on as a client and to look at. */
  public WorldCluster cluster() {
    return cluster;
  }

  /** Lets something happen when so much time has passed. */
  public void later(Duration delay, Runnable what) {
    agenda.add(now.plus(delay), what);
  }

  /** Lets a scheduler place Pods from now on; by what it binds, harm is told from its absence. */
  public WorldScheduler schedule(long seed) {
    WorldScheduler scheduler = new WorldScheduler(this, new SplittableRandom(seed));
    invariants.protect(scheduler::hasBound);
    return scheduler;
  }

  /** Tells what takes effect from here on, a line each. */
  public void trace(Consumer<String> next) {
    trace = Optional.of(next);
  }

  private void tell(Supplier<String> what) {
    trace.ifPresent(
        to -> to.accept("%s %d %s".formatted(Duration.between(START, now), steps, what.get())));
  }

  /** Steps taken so far. */
  public long steps() {
    return steps;
  }

  /** Writes that the operator's lives have sent and that reached the point of taking effect. */
  public int writes() {
    return writes;
  }

  /** How often an operator was started. */
  public int starts() {
    return starts;
  }

  /** The index of the operator that runs now, for leak checks. */
  public Optional<List<Integer>> indexSizes() {
    return operator.map(process -> process.control.index().sizes());
  }

  /** What the operator that runs now remembers of writes, for leak checks. */
  public Optional<List<Integer>> writeSizes() {
    return operator.map(process -> process.control.writeSizes());
  }

  /** Starts an operator that knows nothing. */
  public void startOperator() {
    startsAt = Optional.empty();
    starts++;
    tell(() -> "an operator starts");
    operator = Optional.of(new OperatorProcess(cluster, catalogue, this, timings, parts));
  }

  /**
   * Kills the operator at once. What it had sent may still take effect; nobody hears the answers.
   */
  public void killOperator() {
    operator.ifPresent(process -> {
      process.die();
      process.requests.stream()
          .filter(request -> request.outcome.isEmpty() && random.nextBoolean())
          .forEach(orphans::add);
    });
    operator = Optional.empty();
  }

  /** Lets virtual time pass; everything that is due until then happens. */
  public void advance(Duration duration) {
    Instant end = now.plus(duration);
    while (step(end)) {
      if (++steps > STEPS_AT_MOST) {
        throw new IllegalStateException("the world does not come to rest");
      }
      invariants.check(now);
    }
    now = end;
  }

  /** One thing happens. Returns whether anything could before the end. */
  private boolean step(Instant end) {
    if (!now.isBefore(end)) {
      return false;
    }
    List<Runnable> choices = choices();
    if (!choices.isEmpty()) {
      choices.get(random.nextInt(choices.size())).run();
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

  private List<Runnable> choices() {
    List<Runnable> choices = new ArrayList<>();
    operator.ifPresent(process -> addChoices(process, choices));
    hall.due.stream().findFirst().ifPresent(key -> choices.add(() -> hall.look(key, now)));
    for (String key : hall.sentKeys()) {
      choices.add(() -> hall.effect(key, now));
    }
    for (OperatorProcess.Request orphan : orphans) {
      choices.add(() -> lateEffect(orphan));
    }
    if (agenda.next().filter(at -> !at.isAfter(now)).isPresent()) {
      choices.add(() -> agenda.take(now).ifPresent(Runnable::run));
    }
    return choices;
  }

  private void addChoices(OperatorProcess process, List<Runnable> choices) {
    process.unlisted().forEach(kind -> choices.add(() -> list(process, kind)));
    process.deliverable(now).forEach(stream -> choices.add(() -> deliver(process, stream)));
    process.due.forEach(key -> choices.add(() -> process.run(key)));
    process.requests.forEach(request -> choices.add(() -> proceed(process, request)));
  }

  private void list(OperatorProcess process, WorldCluster.Kind kind) {
    process.list(kind, random);
    process.announceIfComplete();
  }

  private void deliver(OperatorProcess process, OperatorProcess.Stream stream) {
    if (percent(faults.stallPercent())) {
      stream.stalledUntil = now.plusNanos(random.nextLong(LONGEST_OUTAGE.toNanos()));
    } else {
      if (percent(faults.relistPercent())) {
        stream.coalesce();
      }
      process.deliver(stream);
    }
  }

  /** A request's next piece takes effect, or its answer arrives. */
  private void proceed(OperatorProcess process, OperatorProcess.Request request) {
    if (request.outcome.isPresent()) {
      process.requests.remove(request);
      request.answer.accept(request.outcome.get());
      return;
    }
    if (request.read.isPresent()) {
      request.outcome =
          Optional.of(
              percent(faults.unavailablePercent())
                  ? new Answer.Unavailable<>("turned away")
                  : cluster.read(request.read.get()));
      return;
    }
    request.action.ifPresent(invariants::sent);
    if (percent(faults.unavailablePercent())) {
      request.outcome = Optional.of(new Answer.Unavailable<>("turned away"));
      return;
    }
    writes++;
    boolean crashes = faults.crashAtWrite().stream().anyMatch(write -> write == writes);
    if (crashes && !faults.crashAfter()) {
      process.requests.remove(request);
      crash();
      return;
    }
    boolean lost = percent(faults.unknownPercent());
    if (lost) {
      tell(() -> "an answer will be lost");
    }
    if (!lost || random.nextBoolean()) {
      effect(request);
    }
    if (lost) {
      request.outcome = Optional.of(new Answer.Unknown<>("no answer"));
    }
    if (crashes) {
      process.requests.remove(request);
      crash();
    }
  }

  private void effect(OperatorProcess.Request request) {
    if (request.guard.isPresent()) {
      OperatorProcess.Guard guard = request.guard.get();
      cluster.setGuard(guard.pool(), guard.guarded());
      request.outcome = Optional.of(new Answer.Missing<>());
      return;
    }
    if (!request.notices.isEmpty()) {
      cluster.tell(request.notices.removeFirst());
      return;
    }
    Action action = request.action.orElseThrow();
    invariants.before(action);
    Answer<Observation> answer = cluster.apply(action, now);
    tell(() -> action + " -> " + answer);
    request.outcome = Optional.of(answer);
  }

  private void lateEffect(OperatorProcess.Request orphan) {
    orphans.remove(orphan);
    if (orphan.read.isEmpty()) {
      effect(orphan);
    }
  }

  private void crash() {
    tell(() -> "the operator dies at write " + writes);
    killOperator();
    startsAt = Optional.of(now.plusNanos(random.nextLong(LONGEST_OUTAGE.toNanos())));
  }

  private boolean percent(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  private Stream<Instant> alarms() {
    return Stream.of(
            hall.alarms.values().stream(),
            startsAt.stream(),
            agenda.next().stream(),
            operator.stream().flatMap(process -> process.alarms.values().stream()),
            operator.stream().flatMap(process -> process.stallEnds().stream()))
        .flatMap(instants -> instants);
  }

  /** Makes due what it is time for. */
  private void ring() {
    move(hall.alarms, hall.due);
    operator.ifPresent(process -> move(process.alarms, process.due));
    if (startsAt.isPresent() && !startsAt.get().isAfter(now)) {
      startOperator();
    }
  }

  private <K> void move(Map<K, Instant> alarms, java.util.Collection<K> due) {
    for (Iterator<Map.Entry<K, Instant>> it = alarms.entrySet().iterator(); it.hasNext(); ) {
      Map.Entry<K, Instant> alarm = it.next();
      if (!alarm.getValue().isAfter(now)) {
        it.remove();
        due.add(alarm.getKey());
      }
    }
  }

  /** Whether the operator has nothing to do and waits for nothing. */
  public boolean isAtRest() {
    return orphans.isEmpty()
        && startsAt.isEmpty()
        && agenda.isEmpty()
        && hall.due.isEmpty()
        && hall.sent.isEmpty()
        && operator
            .map(process ->
                process.requests.isEmpty()
                    && process.due.isEmpty()
                    && process.alarms.isEmpty()
                    && process.unlisted().isEmpty()
                    && process.stallEnds().isEmpty())
            .orElse(true);
  }

  /** Keys that the operator is about to look at, for diagnosis. */
  public List<Key> due() {
    return operator.map(process -> List.copyOf(process.due)).orElse(List.of());
  }
}
