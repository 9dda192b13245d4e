package io.nodepool.world;

import io.nodepool.control.Control;
import io.nodepool.control.Key;
import io.nodepool.control.PoolLoop;
import io.nodepool.control.Timings;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.Notice;
import io.nodepool.plan.PoolPlanner;
import io.nodepool.plan.Rules;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One life of the operator in the virtual world: what it watches, what it has to look at, what it
 * has sent.
 */
final class OperatorProcess implements Writer {
  /** A request under way: what is left of it to take effect, then its answer. */
  static final class Request {
    final Deque<Notice> notices;
    final Optional<Action> action;
    final Optional<Action.Subject> read;
    final Optional<Guard> guard;
    final Consumer<Answer<Observation>> answer;
    Optional<Answer<Observation>> outcome = Optional.empty();

    Request(
        List<Notice> notices,
        Optional<Action> action,
        Optional<Action.Subject> read,
        Optional<Guard> guard,
        Consumer<Answer<Observation>> answer) {
      this.notices = new ArrayDeque<>(notices);
      this.action = action;
      this.read = read;
      this.guard = guard;
      this.answer = answer;
    }
  }

  /** The finalizer to be put on a pool or taken off. The runtime writes it, not the writer. */
  record Guard(PoolId pool, boolean guarded) {}

  private final WorldCluster cluster;
  private final Map<WorldCluster.Kind, Stream> streams = new EnumMap<>(WorldCluster.Kind.class);
  private final Set<WorldCluster.Kind> unlisted = EnumSet.allOf(WorldCluster.Kind.class);
  private final List<Runnable> stops = new ArrayList<>();
  final List<Request> requests = new ArrayList<>();
  final Set<Key> due = new LinkedHashSet<>();
  final Map<Key, Instant> alarms = new LinkedHashMap<>();
  final Control control;
  private final Parts parts;
  private boolean folding;
  private boolean announced;

  OperatorProcess(
      WorldCluster cluster,
      InstanceCatalogue catalogue,
      InstantSource clock,
      Timings timings,
      Parts parts) {
    this.cluster = cluster;
    this.parts = parts;
    Rules rules = parts.rules().apply(Rules.DEFAULTS);
    this.control =
        new Control(
            catalogue,
            parts.planner().apply(new PoolPlanner(catalogue, rules)::plan),
            rules,
            ControlPlaneNamespaces.DEFAULTS,
            parts.writer().apply(this),
            this::wake,
            clock,
            clock,
            timings);
  }

  private void wake(Key key) {
    if (!folding) {
      due.add(key);
    }
  }

  /** Lists a kind and watches it from there on. */
  void list(WorldCluster.Kind kind, java.util.random.RandomGenerator random) {
    unlisted.remove(kind);
    Stream stream = new Stream();
    streams.put(kind, stream);
    List<Observation> objects = new ArrayList<>(cluster.list(kind));
    java.util.Collections.shuffle(objects, java.util.Random.from(random));
    objects.forEach(stream::add);
    stream.listed = objects.size();
    stops.add(cluster.watch(kind, stream::add));
  }

  Set<WorldCluster.Kind> unlisted() {
    return unlisted;
  }

  /** Streams that have something to deliver. */
  List<Stream> deliverable(Instant now) {
    return streams.values().stream()
        .filter(stream -> !stream.isEmpty() && !stream.stalledUntil.isAfter(now))
        .toList();
  }

  /** The earliest end of a stall. */
  Optional<Instant> stallEnds() {
    return streams.values().stream()
        .filter(stream -> !stream.isEmpty())
        .map(stream -> stream.stalledUntil)
        .min(Instant::compareTo);
  }

  /** Delivers the next thing of a stream. */
  void deliver(Stream stream) {
    Observation seen = stream.next();
    if (parts.triggerFirst()) {
      run(new Key.OfMachine(Stream.name(seen)));
      run(new Key.OfPool(Stream.name(seen)));
    }
    folding = parts.triggerFirst();
    control.observe(seen);
    folding = false;
    announceIfComplete();
  }

  /** Planning begins once every kind's first list was delivered. */
  void announceIfComplete() {
    if (!announced
        && unlisted.isEmpty()
        && streams.values().stream().allMatch(stream -> stream.listed == 0)) {
      announced = true;
      control.listed();
    }
  }

