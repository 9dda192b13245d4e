package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.Manifests;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.Recording;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Records a run for the picture in README.md:
 *
 * <pre>./mvnw test-compile failsafe:integration-test failsafe:verify -Dit.test=LiveViewRecordingIT
 *     -Dlive-view.record=true</pre>
 */
@Tag("local-cluster")
@EnabledIfSystemProperty(named = "live-view.record", matches = "true")
class LiveViewRecordingIT {
  private static final int SPEED = 4;

  @Test
  void record() throws Exception {
    DevManifests.Fleet fleet = DevManifests.fleet(Optional.empty());
    try (DevCluster cluster =
        DevCluster.start(ControlPlaneBinaries.ofThisProcess(Progress.lines(_ -> {})), _ -> {})) {
      cluster.install(KeyExceptions.NONE);
      cluster.apply(fleet.manifest());
      int code =
          DevSession.run(
              cluster,
              new DevSession.Settings(fleet, SPEED, KeyExceptions.NONE, _ -> {}),
              session -> play(cluster, session.board()));
      assertThat(code).isEqualTo(ExitCodes.DONE);
    }
  }

  private static int play(DevCluster cluster, Board board) throws Exception {
    DevManifests.objects(
            List.of(
                Path.of("examples/gpu-pool.yaml"),
                Path.of("examples/rack-pool.yaml"),
                Path.of("examples/workload.yaml")))
        .forEach(cluster::apply);
    await(
        board,
        view ->
            view.pools().size() == 2 && view.pools().stream().allMatch(each -> each.isAtTarget()));
    await(board, view -> count(view, MachineState.BUSY) == 4);
    String busy = first(board.picture(), MachineState.BUSY);
    String fault =
        """
        apiVersion: fleet.nodepool.io/v1alpha1
        kind: HostSignals
        metadata: {name: %s}
        spec: {signals: {my-monitor.gpu3.GPUFallenOffBus: {since: "%s"}}}
        ---
        apiVersion: compute.coreweave.com/v1alpha1
        kind: NodePool
        metadata: {name: inference}
        spec: {computeClass: default, instanceType: b200-8x, targetNodes: 12}
        """
            .formatted(busy, Instant.now());
    Manifests.parse("fault", fault).forEach(cluster::apply);
    await(
        board,
        view ->
            Set.of(MachineState.DRAINING, MachineState.CORDONED).stream()
                    .anyMatch(state -> count(view, state) > 0)
                && count(view, MachineState.BOOTING) > 0
                && view.pools().stream()
                    .anyMatch(pool -> pool.name().equals("inference") && pool.current() > 1));
    new Recording(Instant.now(), board.picture()).write();
    return ExitCodes.DONE;
  }

  private static long count(ClusterView view, MachineState state) {
    return view.machines().stream().filter(machine -> machine.state() == state).count();
  }

  private static String first(ClusterView view, MachineState state) {
    return view.machines().stream()
        .filter(machine -> machine.state() == state)
        .map(MachineView::place)
        .map(MachineView.Place::name)
        .findFirst()
        .orElseThrow();
  }

  private static void await(Board board, Predicate<ClusterView> seen) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> seen.test(board.picture()));
  }
}
