package io.nodepool.world.operator;

import io.nodepool.control.Control;
import io.nodepool.control.LoopSettings;
import io.nodepool.control.PoolLoop;
import io.nodepool.control.SteadyClock;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * One process of the operator in the virtual world: its watches, its due loops and timers, and its
 * requests.
 */
public final class OperatorProcess implements Writer {
  /** An object as it was observed at an instant before the process began. */
  public record Backdated(Instant at, Observation object) {}

  /** Receives what an operator observes and requests. */
  public interface Listener {
    /** An operator observes this, by a watch or in the answer to a request. */
    void observed(OperatorProcess operator, Observation seen);

    /** A request for an action is made. */
    void requested(Request request, Action action);
  }

  /** The runtime's wait before it retries a write of a finalizer. */
  private static final Duration FINALIZER_RETRY = Duration.ofSeconds(2);

  /** The version of the virtual world's API server. */
  private static final String API_SERVER = "v1.34.4";

  private static final Set<WorldCluster.Kind> KINDS = EnumSet.allOf(WorldCluster.Kind.class);

  private final WorldCluster cluster;
  private final Map<WorldCluster.Kind, WatchStream> streams =
      new EnumMap<>(WorldCluster.Kind.class);
  private final List<Runnable> stops = new ArrayList<>();

  /** Requests that are not answered yet. */
  public final List<Request> requests = new ArrayList<>();

  /** The loops that must run. */
  public final Set<ReconcileKey> due = new LinkedHashSet<>();

  /** When each loop must run again. */
  public final KeyTimers<ReconcileKey> alarms = new KeyTimers<>();

  /** The operator itself. */
  public final Control control;

  /** Whether its Lease is valid, so that its writes pass the gate. */
  public boolean leads = true;

  /** Receives what it observes and requests. */
  private final Listener listener;

  private final OperatorOverrides overrides;

  private final InstantSource time;
  private final InstantSource clock;

  private final Consumer<Observation> watch;
  private boolean folding;

  /** When it observed the object that it folds, if that was earlier. */
  private Optional<Instant> backdated = Optional.empty();

  /** The loop that runs, or ran last. */
  private ReconcileKey running = new ReconcileKey.OfWrites();

  /** Objects whose last write is in doubt, and the loop that requested it. */
  public final Map<Action.Subject, ReconcileKey> doubts = new LinkedHashMap<>();

  private boolean announced;

  /**
   * Creates an operator that has observed nothing.
   *
   * @param time virtual time
   * @param wall the wall clock of its machine
   */
  public OperatorProcess(
      WorldCluster cluster,
      InstanceCatalogue catalogue,
      InstantSource time,
      InstantSource wall,
      LoopSettings timings,
      OperatorOverrides overrides,
      Leaderships leaderships,
      Listener listener) {
    this.cluster = cluster;
    this.overrides = overrides;
    this.time = time;
    Instant started = time.instant();
    InstantSource steady =
        new SteadyClock(wall, () -> Duration.between(started, time.instant()).toNanos());
    this.clock = () -> backdated.orElseGet(steady::instant);
    this.listener = listener;
    this.control =
        new Control(
            overrides.poolPlanning(catalogue),
            overrides.machinePlanning(catalogue),
            ControlPlaneNamespaces.DEFAULTS,
            overrides.wiring().writer().wrap(this, this::observe),
            this::wake,
            clock,
            timings,
            overrides.generation(),
            () -> leaderships.resumed(time.instant(), wall.instant()));
    this.watch = overrides.wiring().watch().apply(control::observe);
  }

  /** Folds an observation of a watch. */
  private void observe(Observation seen) {
    control.observe(seen);
  }

  /** Sets a loop's timer, in virtual time: a timer waits for a duration and reads no clock. */
  private void alarm(ReconcileKey key, Instant wakeup) {
    alarms.put(key, time.instant().plus(Duration.between(clock.instant(), wakeup)));
  }

  private void wake(ReconcileKey key) {
    if (!folding) {
      due.add(key);
    }
  }

