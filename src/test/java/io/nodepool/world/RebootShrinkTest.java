package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which Node goes when a pool shrinks of which Nodes are rebooted (decision 71). */
class RebootShrinkTest {
  private final Drill drill = Drill.calm(31);
  private final RebootClient client = new RebootClient(drill);

  private List<String> nodes() {
    return drill.pool("a").nodes().stream().map(Node::name).toList();
  }

  private String shrinksBy() {
    List<String> before = nodes();
    drill.pool("a").target(before.size() - 1).toRest();
    List<String> gone = before.stream().filter(node -> !nodes().contains(node)).toList();
    assertThat(gone).hasSize(1);
    return gone.getFirst();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void theIdleNodeThatIsOutOfServiceGoes(int index) {
    HardScenarios.idleOnly(drill, 3);
    String node = nodes().get(index);
    client.request(node, LifecycleState.REBOOT);
    client.untilBooting(node);
    assertThat(shrinksBy()).isEqualTo(node);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aClientsRequestForRemovalGoesBeforeThat(int index) {
    HardScenarios.idleOnly(drill, 3);
    String requested = nodes().get((index + 1) % 3);
    HardScenarios.asksFor(drill, (index + 1) % 3);
    String booting = nodes().get(index);
    client.request(booting, LifecycleState.REBOOT);
    client.untilBooting(booting);
    assertThat(shrinksBy()).isEqualTo(requested);
  }

  @ParameterizedTest
  @EnumSource(PoolSpec.ScaleDownStrategy.class)
  void aBusyNodeThatWaitsForItsRebootDoesNotGo(PoolSpec.ScaleDownStrategy strategy) {
    HardScenarios.grown(drill, 3, strategy);
    for (int index = 0; index < 2; index++) {
      HardScenarios.work(drill, index, "work-" + index);
      client.request(nodes().get(index), LifecycleState.REBOOT);
    }
    drill.advance(5, MINUTES);
    String idle = nodes().get(2);
    assertThat(shrinksBy()).isEqualTo(idle);
  }

  @ParameterizedTest
  @EnumSource(PoolSpec.ScaleDownStrategy.class)
  void anIdleNodeGoesBeforeABusyOneThatIsRebootedAtOnce(PoolSpec.ScaleDownStrategy strategy) {
    HardScenarios.grown(drill, 2, strategy);
    HardScenarios.work(drill, 0, "work");
    drill.advance(1, MINUTES);
    String idle = nodes().get(1);
    client.requestNow(nodes().get(0), LifecycleState.REBOOT);
    assertThat(shrinksBy()).isEqualTo(idle);
  }
}
