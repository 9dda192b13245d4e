package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.kubernetes.api.HostResource;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times from other processes whose clocks are hours ahead or behind. */
class FleetClockTest {
  private static final Duration BOOT = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(40);
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final LoopHarness harness = new LoopHarness();
  private HostResource host = new HostResource();

  @BeforeEach
  void createTheHost() {
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.listed();
    host = harness.host();
    harness.answer(harness.done(host));
  }

  /** The Host after its assignment by an operator whose clock is this far ahead. */
  private HostResource assigned(int hoursAhead) {
    return harness.assigned(host, harness.now().plus(Duration.ofHours(hoursAhead)));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void theOperatorsClockDoesNotChangeTheBootTime(int hoursAhead) {
    HostResource assigned = assigned(hoursAhead);
    harness.loop.hostSeen(assigned);
    harness.pass(BOOT.minus(MOMENT));
    // An event of the watch does not restart the boot.
    harness.loop.hostSeen(harness.seen(Serialization.clone(assigned)));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);

    assertThat(harness.waiting()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void theServersClockDoesNotChangeAPodsGracePeriod(int hoursAhead) {
    HostResource assigned = assigned(0);
    harness.loop.hostSeen(assigned);
    harness.pass(BOOT);
    harness.answer(harness.done(LoopHarness.running(assigned)));
    Node node = Serialization.unmarshal(harness.first().request().body(), Node.class);
    node.getMetadata().setUid("node-uid");
    harness.answer(harness.done(node));
    Pod pod = pod();
    harness.loop.podSeen(harness.seen(pod));
    Pod leaving = Serialization.clone(pod);
    leaving
        .getMetadata()
        .setDeletionTimestamp(
            harness.now().plus(Duration.ofHours(hoursAhead)).plus(GRACE).toString());
    leaving.getMetadata().setDeletionGracePeriodSeconds(GRACE.toSeconds());
    harness.loop.podSeen(harness.seen(leaving));

    harness.pass(GRACE.minus(MOMENT));
    assertThat(harness.waiting()).isEmpty();
    harness.pass(MOMENT);

    assertThat(harness.waiting())
        .containsExactly("STRATEGIC_PATCH /api/v1/namespaces/default/pods/p/status");
  }

  private Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("p")
        .withUid("pod-uid")
        .endMetadata()
        .withNewSpec()
        .withNodeName(host.getMetadata().getName())
        .addNewContainer()
        .withName("main")
        .withImage("i")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .endStatus()
        .build();
  }
}
