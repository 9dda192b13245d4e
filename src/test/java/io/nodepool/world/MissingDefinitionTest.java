package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The definition of Hosts is deleted while pools have Nodes: that is no lack of machines, and no
 * Node leaves because of it.
 */
@Tag("world")
class MissingDefinitionTest {
  private static final String WHY = "the definition hosts is missing; apply it.";

  private final Drill drill = Drill.calm(5);
  private final WorldCluster cluster = drill.world.cluster();

  private List<Host> deleteDefinition() {
    drill.pool("a").target(3).toRest();
    List<Host> hosts = List.copyOf(cluster.hosts().values());
    cluster.fleetOwner().deleteDefinition(WHY);
    return hosts;
  }

  private List<String> nodes() {
    return drill.pool("a").nodes().stream().map(Node::name).toList();
  }

  private void assertSaid() {
    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "InternalError")
        .containsEntry("Capacity", "InternalError");
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET)).endsWith(WHY);
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY)).endsWith(WHY);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
    assertThat(drill.emitted(EventReason.NODE_POOL_QUOTA_CHECK_FAILED)).isZero();
    assertThat(drill.emitted(EventReason.INSUFFICIENT_CAPACITY)).isZero();
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REMOVED)).isZero();
  }

  @Test
  void itIsSaidAndTheNodesStayAsTheyAre() {
    var _ = deleteDefinition();
    List<String> before = nodes();
    assertThat(before).hasSize(3);
    drill.advance(2, HOURS);

    assertSaid();
    assertThat(nodes()).isEqualTo(before);
    assertThat(cluster.nodes().values()).noneMatch(Node::cordoned);
    assertThat(cluster.nodes().values()).allMatch(node -> node.disruption().isEmpty());
  }

  @Test
  void anOperatorThatStartsThenSaysTheSame() {
    var _ = deleteDefinition();
    drill.advance(5, MINUTES);
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(2, HOURS);

    assertSaid();
    assertThat(nodes()).hasSize(3);
  }

  @Test
  void aPoolThatIsBeingDeletedExistsMeanwhile() {
    var _ = deleteDefinition();
    drill.pool("a").delete();
    drill.advance(2, HOURS);

    assertThat(cluster.pool("a")).isPresent();
    assertThat(nodes()).hasSize(3);
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED)).contains(WHY);
  }

  @Test
  void itEndsByItselfOnceHostsExistAgain() {
    List<Host> hosts = deleteDefinition();
    drill.advance(1, HOURS);
    cluster.fleetOwner().createDefinition();
    hosts.forEach(host -> cluster.fleetOwner().restore(host, drill.world.instant()));
    drill.toRest();

    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "TargetMet")
        .containsEntry("Capacity", "Sufficient");
  }
}
