package io.nodepool.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.drill.document.ScenarioDocument;
import io.nodepool.drill.script.ScriptEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Drills: those that are ready-made, and one that fails. {@code -Ddrill.seeds=N} sets the number.
 */
@Tag("world")
class DrillTest {
  private static final long SEEDS = Long.getLong("drill.seeds", 2);

  /** Work on spot machines that is not saved, and two notices. */
  private static final String FAILS =
      """
      lasts: 6h
      dataCentre:
        zone: US-EAST-04A
        racks: [{name: "101", instanceType: gd-8xh100ib-i128, hosts: 4}]
        timings: {bootMin: 8m, bootMax: 14m, clean: 4m}
      objects:
        - apiVersion: compute.coreweave.com/v1alpha1
          kind: NodePool
          metadata: {name: spot}
          spec: {computeClass: spot, instanceType: gd-8xh100ib-i128, targetNodes: 2}
        - apiVersion: batch/v1
          kind: Job
          metadata: {name: train, namespace: ml}
          spec:
            completions: 2
            parallelism: 2
            template:
              metadata: {annotations: {fleet.nodepool.io/run-for: 20h}}
              spec:
                restartPolicy: Never
                containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 8}}}]
      script:
        - {at: 1h, cordon: {pool: spot, state: idle}}
        - {at: 2h, preempt: {pool: spot, count: 1}}
        - {at: 2h30m, restartOperator: {down: 20s}}
        - {at: 3h, quota: {instanceType: gd-8xh100ib-i128, nodes: 4}}
      expect:
        - {that: no work is lost, always: 'workloads["ml/train"].lostSeconds == 0'}
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("io.nodepool.drill.ReadyMadeDrills#files")
  void whatAReadyMadeDrillExpectsHolds(Path file) {
    Scenario scenario = ScenarioDocument.read(file);
    assertThat(scenario.warnings()).isEmpty();
    assertThat(scenario.expectations()).isNotEmpty();
    assertThat(
            LongStream.rangeClosed(1, SEEDS)
                .parallel()
                .mapToObj(seed -> DrillRun.play(scenario, seed, Optional.empty()))
                .flatMap(result ->
                    result.failure().stream().map(each -> DrillText.failure(result, each))))
        .isEmpty();
  }

  private Scenario fails() throws IOException {
    return ScenarioDocument.read(Files.writeString(folder.resolve("fails.yaml"), FAILS));
  }

  @Test
  void theSameSeedGivesTheSameRun() throws IOException {
    DrillResult one = DrillRun.play(fails(), 3, Optional.empty());
    DrillResult other = DrillRun.play(fails(), 3, Optional.empty());

    assertThat(other).isEqualTo(one);
    assertThat(DrillRun.play(fails(), 4, Optional.empty()).timeline()).isNotEqualTo(one.timeline());
  }

  @Test
  void whatDoesNotHoldEndsTheRunAndIsSearched() throws IOException {
    Scenario scenario = fails();
    DrillResult result = DrillRun.play(scenario, 1, Optional.empty());
    DrillResult.Failure failure = result.failure().orElseThrow();

    assertThat(failure.expectation()).isEqualTo("no work is lost");
    assertThat(Timeline.since(failure.at()))
        .isBetween(Duration.ofHours(2), Duration.ofMinutes(130));

    DrillSearch search = new DrillSearch(scenario, result);
    DrillSearch.Shrunk shrunk = search.shrink();
    assertThat(shrunk.of()).isEqualTo(2);
    assertThat(shrunk.left()).extracting(ScriptEvent::at).containsExactly(Duration.ofHours(2));
    // Before the notice all orders have the same notice: it is in the script.
    assertThat(search.certainFrom(shrunk.left(), 3)).isLessThanOrEqualTo(Duration.ofHours(2));
  }

  /** Two Nodes with work of low priority, and other work that is wanted later. */
  private static final String PRIORITIES =
      """
      lasts: 3h
      dataCentre:
        zone: US-EAST-04A
        racks: [{name: "101", instanceType: gd-8xh100ib-i128, hosts: 2}]
        timings: {bootMin: 8m, bootMax: 14m, clean: 4m}
      objects:
        - apiVersion: compute.coreweave.com/v1alpha1
          kind: NodePool
          metadata: {name: train}
          spec: {instanceType: gd-8xh100ib-i128, targetNodes: 2}
        - apiVersion: scheduling.k8s.io/v1
          kind: PriorityClass
          metadata: {name: urgent}
          value: 1000
          preemptionPolicy: %s
        - apiVersion: apps/v1
          kind: Deployment
          metadata: {name: batch, namespace: ml}
          spec:
            replicas: 4
            template:
              metadata: {labels: {app: batch}}
              spec:
                containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 4}}}]
        - apiVersion: apps/v1
          kind: Deployment
          metadata: {name: serve, namespace: ml}
          spec:
            replicas: 0
            template:
              spec:
                priorityClassName: urgent
                containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 8}}}]
      script:
        - {at: 2h, scaleWorkload: {workload: ml/serve, replicas: 1}}
      expect:
        - {at: 119m, holds: 'workloads["ml/batch"].running == 4'}
        - {atEnd: '%s'}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PreemptLowerPriority | serve.running == 1 && batch.running == 2 && batch.ended == 2 && batch.pending == 2",
        "Never                | serve.pending == 1 && batch.running == 4 && batch.ended == 0"
      })
  void theSchedulerEndsPodsOfLowerPriorityForAnother(String policy, String end) throws IOException {
    String holds =
        end.replace("serve.", "workloads[\"ml/serve\"].")
            .replace("batch.", "workloads[\"ml/batch\"].");
    Scenario scenario =
        ScenarioDocument.read(
            Files.writeString(
                folder.resolve("priorities.yaml"), PRIORITIES.formatted(policy, holds)));
    assertThat(LongStream.rangeClosed(1, 5).mapToObj(seed -> verdict(scenario, seed)))
        .allMatch(Optional::isEmpty);
  }

  private static Optional<String> verdict(Scenario scenario, long seed) {
    DrillResult result = DrillRun.play(scenario, seed, Optional.empty());
    return result.failure().map(each -> DrillText.failure(result, each));
  }

  /**
   * A gang that is made larger waits until all of it has Nodes, and one that is smaller goes on.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 | gang.running == 2 && gang.pending == 1 && gang.share < 0.8",
        "1 | gang.running == 1 && gang.pending == 0 && gang.share > 0.9"
      })
  void aGangIsResized(int replicas, String end) throws IOException {
    String manifest =
        PRIORITIES
            .formatted("Never", end.replace("gang.", "workloads[\"ml/batch\"]."))
            .replace("replicas: 4", "replicas: 2")
            .replace("app: batch", "scheduling.x-k8s.io/pod-group: g")
            .replace("nvidia.com/gpu: 4", "nvidia.com/gpu: 8")
            .replace("running == 4'", "running == 2'")
            .replace("ml/serve, replicas: 1", "ml/batch, replicas: " + replicas);
    assertThat(manifest).contains("pod-group");
    Scenario scenario =
        ScenarioDocument.read(Files.writeString(folder.resolve("gang.yaml"), manifest));
    assertThat(LongStream.rangeClosed(1, 5).mapToObj(seed -> verdict(scenario, seed)))
        .allMatch(Optional::isEmpty);
  }

  @Test
  void aNameThatIsNoneIsAnsweredByThoseThatAre() throws IOException {
    Scenario scenario =
        ScenarioDocument.read(
            Files.writeString(
                folder.resolve("names.yaml"),
                FAILS
                    .replace("lasts: 6h", "lasts: 4h")
                    .replaceFirst(
                        "(?s)expect:.*", "expect: [{atEnd: 'workloads.train.running == 2'}]")));
    assertThat(DrillRun.play(scenario, 1, Optional.empty()).failure().orElseThrow().why())
        .endsWith("key 'train' is not present in map; pools has spot; workloads has ml/train");
  }

  @Test
  void anEntryByChanceHappensAtItsRate() throws IOException {
    Scenario scenario =
        ScenarioDocument.read(
            Files.writeString(
                folder.resolve("chance.yaml"),
                FAILS
                    .replace("lasts: 6h", "lasts: 300d")
                    .replace("at: 1h, cordon", "chance: 10 in 30d, cordon")));
    List<Integer> times =
        LongStream.rangeClosed(1, 50)
            .mapToObj(seed ->
                (int)
                    ScriptEvent.all(scenario.script(), scenario.lasts(), seed).stream()
                        .filter(each -> each.entry() == 0)
                        .count())
            .toList();
    // 100 on average in each, 5,000 in all, with a standard deviation of 71.
    assertThat(times.stream().mapToInt(Integer::intValue).sum()).isBetween(4_700, 5_300);
    assertThat(times.stream().distinct().count()).isGreaterThan(10);
  }
}
