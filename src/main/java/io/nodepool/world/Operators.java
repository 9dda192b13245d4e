package io.nodepool.world;

import io.nodepool.control.DisruptionCounts;
import io.nodepool.control.state.ClusterState;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Action;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.Request;
import io.nodepool.world.operator.WatchStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The processes of the operator: how they start, end, and hand the Lease over. */
public final class Operators {
  private final OperatorProcess.Listener told =
      new OperatorProcess.Listener() {
        @Override
        public void observed(OperatorProcess operator, Observation seen) {
          world.tell(each -> each.observed(operator, seen));
        }

        @Override
        public void requested(Request request, Action action) {
          world.tell(each -> each.requested(request, action));
        }
      };

  private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(20);

  /** The longest time from the end of a pause to the renewal of the Lease. */
  private static final Duration RENEWAL = Duration.ofSeconds(4);

  private final World world;
  private final WorldCluster cluster;
  private final InstanceCatalogue catalogue;
  private final WallClock wall;
  private final OperatorOverrides overrides;

  /** The leader, if there is one, and former leaders that have not noticed their loss yet. */
  private final List<OperatorProcess> processes = new ArrayList<>();

  private Optional<Instant> startsAt = Optional.empty();
  private int starts;

  /** Until when all processes are paused. */
  private Instant pausedUntil = Instant.MIN;

  Operators(World world, InstanceCatalogue catalogue, WallClock wall, OperatorOverrides overrides) {
    this.world = world;
    this.cluster = world.cluster();
    this.catalogue = catalogue;
    this.wall = wall;
    this.overrides = overrides;
  }

  Stream<OperatorProcess> all() {
    return processes.stream();
  }

  Optional<OperatorProcess> leader() {
    for (OperatorProcess process : processes) {
      if (process.leads) {
        return Optional.of(process);
      }
    }
    return Optional.empty();
  }

  /** The number of processes that were started. */
  public int starts() {
    return starts;
  }

  /** The state of the cluster in each process. */
  public Stream<ClusterState> states() {
    return all().map(process -> process.control.state());
  }

  /** The disruptions that ended, as each process counts them. */
  public Stream<DisruptionCounts> disruptions() {
    return all().map(process -> process.control.disruptions());
  }

  /** The number of entries in the leader's state, for leak checks. */
  public Optional<Map<String, Integer>> indexSizes() {
    return leader().map(process -> process.control.state().sizes());
  }

  /** The number of the leader's requests in flight. */
  public int underWay() {
    return leader().map(process -> process.requests.size()).orElse(0);
  }

  /** The keys that the processes must reconcile now, for diagnosis. */
  public List<ReconcileKey> due() {
    return all().flatMap(process -> process.due.stream()).toList();
  }

  /** Starts a new process, unless a process leads. */
  public void start() {
    startsAt = Optional.empty();
    if (leader().isEmpty()) {
      begin();
    }
  }

  /**
   * Starts a process that has observed the cluster since that instant.
   *
   * @param history gives the earlier observations of an object from its current one
   */
  public void startInformed(
      Instant since, Function<Observation, Stream<OperatorProcess.Backdated>> history) {
    begin().observeAll(since, history, world.random());
  }

  private OperatorProcess begin() {
    starts++;
    wall.correct();
    world.addTrace(() -> "an operator starts");
    world.tell(RunObserver::started);
    OperatorProcess process =
        new OperatorProcess(
            cluster, catalogue, world, wall, world.timings(), overrides, world.leaderships(), told);
    world.leaderships().begins(world.instant(), wall.instant());
    processes.add(process);
    return process;
  }

  /** Ends all processes at once; a new one starts after this time. */
  public void restart(Duration down) {
    kill();
    world.later(down, this::start);
  }

  /** Kills all processes at once. */
  void kill() {
    startsAt = Optional.empty();
    List.copyOf(processes).forEach(this::end);
  }