  /** Lists a kind and watches it from that version on. */
  public void list(WorldCluster.Kind kind, RandomGenerator random) {
    WatchStream stream = new WatchStream(time);
    streams.put(kind, stream);
    List<Observation> objects = new ArrayList<>(cluster.list(kind));
    Collections.shuffle(objects, Random.from(random));
    objects.forEach(stream::add);
    stream.listed = objects.size();
    stops.add(cluster.watch(kind, stream::add));
  }

  /** Adds the kinds that it has not listed yet. */
  public void addLists(Consumer<WorldCluster.Kind> unlisted) {
    if (streams.size() < KINDS.size()) {
      KINDS.stream().filter(kind -> !streams.containsKey(kind)).forEach(unlisted);
    }
  }

  /** Adds the streams that have something to deliver. */
  public void addDeliveries(Instant now, ApiOutages apiOutages, Consumer<WatchStream> deliverable) {
    streams.forEach((kind, stream) -> {
      if (!stream.isEmpty() && !stream.stalledUntil.isAfter(now) && !apiOutages.isStalled(kind)) {
        deliverable.accept(stream);
      }
    });
  }

  /** When its next steps are possible: its timers, and the ends of stalls and delays. */
  public Stream<Instant> alarms(Instant now) {
    Stream<Instant> stalls =
        streams.values().stream()
            .filter(stream -> !stream.isEmpty())
            .map(stream -> stream.stalledUntil);
    Stream<Instant> delays = requests.stream().map(request -> request.notBefore);
    return Stream.concat(
        alarms.next().stream(), Stream.concat(stalls, delays).filter(at -> at.isAfter(now)));
  }

  /**
   * The oldest moment that it may take for the present, since late observations are not folded yet.
   */
  Instant knownSince() {
    return streams.values().stream()
        .filter(stream -> !stream.isEmpty())
        .map(stream -> stream.behindSince)
        .min(Instant::compareTo)
        .orElseGet(time::instant);
  }

  /** Whether it has no due loop, timer, request or delivery. */
  public boolean isAtRest() {
    return leads
        && requests.isEmpty()
        && due.isEmpty()
        && alarms.isEmpty()
        && streams.size() == KINDS.size()
        && streams.values().stream().allMatch(WatchStream::isEmpty);
  }

  /** Whether it has observed the cluster, so that it plans. */
  public boolean isComplete() {
    return announced;
  }

  /** Whether it will run this loop: it is due, or its timer is set. */
  public boolean willRun(ReconcileKey key) {
    return due.contains(key) || alarms.has(key);
  }

  /** The observations that are on their way to it. */
  public Stream<Observation> onTheirWay() {
    return streams.values().stream().flatMap(WatchStream::waiting);
  }

  /** Delivers the next observation of a stream. */
  public void deliver(WatchStream stream) {
    Observation seen = stream.next();
    if (overrides.wiring().triggerFirst()) {
      run(new ReconcileKey.OfMachine(WatchStream.name(seen)));
      run(new ReconcileKey.OfPool(WatchStream.name(seen)));
    }
    folding = overrides.wiring().triggerFirst();
    listener.observed(this, seen);
    watch.accept(seen);
    folding = false;
    announceIfComplete();
  }

  /**
   * Lists and observes everything at once, like an operator that observed the cluster since then.
   *
   * @param history gives the earlier observations of an object from its current one
   */
  public void observeAll(
      Instant since, Function<Observation, Stream<Backdated>> history, RandomGenerator random) {
    KINDS.forEach(kind -> list(kind, random));
    List<Backdated> all = new ArrayList<>();
    streams
        .values()
        .forEach(stream -> {
          while (!stream.isEmpty()) {
            history.apply(stream.next()).forEach(all::add);
          }
        });
    all.sort(Comparator.comparing(Backdated::at));
    for (Backdated seen : all) {
      backdated = Optional.of(seen.at());
      listener.observed(this, seen.object());
      watch.accept(seen.object());
    }
    backdated = Optional.empty();
    announced = true;
    control.observe(new Observation.ApiServerSeen(API_SERVER));
    control.listed(since);
  }

