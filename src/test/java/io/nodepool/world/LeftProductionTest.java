package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests the state of Nodes whose machines are stopped, until they are gone (decision D250). */
class LeftProductionTest {
  private boolean refuses;
  private final Drill drill =
      Drill.with(61, Faults.NONE, OperatorOverrides.AS_BUILT.withWriter(Refusing::new));
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");

  /** What the watched Node showed, each once in a row. */
  private final List<String> shown = new ArrayList<>();

  /** An API server that refuses to show a state, while it is asked to. */
  private final class Refusing implements Writer {
    private final Writer writer;

    Refusing(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
      if (refuses
          && action instanceof Action.WriteNode write
          && write.isFor(NodePurpose.SHOW_STATE)) {
        writer.read(action.subject(), _ -> answer.accept(new Answer.Refused<>("not allowed")));
      } else {
        writer.submit(eventDrafts, action, answer);
      }
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  /**
   * A Node of a pool of this size, which another client's finalizer keeps, and which is watched.
   */
  private Node kept(int nodes) {
    pool.target(nodes).toRest();
    return watched(pool.nodes().getLast());
  }

  private Node watched(Node node) {
    cluster.nodeClients().keep(node.name());
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node next) && next.uid().equals(node.uid())) {
            String line = line(next);
            if (shown.isEmpty() || !shown.getLast().equals(line)) {
              shown.add(line);
            }
          }
        });
    return node;
  }

  private static String line(Node node) {
    String reserved =
        node.metadata().taints().stream()
            .filter(taint -> taint.key().equals(NodeTaints.RESERVED.key()))
            .map(Taint::text)
            .findFirst()
            .orElse("untainted");
    return "%s, %s, %s"
        .formatted(
            node.metadata().label(NodeLabels.STATE),
            node.metadata().label(NodeLabels.RESERVED),
            reserved);
  }

  private static String inState(String state) {
    return "%s, %s, %s"
        .formatted(state, state, Reservation.taint(state, state).orElseThrow().text());
  }

  private static final String PRODUCTION = "production, example-org, untainted";

  private Optional<Node> now(Node node) {
    return cluster.node(node.name()).filter(seen -> seen.uid().equals(node.uid()));
  }

  private void askFor(Node node) {
    cluster.nodeClients().label(node.name(), NodeLabels.REMOVE_NODE.key(), Optional.of("true"));
  }

  private void until(BooleanSupplier what) {
    for (int i = 0; i < 100_000 && !what.getAsBoolean(); i++) {
      drill.advance(100, MILLIS);
    }
    assertThat(what.getAsBoolean()).isTrue();
  }

  private int writes() {
    return cluster.appliedWrites().of("show state");
  }

  @Test
  void aNodeThatIsRemovedShowsZapFromTheEndOfItsDrainUntilItIsGone() {
    Node node = kept(2);
    Pod work = cluster.bindPod("default", "train", node.name(), "ReplicaSet");
    cluster.workloads().guard(work.uid());
    askFor(node);
    pool.strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE).pool("a").target(1);
    until(() -> now(node).filter(Node::isDraining).isPresent());
    drill.advance(2, MINUTES);
    assertThat(shown).containsExactly(PRODUCTION);
    assertThat(now(node).orElseThrow().cordoned()).isTrue();

    drill.toRest();
    assertThat(now(node))
        .hasValueSatisfying(left -> {
          assertThat(left.deleting()).isTrue();
          assertThat(left.status().lifecycle().phase()).isEqualTo("production");
        });
    assertThat(shown).containsExactly(PRODUCTION, inState("zap"));
    assertThat(writes()).isOne();
    assertThat(drill.emitted(EventReason.NODE_TAINTED)).isZero();

    cluster.nodeClients().letGo(node.name());
    pool.target(2).toRest();
    assertThat(pool.nodes())
        .hasSize(2)
        .allSatisfy(next -> assertThat(line(next)).isEqualTo(PRODUCTION));
    assertThat(writes()).isOne();
    assertThat(AtRest.complaint(drill)).isEmpty();
  }

  @Test
  void aNodeWhoseMachineDidNotComeBackFromItsRebootShowsTriage() {
    Node node = kept(1);
    cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.HANG);
    new NodeStory(drill, node).request(LifecycleState.POWER_RESET);
    drill.toRest();

    assertThat(
            Optional.ofNullable(cluster.hosts().get(node.name()))
                .orElseThrow()
                .deliveries()
                .isSetAside())
        .isTrue();
    assertThat(shown).endsWith(inState("production-powerreset"), inState("triage"));
    assertThat(writes()).isOne();
  }

  @Test
  void aNodeWhoseMachineFailedShowsTriage() {
    Node node = kept(1);
    cluster.fleetOwner().report(node.name(), HostPhase.FAILED, drill.world.instant());
    drill.toRest();

    assertThat(now(node)).isPresent();
    assertThat(shown).containsExactly(PRODUCTION, inState("triage"));
  }

  /** Its kubelet does not end its Pod, and its fleet takes the machine. */
  @Test
  void aPreemptedNodeShowsZapFromItsStopInstantWithWorkOnIt() {
    Drill.machines(Drill.GPU).stream()
        .skip(1)
        .forEach(host -> cluster.fleetOwner().offerSpot(host, false));
    pool.spot(1).toRest();
    Node node = watched(pool.nodes().getFirst());
    Pod work = cluster.bindPod("default", "train", node.name(), "ReplicaSet");
    cluster.workloads().keep(work.uid());
    cluster.workloads().grace(work.uid(), Duration.ofHours(1));
    drill.reclaim(node.name());
    drill.advance(Drill.RECLAIM_WINDOW.minus(Duration.ofSeconds(2)).toMillis(), MILLIS);
    assertThat(shown).containsExactly(PRODUCTION);

    until(() -> shown.contains(inState("zap")));
    assertThat(cluster.pods()).containsKey(work.uid());
  }

  @Test
  void aRemovalDoesNotWaitForTheStateThatCannotBeShown() {
    refuses = true;
    pool.target(2).toRest();
    pool.target(1).toRest();
    assertThat(pool.nodes()).hasSize(1);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).isZero();

    Node node = watched(pool.nodes().getFirst());
    pool.target(0).advance(1, HOURS);
    assertThat(now(node)).hasValueSatisfying(left -> assertThat(left.deleting()).isTrue());
    assertThat(shown).containsExactly(PRODUCTION);

    refuses = false;
    drill.advance(1, HOURS);
    assertThat(shown).containsExactly(PRODUCTION, inState("zap"));
  }

  @Test
  void anOperatorThatStartsShowsTheStateOfANodeWhoseMachineWasStopped() {
    Node node = kept(2);
    refuses = true;
    askFor(node);
    pool.target(1);
    until(() -> now(node).filter(Node::deleting).isPresent());
    drill.world.operators().kill();
    refuses = false;
    drill.advance(1, MINUTES);
    assertThat(shown).containsExactly(PRODUCTION);

    drill.world.operators().start();
    drill.toRest();
    assertThat(shown).containsExactly(PRODUCTION, inState("zap"));
    assertThat(writes()).isOne();
  }
}
