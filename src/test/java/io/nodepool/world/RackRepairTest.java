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
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One alert on many Nodes of a rack: they are repaired together (decisions D33 and D312). */
@Tag("world")
class RackRepairTest extends RepairWorld {
  private static final String GENUINE = REBOOT_NOW + " Genuine";
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

  /** A rack whose machines do not pass their verification before they are booted. */
  private List<Node> faultyRack() {
    List<Node> faulty = rack(1, 3);
    faulty.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    return faulty;
  }

  /** Machines are well, and their monitor says so, once they were booted. */
  private void healBooted(List<Node> nodes, String alert) {
    nodes.stream()
        .filter(node -> powerCycles(node) > 0)
        .forEach(node -> {
          cluster.fleetOwner().healReboots(node.name());
          signals.withdraw(node.name(), key(alert));
        });
  }

  @Test
  void nodesOfARackWithOneAlertThatIsGenuineAreBootedTogether() {
    List<Node> faulty = faultyRack();
    faulty.forEach(node -> report(node, REBOOT_NOW));
    Set<String> racks = new TreeSet<>();
    long most = 0;
    for (int minute = 0; minute < 5 * 60; minute++) {
      drill.advance(1, MINUTES);
      healBooted(faulty, REBOOT_NOW);
      repairs().rack().map(RackRepair::rack).ifPresent(racks::add);
      most = Math.max(most, beingRepaired(faulty));
      assertThat(racks).matches(each -> each.isEmpty() || suspects().contains(GENUINE));
    }
    assertThat(racks).containsExactly("1");
    // 5 % of 54 are two.
    assertThat(most).isGreaterThan(HALF);
    assertThat(faulty).allMatch(node -> powerCycles(node) == 1);
    assertThat(faulty).allMatch(node -> present(node).ready() && !present(node).cordoned());
    assertThat(repairs().rack()).isEmpty();
  }

  @Test
  void nodesOfARackOfWhichNoneWasProvedAreBootedOneByOne() {
    List<Node> faulty = rack(1, 3).subList(0, HALF);
    faulty.forEach(node -> report(node, REBOOT_NOW));
    for (int minute = 0; minute < 2 * 60; minute++) {
      drill.advance(1, MINUTES);
      withdrawBooted(faulty);
      assertThat(repairs().rack()).isEmpty();
      assertThat(beingRepaired(faulty)).isLessThanOrEqualTo(2);
    }
    assertThat(faulty).allMatch(node -> powerCycles(node) == 1);
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
    List<Node> faulty = faultyRack();
    Pod pod = work(faulty.getFirst());
    faulty.forEach(node -> report(node, RESET));
    for (int minute = 0; minute < 5 * 60; minute++) {
      drill.advance(1, MINUTES);
      healBooted(faulty, RESET);
    }
    assertThat(faulty.subList(1, 18)).allMatch(node -> powerCycles(node) == 1);
    drill.advance(6, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(powerCycles(faulty.getFirst())).isZero();

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.advance(20, MINUTES);
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
