package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All machines of a rack stop at once, or their fleet says so (decision D321). */
@Tag("world")
class DarkRackTest extends RepairWorld {
  private static final String TYPE = "gb200-4x";
  private static final int RACK = 18;

  /** How long a machine may be stopped until its Node leaves. */
  private static final int DEADLINE = 60;

  DarkRackTest() {
    super(Drill.with(53, Drill.racks(TYPE, 10, RACK), Faults.NONE, OperatorOverrides.AS_BUILT));
  }

  private List<Node> racks(int racks) {
    pool.racks(TYPE, racks).toRest();
    return pool.nodes();
  }

  private List<Node> rackOf(Node one, List<Node> nodes) {
    return nodes.stream()
        .filter(node -> host(node).machine().rack().equals(host(one).machine().rack()))
        .toList();
  }

  private void trip(List<Node> nodes, Duration lasts) {
    nodes.forEach(node -> drill.world.actors().trip(node.name(), lasts));
  }

  private long gone(List<Node> nodes) {
    return nodes.stream().filter(node -> now(node).isEmpty()).count();
  }

  @Test
  void itsMachinesAreReplacedTogether() {
    List<Node> nodes = racks(3);
    List<Node> dark = rackOf(nodes.getFirst(), nodes);
    assertThat(dark).hasSize(RACK);
    trip(dark, WorldActors.FOR_GOOD);
    drill.advance(DEADLINE - 1, MINUTES);
    assertThat(gone(dark)).isZero();

    drill.advance(4, MINUTES);
    assertThat(gone(dark)).isEqualTo(RACK);
    assertThat(gone(nodes)).isEqualTo(RACK);
    drill.advance(120, MINUTES);
    assertThat(pool.nodes()).hasSize(3 * RACK).allMatch(Node::ready);
    assertThat(repairs().rack()).isEmpty();
  }

  @Test
  void thoseThatStopABitLaterFollow() {
    List<Node> nodes = racks(3);
    List<Node> dark = rackOf(nodes.getFirst(), nodes);
    trip(dark.subList(0, 15), WorldActors.FOR_GOOD);
    drill.advance(20, SECONDS);
    trip(dark.subList(15, RACK), WorldActors.FOR_GOOD);
    drill.advance(DEADLINE + 1, MINUTES);
    assertThat(repairs().rack().map(RackRepair::isOutage)).contains(true);

    drill.advance(4, MINUTES);
    assertThat(gone(dark)).isEqualTo(RACK);
  }

  @Test
  void fewerThanHalfLeaveOneByOne() {
    List<Node> nodes = racks(3);
    List<Node> some = rackOf(nodes.getFirst(), nodes).subList(0, RACK / 2 - 1);
    trip(some, WorldActors.FOR_GOOD);
    drill.advance(DEADLINE + 3, MINUTES);
    assertThat(gone(some)).isBetween(1L, 4L);
    drill.advance(30, MINUTES);
    assertThat(gone(some)).isEqualTo(some.size());
  }

  @Test
  void aFleetThatIsWrongAboutAllRacksLosesFewMachines() {
    List<Node> nodes = racks(5);
    trip(nodes, Duration.ofMinutes(DEADLINE + 5));
    drill.advance(6 * 60, MINUTES);

    assertThat(gone(nodes)).isBetween(1L, 8L);
    assertThat(pool.nodes()).hasSize(5 * RACK).allMatch(Node::ready);
  }

  @Test
  void anotherOperatorGoesOn() {
    List<Node> nodes = racks(3);
    List<Node> dark = rackOf(nodes.getFirst(), nodes);
    trip(dark, WorldActors.FOR_GOOD);
    drill.advance(DEADLINE + 1, MINUTES).advance(20, SECONDS);
    Optional<RackRepair> begun = repairs().rack();
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(2 * DEADLINE, MINUTES);

    assertThat(begun).isPresent();
    assertThat(gone(dark)).isEqualTo(RACK);
    assertThat(pool.nodes()).hasSize(3 * RACK).allMatch(Node::ready);
  }
}
