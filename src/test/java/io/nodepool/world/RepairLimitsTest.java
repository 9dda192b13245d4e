package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolSpec.RepairBrakes;
import io.nodepool.model.pool.RolloutSettings.Limit;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The limits of repairs that a pool's user sets (decision D318). */
@Tag("world")
class RepairLimitsTest extends RepairWorld {
  private static final RepairBrakes DEFAULTS = RepairBrakes.DEFAULTS;

  RepairLimitsTest() {
    super(41);
  }

  private void limits(RepairBrakes limits) {
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withLimits(limits)));
  }

  private long cordoned() {
    return pool.nodes().stream().filter(Node::cordoned).count();
  }

  /** Three Nodes of 20 with Pods are reported. */
  private List<Node> faulty(String alert, RepairBrakes limits) {
    List<Node> nodes = grown(20).subList(0, 3);
    limits(limits);
    nodes.forEach(node -> {
      work(node);
      report(node, alert);
    });
    return nodes;
  }

  @Test
  void aLowerLevelHoldsFurtherCordons() {
    faulty(OUT_WHEN_IDLE, DEFAULTS.withUnavailable(new Limit(1, 0)));
    drill.advance(30, MINUTES);
    assertThat(cordoned()).isOne();
    assertThat(pool.message(PoolCondition.REPAIRS_HELD))
        .contains("Unavailable, for whatever cause: 1 of at most 1");
    assertThat(toldHeld()).containsExactly(pool.message(PoolCondition.REPAIRS_HELD));

    limits(DEFAULTS);
    drill.advance(5, MINUTES);
    assertThat(cordoned()).isEqualTo(3);
  }

  @Test
  void moreAtOnceAreRepairedOneAMinute() {
    List<Node> nodes = grown(20).subList(0, 3);
    limits(DEFAULTS.withAtOnce(new Limit(3, 0)));
    nodes.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(4, MINUTES).advance(30, SECONDS);
    assertThat(nodes).allMatch(node -> powerCycles(node) == 1);
    assertThat(nodes).filteredOn(node -> !present(node).ready()).hasSizeGreaterThan(1);
  }

  @Test
  void aLimitThatCannotBeReadHoldsAllRepairsAndIsNamed() {
    faulty(
        OUT_NOW,
        DEFAULTS.withProblem(
            Optional.of("Annotation nodepool.io/repair-max-at-once: \"many\" is not a number.")));
    drill.advance(30, MINUTES);
    assertThat(cordoned()).isZero();
    assertThat(pool.message(PoolCondition.REPAIRS_HELD))
        .contains("repair-max-at-once: \"many\"", "Until that is corrected");
  }
}