  /** Runs a loop for a key, as the runtime does: the pool's finalizer first. */
  void run(Key key) {
    due.remove(key);
    alarms.remove(key);
    switch (key) {
      case Key.OfPool(String name) -> runPool(name, key);
      case Key.OfMachine(String name) ->
          control.reconcileMachine(name).ifPresent(at -> alarms.put(key, at));
      case Key.OfNamespace(String name) ->
          control.reconcileNamespace(name).ifPresent(at -> alarms.put(key, at));
      case Key.OfWrites _ -> control.reconcileWrites().ifPresent(at -> alarms.put(key, at));
    }
  }

  /** The runtime runs nothing for a pool that does not exist. */
  private void runPool(String name, Key key) {
    Optional<Pool> pool = cluster.pool(name);
    if (pool.isEmpty()) {
      return;
    }
    pool.filter(seen -> !seen.guarded() && !seen.isLeaving())
        .ifPresent(seen -> guard(new Guard(seen.id(), true), key));
    PoolLoop.Outcome outcome = control.reconcilePool(name);
    outcome.wakeup().ifPresent(at -> alarms.put(key, at));
    if (outcome.released()) {
      pool.filter(Pool::isLeaving).ifPresent(seen -> guard(new Guard(seen.id(), false), key));
    }
  }

  private void guard(Guard guard, Key key) {
    boolean underWay =
        requests.stream().anyMatch(request -> request.guard.equals(Optional.of(guard)));
    if (!underWay) {
      requests.add(
          new Request(
              List.of(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(guard),
              answer -> due.add(key)));
    }
  }

  @Override
  public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
    requests.add(
        new Request(notices, Optional.of(action), Optional.empty(), Optional.empty(), answer));
  }

  @Override
  public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
    requests.add(
        new Request(List.of(), Optional.empty(), Optional.of(subject), Optional.empty(), answer));
  }

  /** Dies: watches end, memory is gone. Requests that were sent may still take effect. */
  void die() {
    stops.forEach(Runnable::run);
  }

  /** What a watch has brought and the operator has not taken in yet. */
  static final class Stream {
    private final Deque<Observation> waiting = new ArrayDeque<>();
    int listed;
    Instant stalledUntil = Instant.MIN;

    void add(Observation seen) {
      waiting.addLast(seen);
    }

    boolean isEmpty() {
      return waiting.isEmpty();
    }

    Observation next() {
      listed = Math.max(0, listed - 1);
      return waiting.removeFirst();
    }

    /** Loses all but the last state of each object, as a broken watch and a new list do. */
    void coalesce() {
      if (listed > 0) {
        return;
      }
      Map<String, Observation> last = new LinkedHashMap<>();
      for (Observation seen : waiting) {
        String name = name(seen);
        last.remove(name);
        last.put(name, seen);
      }
      waiting.clear();
      waiting.addAll(last.values());
    }

    private static String name(Observation seen) {
      return switch (seen) {
        case Observation.PoolSeen(var pool) -> pool.id().name();
        case Observation.PoolGone(var pool, long _) -> pool.name();
        case Observation.PoolFoundEmpty(var pool) -> pool.name();
        case Observation.HostSeen(var host) -> host.id().name();
        case Observation.HostGone(var host, long _) -> host.name();
        case Observation.NodeSeen(var node) -> node.name();
        case Observation.NodeGone(String name, String _, long _) -> name;
        case Observation.PodSeen(var pod) -> pod.uid();
        case Observation.PodGone(String _, String uid, long _) -> uid;
        case Observation.PoolUnreadable(var pool, long _, String _) -> pool.name();
        case Observation.HostUnreadable(var host, long _, String _) -> host.name();
        case Observation.NodeUnreadable(String name, String _, long _, String _) -> name;
        case Observation.PodsListed(String name, String _, long _, var _) -> name;
        case Observation.EvictionTried(String _, String uid, var _) -> uid;
        case Observation.NamespaceSeen(var namespace) -> "namespace " + namespace.name();
        case Observation.NamespaceGone(String name, String _, long _) -> "namespace " + name;
        case Observation.OfferSeen _, Observation.OfferLost _ -> "offer";
      };
    }
  }
}
