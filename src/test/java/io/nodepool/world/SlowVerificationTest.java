package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A suspected alert, and verifications that take longer than they are waited for. */
@Tag("world")
class SlowVerificationTest extends RepairWorld {
  private static final DataCentre MACHINES = Drill.racks(Drill.GPU, 1, 30);

  SlowVerificationTest() {
    super(
        Drill.with(
            43,
            MACHINES.withTimings(
                MACHINES.timings().withReboots(DataCentre.Timings.REBOOT, Duration.ofHours(6))),
            Faults.NONE,
            OperatorOverrides.AS_BUILT));
  }

  @Test
  void oneThatIsNotAnsweredIsNotPassedAndNotRepeated() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, REBOOT_NOW));
    for (int minute = 0; minute < 180 && !isGenuine(); minute++) {
      drill.advance(1, MINUTES);
    }

    assertThat(suspects()).containsExactly(REBOOT_NOW + " Genuine");
    assertThat(drill.events(EventReason.NODE_NOT_VERIFIED))
        .isNotEmpty()
        .allMatch(each ->
            each.eventDraft().message().contains(": it was not verified and Ready within "));
    assertThat(nodes.stream().map(this::host).flatMap(host -> host.boot().stream()))
        .hasSizeLessThanOrEqualTo(3)
        .allMatch(boot -> boot.kind() == BootKind.VERIFICATION && boot.attempt() == 1);
  }

  private boolean isGenuine() {
    return suspects().contains(REBOOT_NOW + " Genuine");
  }
}
