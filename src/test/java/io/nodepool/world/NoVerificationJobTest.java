package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pool asks for a verification Job of an operator that has no Namespace for it (D314). */
@Tag("world")
class NoVerificationJobTest extends RepairWorld {
  NoVerificationJobTest() {
    super(
        Drill.with(
            53,
            Drill.racks(Drill.GPU, 1, 30),
            Faults.NONE,
            OperatorOverrides.AS_BUILT.withSettings(
                settings -> settings.withJobs(Optional.empty()))));
  }

  @Test
  void theNodeIsBackWithoutItAndThatIsSaid() {
    Node node = grown();
    pool.edit(spec -> spec.withRepair(spec.repair().withVerificationJob("gpu-check")));
    report(node, REBOOT_NOW);
    drill.advance(5, MINUTES);
    signals.withdraw(node.name(), key(REBOOT_NOW));
    drill.advance(20, MINUTES);

    assertThat(present(node).cordoned()).isFalse();
    assertThat(cluster.jobs().all()).isEmpty();
    assertThat(drill.events(EventReason.NODE_REBOOTED))
        .singleElement()
        .extracting(each -> each.eventDraft().message())
        .asString()
        .endsWith(
            ", and verified, without the Job that its pool asks for, since the operator has no Namespace for it.");
  }
}
