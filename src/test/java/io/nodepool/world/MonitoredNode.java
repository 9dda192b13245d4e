package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.world.RepairPairs.Repair;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A Node whose machine has faults, with what happens to it: its monitor takes an alert back once a
 * boot has healed the fault, or the component is repaired.
 */
final class MonitoredNode {
  private final Drill drill;
  private final WorldCluster cluster;
  private final Node node;
  private final Optional<Pod> pod;
  private final List<Repair> repairs;
  private final int step;
  private final List<String> boots = new ArrayList<>();
  private Optional<Instant> podEnded = Optional.empty();

  /**
   * A Node that is watched.
   *
   * @param pod its work, which a budget never allows to evict; empty if it is idle
   * @param repairs its faults
   * @param step how often the monitor looks, in seconds
   */
  MonitoredNode(Drill drill, Node node, Optional<Pod> pod, List<Repair> repairs, int step) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.node = node;
    this.pod = pod;
    this.repairs = repairs;
    this.step = step;
    pod.ifPresent(each -> cluster.workloads().guard(each.uid()));
  }

  String name() {
    return node.name();
  }

  void report(Repair repair) {
    cluster.signals().report(name(), Signal.standing(repair.key(), drill.world.instant()));
  }

  /** Lets time pass, with the monitor. */
  void pass(Duration time) {
    for (int i = 0; i < time.toSeconds() / step; i++) {
      int before = cycles();
      drill.advance(step, SECONDS);
      if (cycles() > before) {
        boots.add(host().boot().map(boot -> boot.kind().word()).orElse("first"));
      }
      repairs.stream().filter(each -> each.isDone(boots, host())).forEach(this::withdraw);
      boolean lives =
          pod.flatMap(each -> Optional.ofNullable(cluster.pods().get(each.uid())))
              .filter(each -> each.deletedAt().isEmpty())
              .isPresent();
      if (pod.isPresent() && !lives && podEnded.isEmpty()) {
        podEnded = Optional.of(drill.world.instant());
      }
    }
  }

  /**
   * Three hours pass, then the work ends by itself, and two hours after that all is over.
   *
   * @return how long after the beginning the work was ended, in minutes and seconds; empty if it
   *     was not
   */
  Optional<String> passAll() {
    Instant begin = drill.world.instant();
    pass(Duration.ofHours(3));
    Optional<String> ended = podEnded.map(at -> after(begin, at));
    pod.ifPresent(each -> cluster.workloads().finish(each.uid()));
    pass(Duration.ofHours(1));
    repairs.forEach(this::withdraw);
    drill.advance(1, HOURS);
    return ended;
  }

  private static String after(Instant begin, Instant at) {
    Duration after = Duration.between(begin, at);
    return after.isNegative()
        ? "before"
        : "%d:%02d".formatted(after.toMinutes(), after.toSecondsPart());
  }

  private void withdraw(Repair repair) {
    cluster.signals().withdraw(name(), repair.key());
  }

  private int cycles() {
    return cluster.powerCycles().getOrDefault(name(), 0);
  }

  private Host host() {
    return Objects.requireNonNull(cluster.hosts().get(name()));
  }

  /** What became of the Node. */
  String end() {
    Optional<Node> present =
        Optional.ofNullable(cluster.nodes().get(name()))
            .filter(each -> each.uid().equals(node.uid()));
    return present.isEmpty()
        ? "leaves"
        : present.filter(Node::isAvailable).isPresent() ? "in production" : "waits";
  }

  /** The boots of its machine, in order. */
  String boots() {
    return boots.isEmpty() ? "none" : String.join(", ", boots);
  }

  /** What became of its Host. */
  String hostEnd() {
    return host().deliveries().isSetAside() ? "set aside" : "in service";
  }
}
