package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Alerts of two grades about one machine. A busy Node has a Pod that a budget never allows to
 * evict, and that ends by itself 3 hours after the second alert. The monitor takes an alert back
 * once a boot has healed its fault, or its component is repaired.
 */
public final class GradePairs {
  /**
   * A row of the page.
   *
   * @param work whether the Node is busy, in a pool that protects work or not
   * @param older how much older the first alert is
   * @param node what becomes of the Node
   * @param boots the boots of its machine until the Node is back or gone, in order
   * @param pod when its Pod ended, in minutes and seconds after the second alert
   * @param host whether its Host is set aside
   */
  public record Row(
      String first,
      String second,
      String work,
      String older,
      String node,
      String boots,
      String pod,
      String host) {
    /** The cells. */
    public List<String> cells() {
      return List.of(first, second, work, older, node, boots, pod, host);
    }
  }

  /** The work of the Node. */
  private enum Work {
    IDLE("idle, protected"),
    IDLE_UNPROTECTED("idle, not protected"),
    PROTECTED("busy, protected"),
    UNPROTECTED("busy, not protected");

    private final String word;

    Work(String word) {
      this.word = word;
    }

    private boolean isBusy() {
      return this == PROTECTED || this == UNPROTECTED;
    }

    private boolean isProtected() {
      return this == IDLE || this == PROTECTED;
    }
  }

  private final Drill drill = Drill.calm(43);
  private final WorldCluster cluster = drill.world.cluster();
  private final List<Repair> repairs;
  private final Work work;
  private final List<String> boots = new ArrayList<>();
  private final Node node;
  private final Optional<Pod> pod;
  private Optional<Instant> podEnded = Optional.empty();

  private GradePairs(Repair first, Repair second, Work work) {
    this.repairs = List.of(first, second);
    this.work = work;
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(1)
        .pool("a")
        .edit(spec ->
            spec.withLifecycle(
                spec.lifecycle().withDisableUnhealthyNodeEviction(work.isProtected())))
        .advance(90, MINUTES);
    this.node = pool.nodes().getFirst();
    this.pod =
        Optional.of(node)
            .filter(_ -> work.isBusy())
            .map(each -> cluster.bindPod("default", "train", each.name(), "ReplicaSet"));
    pod.ifPresent(each -> cluster.workloads().guard(each.uid()));
    drill.advance(1, MINUTES);
  }

  /** The rows as written, for the page and the test. */
  public static List<Row> rows() {
    return RepairPairs.cells("/grade-pairs.txt")
        .map(c -> new Row(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]))
        .toList();
  }

  /** All rows as they are played: at once, and where the first one waits also hours later. */
  static List<Row> played() {
    return Arrays.stream(Repair.values())
        .flatMap(first ->
            Arrays.stream(Repair.values())
                .filter(second -> second != first)
                .flatMap(second -> Stream.concat(atOnce(first, second), later(first, second))))
        .toList();
  }

  private static Stream<Row> atOnce(Repair first, Repair second) {
    return Arrays.stream(Work.values())
        .filter(_ -> first.compareTo(second) < 0)
        .map(work -> new GradePairs(first, second, work).play(Duration.ZERO));
  }

  private static Stream<Row> later(Repair first, Repair second) {
    return Stream.of(first)
        .filter(Repair::waits)
        .map(_ -> new GradePairs(first, second, Work.PROTECTED).play(Duration.ofHours(5)));
  }

  private Row play(Duration older) {
    report(repairs.getFirst());
    pass((int) older.toSeconds());
    report(repairs.getLast());
    Instant second = drill.world.instant();
    pass(3 * 60 * 60);
    String ended =
        pod.isEmpty()
            ? "none"
            : podEnded.map(at -> RepairPairs.after(second, at)).orElse("by itself");
    pod.ifPresent(each -> cluster.workloads().finish(each.uid()));
    pass(60 * 60);
    repairs.forEach(each -> cluster.signals().withdraw(node.name(), each.key()));
    drill.advance(1, HOURS);
    return new Row(
        repairs.getFirst().grade(),
        repairs.getLast().grade(),
        work.word,
        older.isZero() ? "at once" : older.toHours() + " h",
        end(),
        boots.isEmpty() ? "none" : String.join(", ", boots),
        ended,
        host().deliveries().isSetAside() ? "set aside" : "in service");
  }

  private String end() {
    Optional<Node> present =
        Optional.ofNullable(cluster.nodes().get(node.name()))
            .filter(each -> each.uid().equals(node.uid()));
    return present.isEmpty()
        ? "leaves"
        : present.filter(Node::isAvailable).isPresent() ? "in production" : "waits";
  }

  private Host host() {
    return Objects.requireNonNull(cluster.hosts().get(node.name()));
  }

  private void report(Repair repair) {
    cluster.signals().report(node.name(), Signal.standing(repair.key(), drill.world.instant()));
  }

  /** Lets time pass, with the monitor. */
  private void pass(int seconds) {
    for (int i = 0; i < seconds / 10; i++) {
      int before = cluster.powerCycles().getOrDefault(node.name(), 0);
      drill.advance(10, SECONDS);
      if (cluster.powerCycles().getOrDefault(node.name(), 0) > before) {
        boots.add(host().boot().map(boot -> boot.kind().word()).orElse("first"));
      }
      repairs.stream()
          .filter(each -> each.isDone(boots, host()))
          .forEach(each -> cluster.signals().withdraw(node.name(), each.key()));
      boolean lives =
          pod.flatMap(each -> Optional.ofNullable(cluster.pods().get(each.uid())))
              .filter(each -> each.deletedAt().isEmpty())
              .isPresent();
      if (pod.isPresent() && !lives && podEnded.isEmpty()) {
        podEnded = Optional.of(drill.world.instant());
      }
    }
  }
}
