package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The drain for a repair needs its ground until the last Pod is gone. */
@Tag("world")
class RepairConsentTest extends RepairWorld {
  RepairConsentTest() {
    super(29);
  }

  private void allowEviction(boolean allowed) {
    pool.edit(
        spec -> spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(!allowed)));
  }

  /** A Node that is drained for an alert, whose Pod a budget keeps until the deadline. */
  private Pod drained(Node node, String alert) {
    allowEviction(true);
    Pod pod = work(node);
    cluster.workloads().guard(pod.uid());
    report(node, alert);
    drill.advance(5, MINUTES);
    assertThat(present(node).isCommitted()).isTrue();
    assertThat(lives(pod)).isTrue();
    return pod;
  }

  private void isBack(Node node, Pod pod) {
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(present(node).metadata().annotations())
        .doesNotContainKey(NodeAnnotations.CORDON_REASON.key());
    assertThat(present(node).removing()).isEmpty();
    assertThat(powerCycles(node)).isZero();
  }

  private List<String> uncordoned() {
    return drill
        .events(EventReason.NODE_UNCORDONED)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(event -> event.message())
        .filter(said -> said.startsWith("Node "))
        .toList();
  }

  @Test
  void anAlertThatEndsDuringTheDrainGivesTheNodeBack() {
    for (String alert : List.of(OUT_WHEN_IDLE, RESET)) {
      Node node = grown(2).get(alert.equals(RESET) ? 1 : 0);
      Pod pod = drained(node, alert);
      signals.withdraw(node.name(), key(alert));
      drill.advance(9, MINUTES);
      assertThat(present(node).isCommitted()).isTrue();
      drill.advance(2, MINUTES);
      isBack(node, pod);
      drill.advance(3, HOURS);
      isBack(node, pod);
    }
    assertThat(uncordoned()).hasSize(2).allMatch(said -> said.endsWith(": its alert ended."));
  }

  @Test
  void nothingIsEvictedWhileItsSignalsAreOffAndTheDrainGoesOnWhenTheyAreBack() {
    Node node = grown();
    Pod pod = drained(node, OUT_WHEN_IDLE);
    drill.advance(23, MINUTES);
    signals.withdraw(node.name(), key(OUT_WHEN_IDLE));
    // Its deadline passes meanwhile.
    drill.advance(8, MINUTES);
    assertThat(lives(pod)).isTrue();
    report(node, OUT_WHEN_IDLE);
    drill.advance(1, MINUTES);
    assertThat(lives(pod)).isFalse();
    drill.toRest();
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  @Test
  void aPoolThatOnlyObservesFromNowOnGetsItsNodeBack() {
    Node node = grown();
    Pod pod = drained(node, OUT_WHEN_IDLE);
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
    drill.advance(10, SECONDS);
    isBack(node, pod);
    drill.advance(1, HOURS);
    isBack(node, pod);
    assertThat(uncordoned())
        .singleElement()
        .asString()
        .endsWith(": its pool only observes alerts.");
  }

  @Test
  void aNodeThatWaitsForItsRepairIsGivenBackByAPoolThatOnlyObservesFromNowOn() {
    Node node = grown();
    report(node, OUT_NOW);
    drill.advance(20, SECONDS);
    assertThat(present(node).cordoned()).isTrue();
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
    drill.advance(10, SECONDS);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(uncordoned())
        .singleElement()
        .asString()
        .endsWith(": its pool only observes alerts.");
  }

  @Test
  void aNodeWhoseUserRefusesRepairsFromNowOnIsGivenBack() {
    Node node = grown();
    Pod pod = drained(node, RESET);
    cluster
        .nodeClients()
        .annotation(node.name(), NodeAnnotations.REPAIR.key(), Optional.of(NodeAnnotations.OFF));
    drill.advance(10, SECONDS);
    isBack(node, pod);
    drill.advance(1, HOURS);
    isBack(node, pod);
  }

  @Test
  void aPoolThatProtectsItsWorkFromNowOnKeepsIt() {
    Node node = grown();
    Pod pod = drained(node, OUT_WHEN_IDLE);
    allowEviction(false);
    drill.advance(10, SECONDS);
    isBack(node, pod);
    drill.advance(3, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).isCommitted()).isFalse();

    cluster.workloads().finish(pod.uid());
    drill.toRest();
    assertThat(now(node)).isEmpty();
  }

  @Test
  void aPoolThatProtectsItsWorkWhileTheSignalsAreOffSaysSo() {
    for (String alert : List.of(OUT_WHEN_IDLE, RESET)) {
      Node node = grown(2).get(alert.equals(RESET) ? 1 : 0);
      Pod pod = drained(node, alert);
      signals.withdraw(node.name(), key(alert));
      drill.advance(1, MINUTES);
      allowEviction(false);
      cluster.nodeClients().annotation(node.name(), "example.org/seen", Optional.of("yes"));
      drill.advance(10, SECONDS);
      isBack(node, pod);
    }
    assertThat(uncordoned())
        .hasSize(2)
        .allMatch(said -> said.endsWith(": its pool protects its work."));
  }

  @Test
  void anAlertThatIsInDoubtDuringTheDrainEndsTheWorkOfOneProbe() {
    List<Node> nodes = grown(12);
    Node node = nodes.getFirst();
    List<Pod> pods = new ArrayList<>(List.of(drained(node, OUT_WHEN_IDLE)));
    nodes.subList(1, 6).forEach(each -> pods.add(work(each)));
    nodes.subList(1, 6).forEach(each -> report(each, OUT_WHEN_IDLE));
    drill.advance(1, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    isBack(node, pods.getFirst());
    assertThat(uncordoned()).singleElement().asString().endsWith(": its alert is in doubt.");
    drill.advance(2, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");
    assertThat(pods.stream().filter(this::lives)).hasSize(5);
  }

  @Test
  void aScaleDownThatJoinedHasItsOwnDeadline() {
    Node node = grown(2).getFirst();
    pool.strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    Pod pod = drained(node, RESET);
    drill.advance(15, MINUTES);
    cluster.nodeClients().label(node.name(), NodeLabels.REMOVE_NODE.key(), Optional.of("true"));
    pool.target(1);
    drill.advance(10, SECONDS);
    assertThat(causes(node)).containsExactly("ScaleDown", "Repair");
    signals.withdraw(node.name(), key(RESET));
    drill.advance(20, SECONDS);
    assertThat(causes(node)).containsExactly("ScaleDown");
    drill.advance(29, MINUTES);
    assertThat(lives(pod)).isTrue();
    drill.advance(2, MINUTES);
    assertThat(lives(pod)).isFalse();
    drill.toRest();
    assertThat(now(node)).isEmpty();
    assertThat(powerCycles(node)).isZero();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
  }

  @Test
  void aPreemptionThatJoinedHasItsOwnInstants() {
    pool.spot(1).toRest();
    Node node = pool.nodes().getFirst();
    Pod pod = drained(node, OUT_WHEN_IDLE);
    drill.reclaim(node.name());
    drill.advance(5, SECONDS);
    assertThat(causes(node)).containsExactly("Preemption", "AlertVerification", "RepairOut");
    signals.withdraw(node.name(), key(OUT_WHEN_IDLE));
    drill.advance(10, SECONDS);
    assertThat(causes(node)).containsExactly("Preemption");
    assertThat(present(node).isCommitted()).isFalse();
    drill.advance(6, MINUTES);
    assertThat(lives(pod)).isTrue();
    drill.advance(20, SECONDS);
    assertThat(lives(pod)).isFalse();
  }

  @Test
  void whatElseDemandsTheDrainGoesOnByItsOwnRules() {
    Node node = grown();
    Pod pod = drained(node, OUT_WHEN_IDLE);
    pool.edit(spec ->
        spec.withLifecycle(
            spec.lifecycle().withScaleDownStrategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE)));
    drill.advance(20, MINUTES);
    // The deletion of the pool joins, and has a deadline of its own.
    pool.delete();
    signals.withdraw(node.name(), key(OUT_WHEN_IDLE));
    drill.advance(20, MINUTES);
    assertThat(lives(pod)).isTrue();
    assertThat(causes(node)).doesNotContain("RepairOut");
    drill.advance(25, MINUTES);
    assertThat(lives(pod)).isFalse();
  }

  private List<String> causes(Node node) {
    return present(node).disruption().flatMap(Disruption::active).stream()
        .flatMap(active -> active.causes().stream())
        .map(cause -> cause.what().word())
        .toList();
  }
}
