package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.nodepool.control.state.HealthTable;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One alert on many Nodes of a rack: they are repaired together (decisions D33 and D312). */
@Tag("world")
class RackRepairTest extends RepairWorld {
  private static final String TYPE = "gb200-4x";

  /** Half of a rack. */
  private static final int HALF = 9;

  RackRepairTest() {
    super(Drill.with(31, Drill.racks(TYPE, 6, 18), Faults.NONE, OperatorOverrides.AS_BUILT));
  }

  private List<Node> rack(int number, int racks) {
    if (cluster.pool("a").isEmpty()) {
      pool.racks(TYPE, racks).toRest();
    }
    return pool.nodes().stream()
        .filter(node -> host(node).machine().rack().equals(String.valueOf(number)))
        .toList();
  }

  /** A monitor takes its alert back once the machine was booted. */
  private void withdrawBooted(List<Node> nodes) {
    nodes.stream()
        .filter(node -> powerCycles(node) > 0)
        .forEach(node -> signals.withdraw(node.name(), key(REBOOT_NOW)));
  }

  private long beingRepaired(List<Node> nodes) {
    return nodes.stream().filter(node -> powerCycles(node) > 0 && !present(node).ready()).count();
  }

  @Test
  void nodesOfARackWithOneAlertAreBootedTogether() {
    List<Node> faulty = rack(1, 3).subList(0, HALF);
    faulty.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(5, MINUTES);

    assertThat(faulty).allMatch(node -> present(node).cordoned());
    assertThat(repairs().rack().map(RackRepair::rack)).contains("1");
    assertThat(repairs().waiting()).isZero();
    assertThat(faulty).allMatch(node -> powerCycles(node) == 1);

    faulty.forEach(node -> signals.withdraw(node.name(), key(REBOOT_NOW)));
    drill.advance(2, HOURS);
    assertThat(faulty).allMatch(node -> powerCycles(node) == 1);
    assertThat(faulty).allMatch(node -> present(node).ready() && !present(node).cordoned());
    assertThat(repairs().rack()).isEmpty();
  }

  @Test
  void fewerThanHalfARackAreBootedOneByOne() {
    List<Node> faulty = rack(1, 3).subList(0, HALF - 1);
    faulty.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(5, MINUTES);

    assertThat(repairs().rack()).isEmpty();
    assertThat(faulty.stream().filter(node -> powerCycles(node) > 0)).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void aSecondRackWaitsForTheFirst() {
    List<Node> first = rack(1, 6).subList(0, HALF);
    List<Node> second = rack(2, 6).subList(0, HALF);
    first.forEach(node -> report(node, REBOOT_NOW));
    second.forEach(node -> report(node, REBOOT_NOW));

    for (int step = 0; step < 6 * 120; step++) {
      drill.advance(10, SECONDS);
      withdrawBooted(first);
      withdrawBooted(second);
      // 5 % of 108, and the rack is one of these.
      assertThat(Math.min(beingRepaired(first), beingRepaired(second))).isLessThan(5);
    }
    assertThat(first.stream().map(node -> powerCycles(node) + " " + present(node).ready()))
        .containsOnly("1 true");
    assertThat(second.stream().map(node -> powerCycles(node) + " " + present(node).ready()))
        .containsOnly("1 true");
  }

  @Test
  void aNodeThatIsBusyFollowsWhenItsWorkEnds() {
    List<Node> faulty = rack(1, 3).subList(0, HALF);
    Pod pod = work(faulty.getFirst());
    faulty.forEach(node -> report(node, RESET));
    drill.advance(5, MINUTES);

    assertThat(faulty.stream().map(this::powerCycles))
        .startsWith(0)
        .endsWith(1)
        .filteredOn(cycles -> cycles == 1)
        .hasSize(HALF - 1);
    faulty.stream().skip(1).forEach(node -> signals.withdraw(node.name(), key(RESET)));
    drill.advance(6, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(powerCycles(faulty.getFirst())).isZero();

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.advance(5, MINUTES);
    assertThat(powerCycles(faulty.getFirst())).isEqualTo(1);
  }

  private List<String> told(EventReason reason) {
    return drill.events(reason).map(event -> event.eventDraft().message()).toList();
  }

  @Test
  void aRackWithTooFewNodesInProductionIsToldOnceWhoeverLeads() {
    List<Node> faulty = rack(1, 1).subList(0, 3);
    faulty.forEach(node -> report(node, OUT_NOW));
    drill.advance(4, HOURS);
    assertThat(repairs().racks())
        .extracting(RackAlert::rack, RackAlert::alert)
        .containsExactly(tuple("1", "NVLinkDomainProductionNodeCountLow"));
    assertThat(drill.world.operators().states())
        .anySatisfy(state ->
            assertThat(state.health().counts())
                .containsEntry(
                    new HealthTable.Counted("NVLinkDomainProductionNodeCountLow", Grade.MANUAL),
                    1));

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(4, HOURS);
    assertThat(told(EventReason.RACK_ALERT_TRIGGERED))
        .singleElement()
        .asString()
        .startsWith("Rack 1 has the alert NVLinkDomainProductionNodeCountLow since ")
        .endsWith(": a person has to act.");
    assertThat(told(EventReason.RACK_ALERT_ENDED)).isEmpty();

    pool.racks(TYPE, 0);
    drill.advance(4, HOURS);
    assertThat(repairs().racks()).isEmpty();
    assertThat(told(EventReason.RACK_ALERT_ENDED))
        .containsExactly(
            "Rack 1 has the alert NVLinkDomainProductionNodeCountLow no more, or no machine of the NodePool.");
  }
}
