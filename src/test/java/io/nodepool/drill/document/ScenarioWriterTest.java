package io.nodepool.drill.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.cli.input.ListedManifests;
import io.nodepool.drill.DrillResult;
import io.nodepool.drill.DrillRun;
import io.nodepool.drill.Scenario;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.whatif.ListedText;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios of what a cluster has. */
class ScenarioWriterTest {
  private static final String TYPE = "gd-8xh100ib-i128";

  /** Work of each kind, some of which is none of a drill. */
  private static final String WORK =
      """
      ---
      apiVersion: v1
      kind: List
      items:
        - apiVersion: apps/v1
          kind: Deployment
          metadata: {name: serve, namespace: ml, uid: d1, annotations: {deployment.kubernetes.io/revision: "3"}}
          spec:
            replicas: 1
            selector: {matchLabels: {app: serve}}
            template:
              metadata: {labels: {app: serve}, annotations: {prometheus.io/scrape: "true"}}
              spec:
                priorityClassName: urgent
                containers:
                  - {name: a, image: serve, command: [serve], resources: {limits: {nvidia.com/gpu: "8"}}}
        - apiVersion: apps/v1
          kind: ReplicaSet
          metadata: {name: serve-1, namespace: ml, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: serve, uid: d1, controller: true}]}
          spec: {replicas: 1, selector: {matchLabels: {app: serve}}}
        - apiVersion: batch/v1
          kind: Job
          metadata: {name: serve, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
          spec:
            parallelism: 2
            completions: 4
            template:
              metadata: {annotations: {fleet.nodepool.io/run-for: 2h}}
              spec:
                restartPolicy: Never
                containers: [{name: a, image: train, resources: {limits: {nvidia.com/gpu: 8}}}]
          status: {succeeded: 2}
        - apiVersion: batch/v1
          kind: Job
          metadata: {name: done, namespace: ml}
          spec: {template: {spec: {containers: [{name: a, image: a}]}}}
          status: {succeeded: 1, completionTime: "2026-01-01T00:00:00Z"}
        - apiVersion: v1
          kind: Pod
          metadata: {name: w-0, namespace: ml, labels: {app: w}, ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: torch, uid: t1, controller: true}]}
          spec: {containers: [{name: a, image: torch, resources: {limits: {nvidia.com/gpu: 8}}}]}
          status: {phase: Running}
        - apiVersion: v1
          kind: Pod
          metadata: {name: w-1, namespace: ml, labels: {app: w}, ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: torch, uid: t1, controller: true}]}
          spec: {containers: [{name: a, image: torch, resources: {limits: {nvidia.com/gpu: 8}}}]}
          status: {phase: Running}
        - apiVersion: v1
          kind: Pod
          metadata: {name: over, namespace: ml}
          spec: {containers: [{name: a, image: a}]}
          status: {phase: Succeeded}
        - apiVersion: apps/v1
          kind: DaemonSet
          metadata: {name: proxy, namespace: kube-system}
          spec: {selector: {matchLabels: {app: p}}, template: {metadata: {labels: {app: p}}, spec: {containers: [{name: a, image: a}]}}}
        - apiVersion: policy/v1
          kind: PodDisruptionBudget
          metadata: {name: serve, namespace: ml, resourceVersion: "7"}
          spec: {maxUnavailable: 0, selector: {matchLabels: {app: serve}}}
          status: {currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1}
        - apiVersion: scheduling.k8s.io/v1
          kind: PriorityClass
          metadata: {name: urgent}
          value: 1000
        - apiVersion: scheduling.k8s.io/v1
          kind: PriorityClass
          metadata: {name: unused}
          value: 5
      """;

  @TempDir private Path folder;

  private static String dump() {
    World world = OpenWorld.unwatched(7, OpenWorld.racks(TYPE, 2, 4), OperatorOverrides.AS_BUILT);
    world.cluster().createPool("train", Fixtures.spec(TYPE, 6), world.instant());
    world.advance(Duration.ofHours(2));
    String node = world.cluster().nodes().firstKey();
    world.cluster().nodeClients().observe(node, "GpuXid155");
    world.advance(Duration.ofHours(1));
    return ListedText.of(
        world.cluster(),
        List.of(),
        Optional.empty(),
        _ -> new RequestTimes(Optional.empty(), Optional.empty()));
  }

  private static String written(String text) {
    return ScenarioWriter.write(
        ListedManifests.all(new StringReader(text), "dump.yaml").objects(),
        "dump.yaml",
        World.START.plus(Duration.ofHours(3)));
  }

  private Scenario read(String text) throws IOException {
    return ScenarioDocument.read(Files.writeString(folder.resolve("new.yaml"), text));
  }

  @Test
  void whatAClusterHasIsAScenarioThatHolds() throws IOException {
    String text = written(dump() + "\n" + WORK);
    Scenario scenario = read(text);

    assertThat(scenario.site().dataCentre().racks()).hasSize(2);
    assertThat(scenario.objects().pools())
        .extracting(pool -> pool.spec().target())
        .containsExactly(6);
    assertThat(scenario.objects().workloads().values())
        .extracting(each -> "%s %d %s".formatted(each.id(), each.replicas(), each.work().gang()))
        .containsExactly("ml/serve 1 false", "ml/serve-job 2 true", "ml/torch 2 false");
    assertThat(scenario.objects().budgets()).hasSize(1);
    assertThat(scenario.objects().priorities()).containsKey("urgent").doesNotContainKey("unused");
    assertThat(scenario.warnings()).isEmpty();
    assertThat(text)
        .startsWith(
            "# As dump.yaml was at 2026-01-01T03:00:00Z.\n# 2 Pods of PyTorchJob ml/torch: ")
        .doesNotContain("command", "revision", "prometheus", "resourceVersion");
    assertThat(scenario.script())
        .extracting(each -> each.text())
        .anyMatch(each -> each.contains("GPU") && each.contains("pool train"));
    assertThat(
            LongStream.rangeClosed(1, 5)
                .mapToObj(seed -> DrillRun.play(scenario, seed, Optional.empty()))
                .map(DrillResult::failure))
        .allMatch(Optional::isEmpty);
  }

  @Test
  void aClusterWithoutPoolsIsNone() {
    assertThatThrownBy(() -> written(WORK))
        .isInstanceOf(ScenarioMistake.class)
        .hasMessageContaining("dump.yaml: has no NodePool");
  }
}
