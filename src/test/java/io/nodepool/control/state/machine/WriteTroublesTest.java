package io.nodepool.control.state.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WriteTroublesTest {
  private static final Node NODE =
      Fixtures.node(new HostId("g1", "h-1"), "n-1", 1)
          .withDisruption(Optional.of(new Disruption.Requested(1, Fixtures.NOW)));
  private static final Action DELETION = new Action.DeleteNode("g1", "n-1");
  private static final Action EVICTION =
      new Action.EvictPod(
          new Action.Subject.OfPod("team", "train", "p-1", "g1"), Optional.of(Duration.ZERO));

  private final WriteTroubles troubles = new WriteTroubles();

  /** What failed was wanted before, and may not be wanted any more. */
  @Test
  void aFailureOnTheNodeIsForgottenOnceSomethingElseIsRecorded() {
    troubles.changed(NODE);
    fails(EVICTION);
    fails(DELETION);
    troubles.changed(NODE.withCordoned(true));
    assertThat(why()).contains("deleting Node g1: denied");

    troubles.changed(NODE.withDisruption(Optional.of(new Disruption.Requested(2, Fixtures.NOW))));
    assertThat(why()).contains("evicting Pod team/train: denied");
  }

  private void fails(Action action) {
    assertThat(troubles.report(action, Optional.of("denied"), true, NODE)).isTrue();
  }

  private Optional<String> why() {
    return troubles.ofDisruption().map(each -> each.why());
  }
}
