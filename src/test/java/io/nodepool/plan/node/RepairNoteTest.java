package io.nodepool.plan.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.Given;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.RepairCause;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is written on a Host before its machine is repaired. */
class RepairNoteTest {
  private static final String ALERT = "ofMonitor";
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Instant EARLIER = NOW.minusSeconds(3600);

  private static final Host HOST = Given.running("g1");
  private static final RackRepair RACK = RackRepair.of(HOST.machine().rack(), ALERT, NOW);

  @Test
  void aRepairWithItsRackHasTheInstantOfTheRacksPermission() {
    assertThat(entryAt(RepairState.NONE.withRack(Optional.of(RACK)))).isEqualTo(NOW);
  }

  @Test
  void theLastPermissionCountsOnlyForItsOwnDisruption() {
    RepairState.Admitted ofComponent = RepairState.Admitted.ofComponent(HOST.id(), ALERT, EARLIER);
    RepairState repairs = RepairState.NONE.withRack(Optional.of(RACK));

    assertThat(entryAt(repairs.withAdmitted(Optional.of(ofComponent)))).isEqualTo(NOW);
    assertThat(entryAt(repairs.withAdmitted(Optional.of(ofComponent.withSequence(1)))))
        .isEqualTo(EARLIER);
  }

  /** When the repair was decided that is written on the Host. */
  private static Instant entryAt(RepairState repairs) {
    RepairCause cause = new RepairCause(ALERT, Grade.REBOOT_WHEN_IDLE, false);
    Disruption.Admitted recorded = Disruptions.admitted(cause, EARLIER, true);
    Node node = Given.node(HOST, 3).withDisruption(Optional.of(recorded));
    Pool pool = Given.pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY);
    CauseFacts facts =
        CauseFacts.of(
            Given.machine(
                HOST,
                Optional.of(node),
                List.of(),
                Optional.of(pool.withStatus(pool.status().withRepairs(repairs))),
                MachineSnapshot.Evidence.NONE),
            NOW,
            PlanSettings.DEFAULTS);
    Demand.Part wanted = new Demand.Part(new DisruptionEnding.Leave(), Demand.Window.WHEN_IDLE);
    Action action =
        RepairNote.missing(facts, recorded.causes(), wanted, false).orElseThrow().action();
    return ((HostOperation.Note) ((Action.OnHost) action).operation()).entry().at();
  }
}
