package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The repair of each grade beside each other cause on one Node of a spot pool. The Node has a Pod
 * that a budget never allows to evict, and that ends by itself 3 hours later; the pool keeps work
 * from being ended for repairs, but for the alerts that override that. The monitor takes its alert
 * back once a boot has healed the fault, or its component is repaired.
 */
public final class RepairPairs {
  /** A repair, by the alert that asks for it. */
  public enum Repair {
    COMPONENT("repair DPU", "DPURouteCountMismatch", ""),
    HOST_RESET("reset host when idle", "GPUNVLinkSWDefinedError", "HostReset PowerReset"),
    RESET(
        "reset host and DPU when idle", "DPUUnexpectedPuntedRoutes", "HostAndDpuReset PowerReset"),
    REBOOT("reboot when idle", "KernelDeadlock", "Reboot PowerReset"),
    REBOOT_NOW("reboot now", "GPUTimeoutError", "Reboot PowerReset"),
    OUT("out when idle", "NodeGPUNVLinkDown", ""),
    OUT_NOW("out now", "GPUFallenOffBus", "");

    private final String grade;
    private final String alert;
    private final List<String> healing;

    Repair(String grade, String alert, String healing) {
      this.grade = grade;
      this.alert = alert;
      this.healing = List.of(healing.split(" "));
    }

    /** Its name in the catalogue. */
    String grade() {
      return grade;
    }

    /** The key under which a monitor reports it. */
    SignalKey key() {
      return new SignalKey("dcgm", "host", alert);
    }

    /** Whether it waits for as long as the Node has work that its pool protects. */
    boolean waits() {
      return this != COMPONENT && this != REBOOT_NOW && this != OUT_NOW;
    }

    /** Whether its fault is healed, so that the monitor takes its alert back. */
    boolean isDone(List<String> boots, Host host) {
      return this == COMPONENT
          ? !host.report().repairs().isEmpty()
          : boots.stream().anyMatch(healing::contains);
    }
  }

  /** Another cause. */
  public enum Other {
    PREEMPTION("preemption"),
    ROLLOUT("rollout"),
    REBOOT("requested reboot"),
    SCALE_DOWN("scale-down"),
    DELETION("pool deletion");

    private final String word;

    Other(String word) {
      this.word = word;
    }

    /** Whether it waits for as long as the Node has work. */
    private boolean waits() {
      return this == ROLLOUT || this == REBOOT;
    }
  }

  /** The grades, in their order. */
  public static final List<String> GRADES = Stream.of(Repair.values()).map(Repair::grade).toList();

  /** The other causes, in their order. */
  public static final List<String> OTHERS =
      Stream.of(Other.values()).map(each -> each.word).toList();

  /** How much older the first cause is. */
  private static final List<Duration> OLDER = List.of(Duration.ofSeconds(80), Duration.ofHours(5));

  /**
   * A row of the page.
   *
   * @param older how much older the first cause is
   * @param node what becomes of the Node
   * @param boots the boots of its machine until the Node is back or gone, in order
   * @param pod when its Pod ended, in minutes after the second cause, or that it ended by itself
   * @param host whether its Host is set aside
   */
  public record Row(
      String first,
      String second,
      String older,
      String node,
      String boots,
      String pod,
      String host) {
    /** The cells. */
    public List<String> cells() {
      return List.of(first, second, older, node, boots, pod, host);
    }
  }

  private static final List<String> EITHER = List.of("none", "Reboot");

  private final Drill drill = Drill.calm(41);
  private final WorldCluster cluster = drill.world.cluster();
  private final Repair repair;
  private final Other other;
  private final MonitoredNode node;

  private RepairPairs(Repair repair, Other other) {
    this.repair = repair;
    this.other = other;
    Drill.PoolDrill pool = drill.pool("a");
    pool.spot(3);
    new RolloutClient(drill, "a").strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
    pool.strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).advance(90, MINUTES);
    Node first = pool.nodes().getFirst();
    Pod pod = cluster.bindPod("default", "train", first.name(), "ReplicaSet");
    this.node = new MonitoredNode(drill, first, Optional.of(pod), List.of(repair), 5);
    drill.advance(1, MINUTES);
  }

  /** The rows as written, for the page and the test. */
  public static List<Row> rows() {
    return cells("/repair-pairs.txt")
        .map(c -> new Row(c[0], c[1], c[2], c[3], c[4], c[5], c[6]))
        .toList();
  }

  /** The cells of each line of a table among the resources. */
  static Stream<String[]> cells(String table) {
    try (InputStream in = RepairPairs.class.getResourceAsStream(table)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split(" \\| "));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All rows as they are played. */
  static List<Row> played() {
    return Arrays.stream(Repair.values())
        .flatMap(repair ->
            Arrays.stream(Other.values())
                .flatMap(other ->
                    List.of(true, false).stream()
                        .flatMap(repairFirst ->
                            OLDER.stream()
                                .limit((repairFirst ? repair.waits() : other.waits()) ? 2 : 1)
                                .map(older ->
                                    new RepairPairs(repair, other).play(repairFirst, older)))))
        .toList();
  }

  private Row play(boolean repairFirst, Duration older) {
    if (repairFirst) {
      node.report(repair);
    } else {
      comes();
    }
    node.pass(older);
    if (repairFirst) {
      comes();
    } else {
      node.report(repair);
    }
    Optional<String> ended = node.passAll();
    return new Row(
        repairFirst ? repair.grade : other.word,
        repairFirst ? other.word : repair.grade,
        older.toHours() > 0 ? older.toHours() + " h" : older.toSeconds() + " s",
        node.end(),
        boots(node.boots()),
        ended.orElse("ends by itself"),
        node.hostEnd());
  }

  /** Both wait until the Node is idle, and either may be recorded first then. */
  private String boots(String played) {
    boolean either = other == Other.REBOOT && repair.grade.equals("out when idle");
    return either && EITHER.contains(played) ? String.join(" or ", EITHER) : played;
  }

  private void comes() {
    switch (other) {
      case PREEMPTION -> drill.reclaim(node.name());
      case ROLLOUT -> {
        RolloutClient client = new RolloutClient(drill, "a");
        client.release("2026.12");
        drill.advance(10, SECONDS);
        client.promote();
        drill.advance(10, SECONDS);
        client.start();
      }
      case REBOOT -> new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
      case SCALE_DOWN -> {
        cluster.nodeClients().label(node.name(), NodeLabels.REMOVE_NODE.key(), Optional.of("true"));
        drill.pool("a").target(2);
      }
      case DELETION -> drill.pool("a").delete();
    }
  }
}
