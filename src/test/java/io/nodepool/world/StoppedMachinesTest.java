package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many machines of a pool stop at once, or their fleet says so (decision D33). */
@Tag("world")
class StoppedMachinesTest extends RepairWorld {
  StoppedMachinesTest() {
    super(29);
  }

  private long gone(List<Node> nodes) {
    return nodes.stream().filter(node -> now(node).isEmpty()).count();
  }

  @Test
  void aRackThatLosesItsPowerIsReplacedOneMachineAMinute() {
    List<Node> nodes = grown(20);
    List<Node> stopped = nodes.subList(0, 8);
    stopped.forEach(node -> drill.world.actors().trip(node.name(), WorldActors.FOR_GOOD));
    long last = 0;
    int waiting = 0;
    for (int minute = 0; minute < 300; minute++) {
      drill.advance(1, MINUTES);
      long gone = gone(stopped);
      // One more may have been on its way when the minute began.
      assertThat(gone - last).as("gone in minute %d", minute).isLessThanOrEqualTo(2);
      last = gone;
      waiting = Math.max(waiting, repairs().waiting());
    }
    assertThat(waiting).isEqualTo(7);
    assertThat(gone(nodes)).isEqualTo(8);
    assertThat(pool.nodes()).hasSize(20).allMatch(Node::ready);
    assertThat(repairs().waiting()).isZero();
  }

  @Test
  void aFleetThatIsWrongAboutAllMachinesLosesFew() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> drill.world.actors().trip(node.name(), Duration.ofMinutes(65)));
    drill.advance(6 * 60, MINUTES);

    assertThat(gone(nodes)).isBetween(1L, 7L);
    assertThat(pool.nodes()).hasSize(20).allMatch(Node::ready);
  }
}
