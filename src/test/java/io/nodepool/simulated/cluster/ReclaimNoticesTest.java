package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.repair.RepairState;
import io.nodepool.simulated.Reclaims;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a data centre writes about machines that it wants back. */
class ReclaimNoticesTest {
  private static final Duration MOMENT = Duration.ofSeconds(5);

  private final LoopHarness harness = new LoopHarness();
  private HostResource host = new HostResource();

  @BeforeEach
  void start() {
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.listed();
    harness.refuseReports();
    host = harness.host();
    harness.answer(harness.done(host));
  }

  /** The Host as the data centre's last request leaves it; the request is answered. */
  private HostResource written() {
    HostResource next = Serialization.clone(host);
    next.setStatus(status());
    harness.answer(harness.done(next));
    host = next;
    return next;
  }

  private HostStatus status() {
    try {
      JsonNode patch = new ObjectMapper().readTree(harness.first().request().body());
      return Serialization.unmarshal(
          patch.get(patch.size() - 1).get("value").toString(), HostStatus.class);
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  private void annotate(String value) {
    HostResource next = Serialization.clone(host);
    next.getMetadata().setAnnotations(Map.of(HostAnnotations.RECLAIM.key(), value));
    host = harness.seen(next);
    harness.loop.hostSeen(host);
  }

  private void heldAsSpot() {
    host = harness.assigned(host);
    Objects.requireNonNull(host.getSpec().assignment).computeClass = "spot";
    harness.loop.hostSeen(host);
  }

  private NodePool pool(int queued) {
    NodePool pool = new NodePool();
    pool.setMetadata(
        new ObjectMetaBuilder()
            .withName("d")
            .withUid("uid-d")
            .withCreationTimestamp(harness.now().toString())
            .build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = "turin-gp";
    spec.targetNodes = 1;
    pool.setSpec(spec);
    pool.setStatus(
        PoolConversion.status(
            new PoolStatus(
                1,
                new PoolStatus.NodeCounts(1, 1 - queued, 0, queued, Optional.empty(), Map.of()),
                RemovalBatch.NONE,
                FailedReboots.NONE,
                RepairState.NONE,
                ConfigurationState.NONE,
                "",
                Optional.of(new Growth(harness.now(), 1, 1, 1)),
                Map.of(),
                EventState.NONE,
                Optional.empty())));
    return harness.seen(pool);
  }

  @Test
  void aQueueOfAnOnDemandPoolBecomesANoticeThatEndsWithTheQueue() {
    heldAsSpot();
    assertThat(harness.waiting()).isEmpty();
    harness.loop.poolSeen(pool(1));
    HostStatus.ReclaimNotice notice = Objects.requireNonNull(written().getStatus().reclaim);

    assertThat(notice.reason).isEqualTo(Reclaims.Cause.ON_DEMAND.reason());
    harness.pass(MOMENT);
    assertThat(harness.waiting()).isEmpty();

    harness.loop.poolSeen(pool(0));
    harness.pass(MOMENT);
    assertThat(written().getStatus().reclaim).isNull();
  }

  @Test
  void aDataCentreThatRestartsKeepsItsNotices() {
    heldAsSpot();
    harness.loop.poolSeen(pool(1));
    written();
    LoopHarness next = new LoopHarness();
    next.loop.fleetSeen(next.fleet());
    next.loop.hostSeen(host);
    next.loop.poolSeen(pool(1));
    next.loop.listed();
    next.pass(MOMENT);

    assertThat(next.waiting()).isEmpty();
  }

  @Test
  void nothingIsDecidedOnAQueueBeforeAllMachinesWereListed() {
    heldAsSpot();
    LoopHarness next = new LoopHarness();
    next.loop.fleetSeen(next.fleet());
    next.loop.poolSeen(pool(1));
    next.loop.hostSeen(host);
    next.pass(MOMENT);
    assertThat(next.waiting()).isEmpty();

    next.loop.listed();
    assertThat(next.waiting()).hasSize(1);
  }

  @Test
  void anAnnotationBecomesANoticeAndItsRemovalEndsIt() {
    heldAsSpot();
    annotate("90s");
    HostStatus.ReclaimNotice notice = Objects.requireNonNull(written().getStatus().reclaim);

    assertThat(notice.announcedAt).isEqualTo(harness.now().toString());
    assertThat(notice.reclaimAt).isEqualTo(harness.now().plusSeconds(90).toString());
    assertThat(notice.reason).isEqualTo(Reclaims.Cause.REQUESTED.reason());
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);
    HostResource calm = Serialization.clone(host);
    calm.getMetadata().setAnnotations(null);
    harness.loop.hostSeen(harness.seen(calm));
    host = calm;
    assertThat(written().getStatus().reclaim).isNull();
    assertThat(host.getStatus().spot).isTrue();
  }

  @Test
  void withoutAValueTheWindowIsTheDataCentresOwn() {
    annotate("true");

    HostStatus.ReclaimNotice notice = Objects.requireNonNull(written().getStatus().reclaim);
    assertThat(notice.reclaimAt).isEqualTo(harness.now().plusSeconds(420).toString());
  }

  @Test
  void anAnnotationThatCannotBeReadIsReportedAndChangesNothing() {
    annotate("soon");
    assertThat(harness.waiting()).isEmpty();
    harness.pass(MOMENT);

    String message =
        "annotation fleet.nodepool.io/reclaim: \\\"soon\\\" is neither true nor a duration of more than 0s";
    assertThat(harness.sent)
        .anySatisfy(each -> assertThat(each.request().body()).contains(message));
    harness.refuseReports();
    annotate("7m");
    harness.pass(MOMENT);
    assertThat(harness.sent)
        .noneSatisfy(each -> assertThat(each.request().body()).contains(message));
  }

  @Test
  void theOfferToSpotPoolsFollowsTheSpec() {
    var fleet = harness.fleet();
    fleet.getMetadata().setGeneration(2L);
    fleet.getSpec().racks.getFirst().spot = false;
    harness.loop.fleetSeen(harness.seen(fleet));

    assertThat(written().getStatus().spot).isFalse();
    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
  }
}