  /**
   * Starts planning once the first list of every kind was delivered, except HostSignals: a cluster
   * may lack their definition.
   */
  public void announceIfComplete() {
    if (!announced
        && KINDS.stream()
            .allMatch(kind -> streams.containsKey(kind) || kind == WorldCluster.Kind.SIGNALS)
        && streams.entrySet().stream()
            .allMatch(e -> e.getKey() == WorldCluster.Kind.SIGNALS || e.getValue().listed == 0)) {
      announced = true;
      control.observe(new Observation.ApiServerSeen(API_SERVER));
      control.listed();
    }
  }

  /** Runs a loop for a key, as the runtime does: the pool's finalizer first. */
  public void run(ReconcileKey key) {
    due.remove(key);
    alarms.remove(key);
    running = key;
    switch (key) {
      case ReconcileKey.OfPool(String name) -> runPool(name, key);
      case ReconcileKey.OfMachine(String name) ->
          control.reconcileMachine(name).ifPresent(at -> alarm(key, at));
      case ReconcileKey.OfNamespace(String name) ->
          control.reconcileNamespace(name).ifPresent(at -> alarm(key, at));
      case ReconcileKey.OfWrites _ -> control.reconcileWrites().ifPresent(at -> alarm(key, at));
    }
  }

  /** Runs a pool's loop, if the pool exists, as the runtime does. */
  private void runPool(String name, ReconcileKey key) {
    cluster
        .pool(name)
        .ifPresent(pool -> {
          if (!pool.guarded() && !pool.isTerminating()) {
            guard(new Request.Piece.SetFinalizer(pool.id(), true), key);
          }
          PoolLoop.Outcome outcome = control.reconcilePool(name);
          outcome.wakeup().ifPresent(at -> alarm(key, at));
          if (outcome.released() && pool.isTerminating()) {
            guard(new Request.Piece.SetFinalizer(pool.id(), false), key);
          }
        });
  }

  private void guard(Request.Piece.SetFinalizer guard, ReconcileKey key) {
    if (requests.stream().noneMatch(request -> request.isGuard(guard))) {
      requests.add(new Request(this, key, List.of(guard), answer -> guarded(answer, key)));
    }
  }

  /** Waits before a failed write of a finalizer is retried, as the runtime does. */
  private void guarded(Answer<Observation> answer, ReconcileKey key) {
    switch (answer) {
      case Answer.Unavailable<Observation> _, Answer.Unknown<Observation> _ ->
          alarms.putIfSooner(key, time.instant().plus(FINALIZER_RETRY));
      case Answer.Done<Observation> _,
          Answer.Missing<Observation> _,
          Answer.Failed<Observation> _ ->
          due.add(key);
    }
  }

  @Override
  public void submit(
      List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
    List<Request.Piece> pieces = new ArrayList<>();
    eventDrafts.forEach(eventDraft -> pieces.add(new Request.Piece.Emit(eventDraft)));
    pieces.add(new Request.Piece.Act(action));
    Request request = new Request(this, running, pieces, answer);
    listener.requested(request, action);
    requests.add(request);
  }

  @Override
  public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
    requests.add(
        new Request(
            this,
            doubts.getOrDefault(subject, running),
            List.of(new Request.Piece.Read(subject)),
            answer));
  }

  /** The answer to a request arrives. */
  public void answered(Request request) {
    requests.remove(request);
    Answer<Observation> outcome = request.outcome.orElseThrow();
    if (outcome instanceof Answer.Done<Observation>(Observation seen)) {
      listener.observed(this, seen);
    }
    if (!(request.pieces.peekLast() instanceof Request.Piece.SetFinalizer)) {
      request.subjects.forEach(subject -> noteDoubt(subject, request.owner, outcome));
    }
    request.answer.accept(outcome);
  }

  /** A write whose answer is lost is in doubt until a live read of its object succeeds. */
  private void noteDoubt(Action.Subject subject, ReconcileKey owner, Answer<Observation> outcome) {
    switch (outcome) {
      case Answer.Unknown<Observation> _ -> doubts.put(subject, owner);
      case Answer.Done<Observation> _, Answer.Missing<Observation> _ -> doubts.remove(subject);
      case Answer.Failed<Observation> _ -> {}
    }
  }

  /** Kills the process: its watches end. Requests that were sent may still take effect. */
  public void die() {
    stops.forEach(Runnable::run);
  }
}
