package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A repaired machine has to pass the Job of its pool's user before its Node is back (D314). */
@Tag("world")
class VerificationJobTest extends RepairWorld {
  private static final String TEMPLATE = "gpu-check";

  VerificationJobTest() {
    super(47);
  }

  private Node repaired() {
    Node node = grown(3).getFirst();
    pool.edit(spec -> spec.withRepair(spec.repair().withVerificationJob(TEMPLATE)));
    report(node, REBOOT_NOW);
    drill.advance(5, MINUTES);
    signals.withdraw(node.name(), key(REBOOT_NOW));
    return node;
  }

  private List<String> said(EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(event -> event.message())
        .toList();
  }

  private long jobs(Node node) {
    return cluster.jobs().all().values().stream()
        .filter(job -> job.node().equals(node.name()))
        .count();
  }

  @Test
  void itsNodeIsBackWhenTheJobIsComplete() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = repaired();
    drill.advance(15, MINUTES);

    assertThat(jobs(node)).isEqualTo(1);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(powerCycles(node)).isEqualTo(1);
    assertThat(said(EventReason.NODE_REBOOTED))
        .singleElement()
        .asString()
        .contains(", and verified, also by Job cw-verification/nodepool-verify-");
  }

  @Test
  void whileTheJobRunsTheNodeStaysCordonedForAProcessThatTakesOverToo() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = repaired();
    while (jobs(node) == 0) {
      drill.advance(1, MINUTES);
    }
    assertThat(present(node).cordoned()).isTrue();
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(2, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    drill.advance(15, MINUTES);

    assertThat(jobs(node)).isEqualTo(1);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(powerCycles(node)).isEqualTo(1);
  }

  @Test
  void aJobThatFailsIsOneFailedAttempt() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = grown(3).getFirst();
    cluster.jobs().letFail(node.name(), 1);
    repaired();
    drill.advance(1, HOURS);

    assertThat(jobs(node)).isEqualTo(2);
    assertThat(powerCycles(node)).isEqualTo(2);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(said(EventReason.NODE_REBOOT_RETRIED))
        .singleElement()
        .asString()
        .contains("failed: BackoffLimitExceeded: its Pod failed. Attempt 2 of 3.");
  }

  @Test
  void aJobThatIsDeletedBeforeItsEndIsReadIsNotRunForEver() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = grown(3).getFirst();
    cluster.jobs().letVanish(node.name(), true);
    repaired();
    drill.advance(5, HOURS);

    // Three times at once, then once an hour.
    assertThat(cluster.jobs().all().values())
        .singleElement()
        .satisfies(job -> assertThat(job.times()).isBetween(4, 8));
    assertThat(present(node).cordoned()).isTrue();
    assertThat(powerCycles(node)).isEqualTo(1);
    assertThat(said(EventReason.NODE_VERIFICATION_JOB_LOST))
        .hasSizeBetween(3, 7)
        .first()
        .asString()
        .matches(
            "Node .* is repaired, and Job cw-verification/nodepool-verify-.* that is to verify it was deleted before its end was read, 1 time by now[.] The Node stays cordoned, and the Job is created again[.]");

    cluster.jobs().letVanish(node.name(), false);
    drill.advance(2, HOURS);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
  }

  @Test
  void afterThreeThatFailTheMachineIsOutOfService() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = grown(3).getFirst();
    cluster.jobs().letFail(node.name(), 5);
    repaired();
    drill.advance(12, HOURS);

    assertThat(jobs(node)).isEqualTo(3);
    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(host(node).deliveries().isSetAside()).isTrue();
    assertThat(pool.nodes()).hasSize(3).noneMatch(Node::cordoned);
  }

  @Test
  void aJobThatCannotBeCreatedKeepsTheNodeUntilThatIsCorrected() {
    Node node = repaired();
    drill.advance(3, HOURS);

    assertThat(present(node).cordoned()).isTrue();
    assertThat(powerCycles(node)).isEqualTo(1);
    assertThat(said(EventReason.NODE_VERIFICATION_JOB_REFUSED))
        .contains(
            "Node %s is repaired, and the Job that is to verify it cannot be created: ConfigMap cw-verification/gpu-check does not exist. It stays cordoned until that is corrected."
                .formatted(node.name()));

    cluster.jobs().addTemplate(TEMPLATE);
    drill.advance(15, MINUTES);
    assertThat(jobs(node)).isEqualTo(1);
    assertThat(present(node).cordoned()).isFalse();
  }

  @Test
  void aNodeThatThePoolDoesNotNeedAnyMoreLeavesWhileItsJobRuns() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = repaired();
    while (jobs(node) == 0) {
      drill.advance(1, MINUTES);
    }
    pool.target(0).advance(6, HOURS);

    assertThat(pool.nodes()).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
    assertThat(powerCycles(node)).isEqualTo(1);
  }

  @Test
  void aQuotaThatFallsWhileItsJobRunsKeepsTheNode() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = repaired();
    cluster.fleetOwner().offer(cluster.offer().withQuota(new TreeMap<>(Map.of(Drill.GPU, 1))));
    drill.advance(1, HOURS);

    assertThat(present(node).cordoned()).isFalse();
    assertThat(pool.nodes()).hasSize(3);
  }

  @Test
  void jobsThatFailOnManyMachinesDoNotDisableTheirConfiguration() {
    cluster.jobs().addTemplate(TEMPLATE);
    List<Node> nodes = grown(30);
    pool.edit(spec -> spec.withRepair(spec.repair().withVerificationJob(TEMPLATE)));
    List<Node> faulty = nodes.subList(0, 3);
    faulty.forEach(node -> {
      cluster.jobs().letFail(node.name(), 5);
      report(node, REBOOT_NOW);
    });
    drill.advance(24, HOURS);

    assertThat(faulty).allMatch(node -> host(node).deliveries().isSetAside());
    assertThat(pool.seen().status().configuration().isDisabled()).isFalse();
  }

  @Test
  void itsPodIsNoWorkOfATenant() {
    cluster.jobs().addTemplate(TEMPLATE);
    Node node = repaired();
    cluster.namespaces().create("cw-verification");
    cluster.bindPod("cw-verification", "check", node.name(), "Job");
    drill.advance(20, MINUTES);

    assertThat(present(node).cordoned()).isFalse();
    assertThat(present(node).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    assertThat(powerCycles(node)).isEqualTo(1);
  }

  @Test
  void thePoolMayNotAskForItAnyMore() {
    Node node = repaired();
    drill.advance(20, MINUTES);
    assertThat(present(node).cordoned()).isTrue();

    pool.edit(spec -> spec.withRepair(spec.repair().withVerificationJob("")));
    drill.advance(5, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
  }
}
