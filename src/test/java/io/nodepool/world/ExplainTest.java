package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.state.ClusterState;
import io.nodepool.explain.Explanations;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is explained is what then happens: from lists of the objects, not from an operator. */
@Tag("world")
class ExplainTest {
  private static final int NODES = 10;

  private static ClusterState listed(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    return Explanations.state(
        Stream.of(WorldCluster.Kind.values()).flatMap(kind -> cluster.list(kind).stream()).toList(),
        drill.world.instant());
  }

  private static PoolExplanation explained(Drill drill, int target) {
    return PoolExplanation.of(
        new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS),
        listed(drill).snapshots().pool("a").orElseThrow(),
        OptionalInt.of(target),
        drill.world.instant());
  }

  private static void disturb(Drill drill, Node node, Random random) {
    switch (random.nextInt(5)) {
      case 0 -> drill.world.cluster().bindPod("default", "w-" + node.name(), node.name(), "Job");
      case 1 -> drill.world.cluster().nodeClients().cordon(node.name(), true);
      case 2 -> taint(drill, node, NodeTaints.AUTOSCALER_CANDIDATE);
      default -> {
        // It stays idle.
      }
    }
  }

  private static void taint(Drill drill, Node node, NodeTaints taint) {
    drill
        .world
        .cluster()
        .nodeClients()
        .metadata(
            node.name(),
            metadata ->
                metadata.withTaints(
                    Stream.concat(
                            metadata.taints().stream(),
                            Stream.of(new Taint(taint.key(), "1", taint.effect().word())))
                        .toList()));
  }

  private static Set<String> names(Stream<NodeFate> nodes) {
    return nodes.map(NodeFate::node).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void theNodesThatAreSaidToLeaveAtATargetAreThoseThatThenLeave(long seed) {
    Random random = new Random(seed);
    Drill drill = Drill.calm(seed);
    drill.pool("a").target(NODES).toRest();
    if (random.nextBoolean()) {
      drill.pool("a").strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    }
    List<Node> before = drill.pool("a").nodes();
    before.forEach(node -> disturb(drill, node, random));
    drill.toRest();
    int target = random.nextInt(NODES);

    PoolExplanation explained = explained(drill, target);
    drill.pool("a").target(target).toRest();

    Set<String> left =
        before.stream()
            .map(Node::name)
            .filter(name ->
                drill.pool("a").nodes().stream().noneMatch(node -> node.name().equals(name)))
            .collect(Collectors.toSet());
    assertThat(names(explained.nodes().stream().filter(each -> each.fate().equals("remove"))))
        .as("seed %d, target %d: %s", seed, target, explained.sentence())
        .isEqualTo(left);
    assertThat(explained.nodes()).hasSize(NODES);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theTargetThatWouldChangeItDoes(long seed) {
    Drill drill = Drill.calm(seed);
    drill.pool("a").target(NODES).toRest();
    PoolExplanation explained = explained(drill, NODES - 3);

    NodeFate kept =
        explained.nodes().stream().filter(each -> each.fate().equals("keep")).toList().get(2);
    int other = Integer.parseInt(kept.changesIf().replace("--target ", ""));

    assertThat(
            names(
                explained(drill, other).nodes().stream()
                    .filter(each -> each.fate().equals("remove"))))
        .contains(kept.node());
    assertThat(
            names(
                explained(drill, other + 1).nodes().stream()
                    .filter(each -> each.fate().equals("remove"))))
        .doesNotContain(kept.node());
  }
}
