package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A verifier that fails on every machine does not empty the pools (decision D221). */
@Tag("world")
class BrokenVerifierTest {
  private final Drill drill =
      Drill.with(1, Drill.racks(Drill.GPU, 1, 24), Faults.NONE, OperatorOverrides.AS_BUILT);
  private final LostNodesWatch watch = LostNodesWatch.of(drill.world.cluster());

  private Drill.PoolDrill pool() {
    return drill.pool("a");
  }

  private FailedReboots failed() {
    return pool().seen().status().failedReboots();
  }

  private long setAside() {
    return drill.world.cluster().hosts().values().stream()
        .filter(host -> host.deliveries().isSetAside())
        .count();
  }

  /** A pool of which every Node is verified on request, while all verifications fail. */
  private List<Node> brokenVerifier(int size) {
    pool().target(size).toRest();
    List<Node> nodes = pool().nodes();
    nodes.forEach(node ->
        drill
            .world
            .cluster()
            .fleetOwner()
            .reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    nodes.forEach(node -> request(node, LifecycleState.VERIFICATION));
    return nodes;
  }

  private void request(Node node, LifecycleState state) {
    drill
        .world
        .cluster()
        .nodeClients()
        .label(node.name(), NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
  }

  private void heal() {
    drill
        .world
        .cluster()
        .hosts()
        .keySet()
        .forEach(host -> drill.world.cluster().fleetOwner().healReboots(host));
  }

  @Test
  void aVerifierThatFailsOnEveryNodeLetsThreeLeave() {
    List<Node> nodes = brokenVerifier(20);
    drill.advance(8, HOURS);

    assertThat(setAside()).isEqualTo(3);
    assertThat(watch.left()).hasSize(3);
    assertThat(pool().nodes()).hasSize(20);
    List<Node> kept =
        nodes.stream()
            .flatMap(node ->
                Optional.ofNullable(drill.world.cluster().nodes().get(node.name())).stream())
            .filter(node -> nodes.stream().anyMatch(each -> each.uid().equals(node.uid())))
            .toList();
    assertThat(kept).hasSize(17).allMatch(Node::cordoned);
    assertThat(failed().waiting()).isEqualTo(17);
    assertThat(failed().names()).hasSize(5);
    assertThat(failed().hold()).isPresent();
    assertThat(failed().why())
        .isEqualTo(
            "3 Nodes in a row were removed, and none came back meanwhile: no other one leaves until a person releases that.");
    assertThat(drill.emitted(EventReason.FAILED_REBOOTS_HELD)).isOne();
    assertThat(drill.emitted(EventReason.FAILED_REBOOTS_RELEASED)).isZero();
  }

  private List<Node> original(List<Node> nodes) {
    return pool().nodes().stream()
        .filter(node -> nodes.stream().anyMatch(each -> each.uid().equals(node.uid())))
        .toList();
  }

  private void release() {
    String hold = failed().hold().orElseThrow();
    pool().edit(spec -> spec.withPause(PoolSpec.Pause.NONE.withReleased(hold)));
  }

  @Test
  void onceAPersonReleasesItThreeOthersLeave() {
    List<Node> nodes = brokenVerifier(20);
    drill.advance(8, HOURS);
    String first = failed().hold().orElseThrow();
    release();
    drill.advance(8, HOURS);

    assertThat(watch.left()).hasSize(6);
    assertThat(original(nodes)).hasSize(14).allMatch(Node::cordoned);
    assertThat(drill.emitted(EventReason.FAILED_REBOOTS_RELEASED)).isOne();
    assertThat(drill.emitted(EventReason.FAILED_REBOOTS_HELD)).isEqualTo(2);
    assertThat(failed().hold()).isPresent().isNotEqualTo(Optional.of(first));
  }

  @Test
  void onceTheVerifierIsHealedAllComeBackAlthoughItIsHeld() {
    List<Node> nodes = brokenVerifier(20);
    drill.advance(8, HOURS);
    heal();
    drill.advance(3, HOURS);

    assertThat(watch.left()).hasSize(3);
    assertThat(original(nodes))
        .hasSize(17)
        .noneMatch(Node::cordoned)
        .noneMatch(
            node -> node.metadata().annotations().containsKey(NodeAnnotations.REBOOT_FAILED.key()));
    assertThat(failed().waiting()).isZero();
    assertThat(failed().why()).isEmpty();
    assertThat(failed().hold()).as("until a person releases it").isPresent();
    release();
    drill.toRest();
    assertThat(failed().hold()).isEmpty();
    assertThat(pool().nodes()).hasSize(20);
  }

  /** One that comes back shows that the verification works: others may leave. */
  @Test
  void oneThatComesBackEndsTheRow() {
    List<Node> nodes = brokenVerifier(20);
    Node well = nodes.getLast();
    drill.world.cluster().fleetOwner().healReboots(well.name());
    drill.advance(8, HOURS);

    assertThat(drill.world.cluster().nodes()).containsKey(well.name());
    assertThat(watch.left()).hasSize(3);
  }

  @Test
  void anOperatorThatDiesAgainAndAgainLetsNoMoreLeave() {
    List<Node> nodes = brokenVerifier(20);
    for (int i = 0; i < 100; i++) {
      drill.advance(7, MINUTES);
      drill.world.operators().kill();
      drill.world.operators().start();
    }
    drill.advance(2, HOURS);

    assertThat(watch.left()).hasSizeBetween(1, 3);
    assertThat(original(nodes)).hasSizeBetween(17, 19).allMatch(Node::cordoned);
  }

  @Test
  void aPoolThatIsDeletedIsNotHeld() {
    brokenVerifier(4);
    drill.advance(8, HOURS);
    pool().delete();
    drill.toRest();

    assertThat(drill.world.cluster().pool("a")).isEmpty();
    assertThat(drill.world.cluster().nodes()).isEmpty();
  }
}
