package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.world.RepairPairs.Repair;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
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
  private final Repair first;
  private final Repair second;
  private final Work work;
  private final MonitoredNode node;

  private GradePairs(Repair first, Repair second, Work work) {
    this.first = first;
    this.second = second;
    this.work = work;
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(1)
        .pool("a")
        .edit(spec ->
            spec.withLifecycle(
                spec.lifecycle().withDisableUnhealthyNodeEviction(work.isProtected())))
        .advance(90, MINUTES);
    Node only = pool.nodes().getFirst();
    Optional<Pod> pod =
        Optional.of(only)
            .filter(_ -> work.isBusy())
            .map(each ->
                drill.world.cluster().bindPod("default", "train", each.name(), "ReplicaSet"));
    this.node = new MonitoredNode(drill, only, pod, List.of(first, second), 10);
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
    node.report(first);
    node.pass(older);
    node.report(second);
    Optional<String> ended = node.passAll();
    return new Row(
        first.grade(),
        second.grade(),
        work.word,
        older.isZero() ? "at once" : older.toHours() + " h",
        node.end(),
        node.boots(),
        work.isBusy() ? ended.orElse("by itself") : "none",
        node.hostEnd());
  }
}
