package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests who owns the cordon of a Node that is rebooted, and requests that come too late. */
class RebootCordonTest {
  private final Drill drill = Drill.calm(53);
  private final WorldCluster cluster = drill.world.cluster();
  private final RebootClient client = new RebootClient(drill);

  private String node() {
    drill.pool("a").target(1).toRest();
    return drill.pool("a").nodes().getFirst().name();
  }

  private Node seen(String node) {
    return Optional.ofNullable(cluster.nodes().get(node)).orElseThrow();
  }

  private List<String> answers() {
    return drill
        .events(EventReason.NODE_REQUEST_REFUSED)
        .map(event -> event.eventDraft().message())
        .toList();
  }

  private void untilCommitted(String node) {
    for (int i = 0; i < 1_800 && !seen(node).isCommitted(); i++) {
      drill.advance(1, SECONDS);
    }
    assertThat(seen(node).isCommitted()).isTrue();
  }

  private void isBack(String node, boolean cordoned) {
    drill.toRest();
    assertThat(cluster.powerCycles()).containsEntry(node, 1);
    assertThat(seen(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(seen(node).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    assertThat(seen(node).cordoned()).isEqualTo(cordoned);
  }

  /** A person drains the Node, requests a reboot, and uncordons it when that has begun. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCordonThatIsSetAgainEndsWithTheReboot(boolean booting) {
    String node = node();
    cluster.nodeClients().cordon(node, true);
    client.request(node, LifecycleState.REBOOT);
    untilCommitted(node);
    if (booting) {
      client.untilBooting(node);
    }
    cluster.nodeClients().cordon(node, false);
    drill.advance(5, SECONDS);
    assertThat(seen(node).cordoned()).isTrue();

    isBack(node, false);
    assertThat(answers())
        .containsExactly(
            "Node %s was uncordoned after production-reboot was committed: that goes on, and the Node is cordoned again until it is back."
                .formatted(node));
  }

  /** A person uncordons a Node after its turn in a rollout was committed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCordonThatIsSetAgainEndsWithTheTurnInARollout(boolean booting) {
    String node = node();
    drill.pool("a").target(4).toRest();
    RolloutClient rollout = new RolloutClient(drill, "a");
    rollout.most(4);
    rollout.rollOut("ncore-2.11.0");
    untilCommitted(node);
    if (booting) {
      client.untilBooting(node);
    }
    cluster.nodeClients().cordon(node, false);
    drill.advance(5, SECONDS);
    assertThat(seen(node).cordoned()).isTrue();

    isBack(node, false);
  }

  @Test
  void aCordonThatWasNeverTakenOffStays() {
    String node = node();
    cluster.nodeClients().cordon(node, true);
    client.request(node, LifecycleState.REBOOT);

    isBack(node, true);
    assertThat(answers()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = LifecycleState.class,
      names = {"REBOOT", "RECONFIGURE"})
  void aRequestThatIsTakenBackTooLateIsAnsweredSo(LifecycleState state) {
    String node = node();
    client.request(node, state);
    client.untilBooting(node);
    client.cancel(node);
    drill.advance(5, SECONDS);

    NodeStatus.Entry pending = seen(node).status().lifecycle().pending().orElseThrow();
    assertThat(pending.status()).isTrue();
    assertThat(pending.reason()).isEqualTo(state.word());
    assertThat(pending.message())
        .isEqualTo("The request was taken back after it was committed; it goes on.");
    assertThat(answers())
        .containsExactly(
            "The request %s of Node %s was taken back after it was committed: it goes on."
                .formatted(state.word(), node));
    drill.advance(4, MINUTES);
    assertThat(seen(node).status().lifecycle().pending()).isPresent();
    isBack(node, false);
    assertThat(answers()).hasSize(1);
  }
}
