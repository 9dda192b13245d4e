package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.explain.Explanations;
import io.nodepool.explain.ListedKind;
import io.nodepool.explain.NodeExplanation;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.explain.Statement;
import io.nodepool.explain.Unlisted;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.PoolFixture;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is explained is what then happens: from lists of the objects, not from an operator. */
@Tag("world")
class ExplainTest {
  private static final int NODES = 10;
  private static final String RACK = "gb200-4x";

  private static Explanations explanations(Drill drill) {
    return Explanations.of(listed(drill), drill.world.instant());
  }

  private static List<Observation> listed(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    return Stream.of(WorldCluster.Kind.values())
        .flatMap(kind -> cluster.list(kind).stream())
        .toList();
  }

  private static PoolExplanation explained(Drill drill, int target) {
    return explanations(drill).pool("a", OptionalInt.of(target)).orElseThrow();
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

  static Stream<PoolReason> reasons() {
    return Stream.<PoolReason[]>of(
            ValidatedReason.values(),
            QuotaReason.values(),
            CapacityReason.values(),
            AtTargetReason.values(),
            NodeReconfigurationReason.values(),
            NodesRemovedReason.values(),
            RepairsHeldReason.values())
        .flatMap(Stream::of)
        .filter(each -> each.status() != each.condition().healthy());
  }

  /** Also what follows from the memory of the operator alone. */
  @ParameterizedTest
  @MethodSource("reasons")
  void eachReasonThatTheOperatorPublishesIsSaid(PoolReason reason) {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(1).toRest();
    List<Observation> listed =
        listed(drill).stream()
            .map(each ->
                each instanceof Observation.PoolSeen(Pool pool)
                    ? new Observation.PoolSeen(
                        pool.withStatus(
                            pool.status()
                                .withConditions(
                                    Map.of(
                                        reason.condition(),
                                        new Condition(reason, "because", PoolFixture.NOW)))))
                    : each)
            .toList();

    assertThat(
            Explanations.of(listed, drill.world.instant())
                .pool("a", OptionalInt.empty())
                .orElseThrow()
                .holds())
        .anySatisfy(hold -> {
          assertThat(hold.what()).isEqualTo(reason.condition().type());
          assertThat(hold.reason()).isEqualTo(reason.word());
          assertThat(hold.message()).contains("because");
          assertThat(hold.until()).isNotBlank();
        });
  }

  @Test
  void withoutPodsNoNodeIsCalledIdle() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(3).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    Explanations explanations =
        Explanations.of(
            listed(drill).stream().filter(each -> !(each instanceof Observation.PodSeen)).toList(),
            new Unlisted(Set.of(ListedKind.PODS)),
            Optional.empty(),
            drill.world.instant());

    PoolExplanation pool = explanations.pool("a", OptionalInt.of(1)).orElseThrow();
    assertThat(pool.sentence()).isEqualTo("which Nodes leave is unknown: Pods could not be listed");
    assertThat(pool.nodes())
        .hasSize(3)
        .allMatch(each -> each.fate().equals("unknown") && each.rank() == 0);
    NodeExplanation explained = explanations.node(node).orElseThrow();
    assertThat(explained.answers())
        .filteredOn(each -> each.what().equals("removed"))
        .allMatch(each -> each.answer() == Statement.Whether.UNKNOWN);
    assertThat(explained.next())
        .containsExactly(new NodeExplanation.Step("unknown", "Pods could not be listed"));
  }

  @Test
  void aTargetOfAPoolInRacksCountsRacks() {
    Drill drill = Drill.with(1, Drill.racks(RACK, 3, 18), Faults.NONE, OperatorOverrides.AS_BUILT);
    drill.pool("a").racks(RACK, 3).toRest();
    Node busy = drill.pool("a").nodes().getFirst();
    drill.world.cluster().bindPod("default", "w", busy.name(), "Job");
    drill.toRest();

    PoolExplanation explained = explained(drill, 1);
    assertThat(explained.unit()).isEqualTo("rack");
    assertThat(explained.current()).isEqualTo(3);
    assertThat(explained.target()).isEqualTo(1);
    assertThat(explained.holds()).noneMatch(each -> each.what().equals("Validated"));
    assertThat(names(explained.nodes().stream().filter(each -> each.fate().equals("remove"))))
        .hasSize(36)
        .doesNotContain(busy.name());
    assertThat(changes(explained(drill, 2))).containsExactly("--target 1");
    assertThat(changes(explained(drill, 0)))
        .containsExactlyInAnyOrder(
            "all Nodes of rack %s may leave".formatted(rackOf(drill, busy)), "its work ends");
  }

  private static String rackOf(Drill drill, Node node) {
    return Objects.requireNonNull(drill.world.cluster().hosts().get(node.name())).machine().rack();
  }

  /** What would change the fates of the Nodes that are kept. */
  private static Set<String> changes(PoolExplanation explained) {
    return explained.nodes().stream()
        .filter(each -> each.fate().equals("keep"))
        .map(NodeFate::changesIf)
        .filter(each -> !each.isEmpty())
        .collect(Collectors.toSet());
  }

  @Test
  void aPausedPoolSaysWhatWouldLeave() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(4).toRest();
    drill.pool("a").edit(spec -> spec.withPause(new PoolSpec.Pause("true", "")));
    drill.pool("a").target(1).advance(10, ChronoUnit.MINUTES);

    PoolExplanation explained = explanations(drill).pool("a", OptionalInt.empty()).orElseThrow();
    assertThat(explained.sentence()).isEqualTo("removes no Node; would remove 3, and is paused");
    assertThat(explained.nodes())
        .filteredOn(each -> each.changesIf().equals("a person resumes the pool"))
        .hasSize(3);
    assertThat(explained.holds())
        .anySatisfy(hold -> {
          assertThat(hold.reason()).isEqualTo("Paused");
          assertThat(hold.until()).isEqualTo("kubectl nodepool resume a");
        });
  }

  @Test
  void anUnreadableRecordIsTheAnswer() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(2).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    drill.world.cluster().garble(WorldCluster.Kind.NODES, node, true);

    assertThat(explanations(drill).node(node).orElseThrow().answers())
        .hasSize(5)
        .allMatch(each -> each.why().contains("cannot be read"));
    assertThat(explained(drill, 0).nodes())
        .filteredOn(each -> each.node().equals(node))
        .singleElement()
        .satisfies(each -> assertThat(each.decidedBy()).contains("cannot be read"));
  }

  @Test
  void thePodThatKeepsANodeIsNamed() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(2).toRest();
    Node node = drill.pool("a").nodes().getFirst();
    drill.world.cluster().bindPod("default", "train-7", node.name(), "Job");
    drill.toRest();

    assertThat(explained(drill, 0).nodes())
        .filteredOn(each -> each.node().equals(node.name()))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.decidedBy()).isEqualTo("default/train-7 (not interruptible)");
          assertThat(each.changesIf()).isEqualTo("its work ends");
        });
  }
}