  /**
   * Pauses all processes for this long, like a paused virtual machine. Afterwards they plan or
   * renew the Lease, in any order.
   */
  public void pause(Duration time) {
    pausedUntil = world.instant().plus(time);
    world.addTrace(() -> "all operators stand still until " + pausedUntil);
    world.leaderships().ends(world.instant());
    world.later(
        time.plusNanos(world.random().nextLong(RENEWAL.toNanos())),
        () ->
            leader()
                .ifPresent(process -> {
                  world.leaderships().begins(world.instant(), wall.instant());
                  process.control.resumed();
                }));
  }

  private boolean arePaused() {
    return world.instant().isBefore(pausedUntil);
  }

  private void end(OperatorProcess process) {
    if (processes.remove(process)) {
      if (process.leads) {
        world.leaderships().ends(world.instant());
      }
      process.die();
      process.requests.stream()
          .filter(request -> request.outcome.isEmpty())
          .filter(request -> request.sent || world.random().nextBoolean())
          .forEach(world.traffic()::drift);
    }
  }

  /** Moves the Lease from the leader, which continues for a while, to a new process. */
  void handOver(Duration lingers) {
    leader()
        .ifPresent(old -> {
          world.addTrace(() -> "the Lease goes to another operator");
          old.leads = false;
          for (Request request : old.requests) {
            if (request.outcome.isEmpty() && world.random().nextBoolean()) {
              world.situations().add(Situation.HANDOVER_WITH_REQUESTS);
              request.send(soon(), cluster);
            }
          }
          world.later(lingers, () -> end(old));
        });
    start();
  }

  private Instant soon() {
    return world.instant().plusNanos(world.random().nextLong(LONGEST_OUTAGE.toNanos()));
  }

  /** Kills the process that sent this request; a new one starts after a while. */
  void crash(Request request) {
    world.addTrace(() -> "the operator dies at write " + world.writes());
    request.sender.requests.remove(request);
    end(request.sender);
    if (leader().isEmpty()) {
      startsAt = Optional.of(soon());
    }
  }

  /** Adds the steps that are possible now. */
  void addChoices(Choices choices) {
    processes.forEach(process -> addChoices(process, choices));
  }

  private void addChoices(OperatorProcess process, Choices choices) {
    Instant now = world.instant();
    if (arePaused()) {
      return;
    }
    if (!world.apiOutages().isOut()) {
      process.addLists(kind -> choices.add(() -> list(process, kind)));
      process.addDeliveries(
          now, world.apiOutages(), stream -> choices.add(() -> deliver(process, stream)));
    }
    choices.add(process.due, process::run);
    choices.add(
        process.requests, request -> !request.notBefore.isAfter(now), world.traffic()::proceed);
  }

  private void list(OperatorProcess process, WorldCluster.Kind kind) {
    process.list(kind, world.random());
    process.announceIfComplete();
  }

  private void deliver(OperatorProcess process, WatchStream stream) {
    if (percent(world.faults().stallPercent())) {
      stream.stalledUntil = soon();
    } else {
      if (percent(world.faults().relistPercent())) {
        stream.coalesce();
      }
      process.deliver(stream);
    }
  }

  private boolean percent(int percent) {
    return percent > 0 && world.random().nextInt(100) < percent;
  }

  /** When steps are possible next. */
  Stream<Instant> alarms() {
    return arePaused()
        ? Stream.of(pausedUntil)
        : Stream.concat(
            startsAt.stream(), all().flatMap(process -> process.alarms(world.instant())));
  }

  /** Moves expired timers to the due sets, and starts the process that is due. */
  void ring() {
    if (arePaused()) {
      return;
    }
    processes.forEach(process -> process.alarms.expire(world.instant(), process.due));
    if (startsAt.filter(at -> !at.isAfter(world.instant())).isPresent()) {
      start();
    }
  }

  /** Whether no process has anything to do or to wait for. */
  public boolean areAtRest() {
    return startsAt.isEmpty() && all().allMatch(OperatorProcess::isAtRest);
  }
}
