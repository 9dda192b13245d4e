package io.nodepool.world.check.silence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.text.Untruth;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an Event of a pool says of Nodes that it does not name. */
class PoolEventTest {
  private static final PoolId POOL = new PoolId("a", "uid-a");

  private static Fact uncordoned(String node, String cause, int minute) {
    return new Fact(
        EventReason.NODE_UNCORDONED,
        Untruth.About.POOL,
        POOL.uid(),
        node,
        cause,
        "",
        Fixtures.NOW.plusSeconds(60L * minute),
        Fixtures.NOW);
  }

  @Test
  void whatHappenedToANamedNodeForSomethingElseUsesUpNoTimeThatIsCounted() {
    PoolEvent event = new PoolEvent();
    event.update(
        new EventDraft(
            EventReason.NODE_UNCORDONED,
            EventDraft.Regarding.of(POOL),
            "reboots 1",
            "Nodes (g1, g2 and others; 4 times in all) uncordoned: no longer to be rebooted or verified.",
            4),
        Fixtures.NOW);

    assertThat(event.reports(uncordoned("g1", Silence.REMOVAL, 0))).isTrue();
    assertThat(List.of("g1", "g2", "g3", "g4"))
        .allMatch(node -> event.reports(uncordoned(node, Silence.REBOOT, 1)));
    assertThat(event.reports(uncordoned("g5", Silence.REBOOT, 1))).isFalse();
  }
}
