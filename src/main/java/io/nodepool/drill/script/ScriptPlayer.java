package io.nodepool.drill.script;

import io.nodepool.drill.script.Deed.Fault;
import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.drill.workload.WorkloadRunner;
import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.Observation;
import io.nodepool.whatif.AskedChange;
import io.nodepool.whatif.Question;
import io.nodepool.world.World;
import io.nodepool.world.WorldActors;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Plays the deeds of a script in a world. */
public final class ScriptPlayer {
  /** The source of the alerts of a script. */
  private static final String MONITOR = "monitor";

  /** The interval of the monitor's heartbeats: sources are silent after hours. */
  private static final Duration HEARTBEAT = Duration.ofMinutes(10);

  /** The longest time until a monitor sees that a boot ended its alert. */
  private static final Duration SEES_BOOT = Duration.ofSeconds(30);

  private final World world;
  private final WorldCluster cluster;
  private final WorkloadRunner workloads;
  private final Consumer<String> timeline;
  private final AskedChange client;
  private final Map<String, String> boots = new HashMap<>();
  private boolean reports;

  /**
   * Plays in this world.
   *
   * @param timeline receives lines about deeds
   */
  public ScriptPlayer(World world, WorkloadRunner workloads, Consumer<String> timeline) {
    this.world = world;
    this.cluster = world.cluster();
    this.workloads = workloads;
    this.timeline = timeline;
    this.client = new AskedChange(world);
    cluster.watch(this::see, WorldCluster.Kind.HOSTS);
  }

  /** Plays an entry now. */
  public void play(ScriptEntry entry, ScriptEvent occurrence) {
    SplittableRandom random = new SplittableRandom(occurrence.seed());
    switch (entry.deed()) {
      case Deed.Ask(Question question) -> {
        timeline.accept(entry.text());
        ask(question);
      }
      case Deed.DeletePool(String pool) -> {
        timeline.accept(entry.text());
        if (cluster.pool(pool).isPresent()) {
          cluster.deletePool(pool, world.instant());
        }
      }
      case Deed.ScaleWorkload(WorkloadManifest workload, int replicas) -> {
        timeline.accept(entry.text());
        workloads.apply(workload.withReplicas(replicas));
      }
      case Deed.RestartOperator(Duration down) -> {
        timeline.accept(entry.text());
        world.operators().restart(down);
      }
      case Deed.PauseOperator(Duration time) -> {
        timeline.accept(entry.text());
        world.operators().pause(time);
      }
      case Deed.ApiOutage(Duration time) -> {
        timeline.accept(entry.text());
        world.apiOutages().outage(time);
      }
      case Deed.ToMachines(MachineSelection machines, Fault fault) -> {
        List<String> names = machines.of(cluster, random);
        timeline.accept(
            "%s: %s".formatted(entry.text(), names.isEmpty() ? "none" : String.join(", ", names)));
        names.forEach(name -> strike(name, fault));
      }
    }
  }

  private void ask(Question question) {
    boolean exists =
        question instanceof Question.Apply
            || question.poolNames().stream().allMatch(name -> cluster.pool(name).isPresent());
    if (exists) {
      client.ask(question);
    }
  }

  private void strike(String name, Fault fault) {
    boolean joined = cluster.node(name).isPresent();
    switch (fault) {
      case Fault.Cordon() -> cluster.nodeClients().cordon(name, true);
      case Fault.Uncordon() -> cluster.nodeClients().cordon(name, false);
      case Fault.DrainByHand() -> client.ask(new Question.DrainOfNodes(List.of(name)));
      case Fault.Reboot(var state, boolean immediate) -> {
        if (joined) {
          client.ask(new Question.Reboot(List.of(name), state, immediate));
        }
      }
      case Fault.Preempt(var time) -> {
        client.ask(new Question.Preempt(List.of(name)));
        time.ifPresent(each -> world.later(each, () -> offerAgain(name)));
      }
      case Fault.LosePower(var time) ->
          world.actors().trip(name, time.orElse(WorldActors.FOR_GOOD));
      case Fault.Fail(var time) -> world.actors().fail(name, time.orElse(WorldActors.FOR_GOOD));
      case Fault.Silence(Duration time) -> {
        if (joined) {
          world.actors().silence(name, time);
        }
      }
      case Fault.ReportAlert alert -> report(name, alert);
      case Fault.Maintain(Duration time) -> {
        cluster.fleetOwner().maintenance(name, true);
        world.later(time, () -> cluster.fleetOwner().maintenance(name, false));
      }
      case Fault.Release() -> cluster.fleetOwner().setAside(name, "");
    }
  }

  private void offerAgain(String host) {
    cluster.fleetOwner().withdrawReclaim(host);
    cluster.fleetOwner().offerSpot(host, true);
  }

  private void report(String host, Fault.ReportAlert alert) {
    beat();
    SignalKey key =
        new SignalKey(alert.isFalse() ? MONITOR + "-false" : MONITOR, SignalKey.HOST, alert.name());
    cluster.signals().report(host, Signal.standing(key, world.instant()));
    alert.time().ifPresent(time -> world.later(time, () -> cluster.signals().withdraw(host, key)));
  }

  private void beat() {
    if (!reports) {
      reports = true;
      repeat();
    }
  }

  private void repeat() {
    cluster.signals().beat(MONITOR);
    cluster.signals().beat(MONITOR + "-false");
    world.later(HEARTBEAT, this::repeat);
  }

  /** A boot ends true alerts about a machine. */
  private void see(Observation seen) {
    if (!(seen instanceof Observation.HostSeen(Host host)) || host.report().bootId().isEmpty()) {
      return;
    }
    String name = host.id().name();
    String last = boots.put(name, host.report().bootId());
    if (last != null && !last.equals(host.report().bootId())) {
      Instant booted = world.instant();
      world.later(
          SEES_BOOT,
          () ->
              cluster.signals().about(name).stream()
                  .filter(signal -> signal.key().source().equals(MONITOR))
                  .filter(signal -> signal.since().isBefore(booted))
                  .forEach(signal -> cluster.signals().withdraw(name, signal.key())));
    }
  }
}
