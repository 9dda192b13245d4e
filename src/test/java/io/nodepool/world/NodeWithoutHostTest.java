package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Condition;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests what is published of Nodes with work whose Hosts are deleted, and what becomes of them. */
class NodeWithoutHostTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();

  private Condition condition(PoolCondition type) {
    return cluster.pool("a").orElseThrow().status().condition(type).orElseThrow();
  }

  private String message(PoolCondition type) {
    return condition(type).message();
  }

  /** The number of Hosts of the pool's type. */
  private int hosts() {
    String type = cluster.pool("a").orElseThrow().spec().instanceType();
    return (int)
        cluster.hosts().values().stream()
            .filter(host -> host.machine().instanceType().equals(type))
            .count();
  }

  /** The name of a Node of a pool with two Nodes. */
  private String node() {
    drill.pool("a").target(2).toRest();
    return drill.pool("a").nodes().getFirst().name();
  }

  private Host host(String name) {
    return Objects.requireNonNull(cluster.hosts().get(name));
  }

  private Pod work(String node) {
    Pod pod = cluster.bindPod("default", "work on " + node, node, "ReplicaSet");
    drill.advance(1, MINUTES);
    return pod;
  }

  private static String kept(String node) {
    return " Without a Host, and kept until their work ends: 1 Node (%s).".formatted(node);
  }

  @Test
  void aBusyNodeIsNamedUntilItLeaves() {
    String node = node();
    Pod pod = work(node);
    cluster.fleetOwner().delete(node);
    drill.advance(1, HOURS);
    assertThat(cluster.nodes()).containsKey(node);
    assertThat(drill.pool("a").nodes()).hasSize(3);
    assertThat(condition(PoolCondition.AT_TARGET).reason()).isEqualTo(AtTargetReason.TARGET_MET);
    assertThat(message(PoolCondition.AT_TARGET))
        .isEqualTo("NodePool has reached its target node count." + kept(node));
    assertThat(drill.events(EventReason.NODE_WITHOUT_HOST))
        .singleElement()
        .satisfies(event ->
            assertThat(event.eventDraft().message())
                .isEqualTo(
                    "1 Node (%s) without a Host, which was deleted: no longer counted, and removed once the work on it ends."
                        .formatted(node)));

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(cluster.nodes()).doesNotContainKey(node);
    assertThat(message(PoolCondition.AT_TARGET))
        .isEqualTo("NodePool has reached its target node count.");
    assertThat(drill.emitted(EventReason.NODE_WITHOUT_HOST)).isEqualTo(1);
  }

  @Test
  void aHostWithTheNameOfABusyNodeIsNamedAndAssignedOnceTheNodeIsGone() {
    String node = node();
    int all = hosts();
    drill.pool("a").target(all).toRest();
    Pod pod = work(node);
    cluster.fleetOwner().replace(node, drill.world.instant());
    drill.advance(3, MINUTES);
    assertThat(host(node).assignment()).isEmpty();
    assertThat(message(PoolCondition.AT_TARGET))
        .isEqualTo(
            "NodePool has %d of %d nodes: 0 in progress, 1 queued.%s"
                .formatted(all - 1, all, kept(node)));
    assertThat(condition(PoolCondition.CAPACITY).reason())
        .isEqualTo(CapacityReason.QUEUED_AWAITING_CAPACITY);
    assertThat(message(PoolCondition.CAPACITY))
        .endsWith(
            " Waiting until the earlier Node of the same name is gone: 1 free Host (%s)."
                .formatted(node));

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(host(node).assignment()).isPresent();
    assertThat(condition(PoolCondition.CAPACITY).reason()).isEqualTo(CapacityReason.SUFFICIENT);
    assertThat(message(PoolCondition.AT_TARGET))
        .isEqualTo("NodePool has reached its target node count.");
  }

  @Test
  void theHostIsNamedAsSoonAsItIsCreatedAgain() {
    String node = node();
    work(node);
    Host deleted = host(node);
    cluster.fleetOwner().delete(node);
    drill.pool("a").target(hosts() + 1).advance(1, HOURS);
    assertThat(message(PoolCondition.CAPACITY)).doesNotContain("Waiting");

    cluster.fleetOwner().restore(deleted, drill.world.instant());
    drill.advance(1, MINUTES);
    assertThat(message(PoolCondition.CAPACITY)).contains("1 free Host (%s)".formatted(node));
  }

  @Test
  void aPoolThatIsDeletedNamesTheNodesThatItWaitsFor() {
    String node = node();
    Pod pod = work(node);
    cluster.fleetOwner().delete(node);
    drill.advance(1, HOURS).pool("a").delete().advance(1, HOURS);
    assertThat(message(PoolCondition.NODES_REMOVED))
        .isEqualTo("0 nodes left to remove." + kept(node));
    assertThat(drill.emitted(EventReason.NODE_WITHOUT_HOST)).isEqualTo(1);

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(cluster.pool("a")).isEmpty();
  }

  @Test
  void aPoolThatIsGoneIsForgottenWithItsLastNode() {
    String node = node();
    Pod pod = work(node);
    cluster.fleetOwner().delete(node);
    drill.advance(1, HOURS).pool("a").delete();
    cluster.stripFinalizer("a");
    drill.toRest();
    assertThat(cluster.nodes()).containsOnlyKeys(node);
    assertThat(Leftovers.of(drill.world)).isEmpty();

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(cluster.nodes()).isEmpty();
    assertThat(Leftovers.of(drill.world)).isEmpty();
  }

  @Test
  void anotherOperatorEmitsNoSecondEvent() {
    String node = node();
    work(node);
    cluster.fleetOwner().delete(node);
    drill.advance(1, HOURS);
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(1, HOURS);
    assertThat(message(PoolCondition.AT_TARGET)).endsWith(kept(node));
    assertThat(drill.events(EventReason.NODE_WITHOUT_HOST)).hasSize(1);
  }

  @Test
  void anIdleNodeIsNotNamed() {
    String node = node();
    cluster.fleetOwner().delete(node);
    drill.toRest();
    assertThat(cluster.nodes()).doesNotContainKey(node);
    assertThat(drill.emitted(EventReason.NODE_WITHOUT_HOST)).isZero();
  }
}
