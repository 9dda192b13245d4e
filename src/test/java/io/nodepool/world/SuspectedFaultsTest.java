package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The machines that an alert is reported about have the fault, so a verification fails, and what
 * the alert's grade asks for heals it (decision D33).
 */
@Tag("world")
class SuspectedFaultsTest extends RepairWorld {
  private static final DataCentre MACHINES = Drill.racks(Drill.GPU, 1, 30);

  /** More than a fifth of them. */
  private static final List<String> FAULTY = Drill.names(MACHINES).subList(0, 10);

  SuspectedFaultsTest() {
    super(
        Drill.with(
            41,
            MACHINES.withMishaps(
                DataCentre.Mishaps.NONE.withFaults(
                    List.of(
                        new MachineFault(
                            new TreeSet<>(FAULTY),
                            new MachineFault.Part(REBOOT_NOW, "gpu3"),
                            new MachineFault.Begin.After(Duration.ofHours(2)),
                            MachineFault.Course.STANDS,
                            MachineFault.Healing.REBOOT)))),
            Faults.NONE,
            OperatorOverrides.AS_BUILT));
  }

  private List<Node> faulty() {
    return grown(30).stream().filter(node -> FAULTY.contains(node.name())).toList();
  }

  @Test
  void machinesThatAVerificationConfirmedAreHealedByTheirGrade() {
    List<Node> faulty = faulty();
    drill.advance(6, HOURS);

    assertThat(faulty).hasSize(10).allMatch(node -> powerCycles(node) == 1);
    assertThat(pool.nodes()).hasSize(30).allMatch(node -> node.ready() && !node.cordoned());
    assertThat(cluster.hosts().values()).noneMatch(host -> host.deliveries().isSetAside());
    assertThat(drill.events(EventReason.NODE_REBOOT_FAILED)).isEmpty();
    assertThat(drill.events(EventReason.NODE_REBOOT_RETRIED)).isEmpty();
    assertThat(drill.events(EventReason.NODE_NOT_VERIFIED)).isNotEmpty();
  }

  @Test
  void itIsInDoubtOnceAndGenuineForADay() {
    grown(30);
    List<List<String>> seen = new ArrayList<>();
    for (int minute = 0; minute < 30 * 60; minute++) {
      drill.advance(1, MINUTES);
      if (seen.isEmpty() || !seen.getLast().equals(suspects())) {
        seen.add(suspects());
      }
    }

    assertThat(seen)
        .containsExactly(
            List.of(),
            List.of(REBOOT_NOW + " Pending"),
            List.of(REBOOT_NOW + " Genuine"),
            List.of());
  }
}
