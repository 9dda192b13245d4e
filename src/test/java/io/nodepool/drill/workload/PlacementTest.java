package io.nodepool.drill.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.Taint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where Pods are placed, by what their specs and the Nodes say. */
class PlacementTest {
  private static final String WORK =
      "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 8}}}]";

  private static PodSpec spec(String yaml) {
    return Serialization.unmarshal(yaml, PodSpec.class);
  }

  private static NodeView node(String name, Map<String, String> labels, Taint... taints) {
    return new NodeView(
        name,
        new TreeMap<>(labels),
        List.of(taints),
        Map.of("nvidia.com/gpu", 8_000L, "cpu", 64_000L, "memory", 512_000L, "pods", 110_000L));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nodeSelector: {zone: a} | true",
        "nodeSelector: {zone: b} | false",
        "nodeSelector: {rack: a} | false",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b, a]}]}]}}} | true",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}]}}} | false",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}, {matchExpressions: [{key: gen, operator: Gt, values: ['2']}]}]}}} | true",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gen, operator: Lt, values: ['3']}]}]}}} | false",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: other, operator: DoesNotExist}]}]}}} | true",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: other, operator: Exists}]}]}}} | false",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [g1]}]}]}}} | true",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}} | false",
      })
  void aPodIsPlacedWhereItsSpecSaysSo(String rules, boolean placed) {
    Placement placement =
        new Placement(List.of(node("g1", Map.of("zone", "a", "gen", "3"))), new HashMap<>());
    PodSpec spec = spec(WORK + "\n" + rules);
    assertThat(placement.place(spec, Placement.requests(spec)).isPresent()).isEqualTo(placed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "key | value | NoSchedule | tolerations: [] | false",
        "key | value | NoExecute | tolerations: [] | false",
        "key | value | PreferNoSchedule | tolerations: [] | true",
        "key | value | NoSchedule | tolerations: [{key: key, value: value}] | true",
        "key | value | NoSchedule | tolerations: [{key: key, operator: Exists, effect: NoSchedule}] | true",
        "key | value | NoSchedule | tolerations: [{key: key, operator: Exists, effect: NoExecute}] | false",
        "key | value | NoSchedule | tolerations: [{key: key, value: other}] | false",
        "key | value | NoSchedule | tolerations: [{operator: Exists}] | true",
        // An admission policy adds the toleration to Pods that request no GPU.
        "is_cpu_compute | '' | NoSchedule | tolerations: [] | false",
      })
  void aPodIsPlacedWhereItToleratesTheTaints(
      String key, String value, String effect, String tolerations, boolean placed) {
    Placement placement =
        new Placement(
            List.of(node("g1", Map.of(), new Taint(key, value, effect))), new HashMap<>());
    PodSpec spec = spec(WORK + "\n" + tolerations);
    assertThat(placement.place(spec, Placement.requests(spec)).isPresent()).isEqualTo(placed);
  }

  @Test
  void aPodWithoutGpusRunsOnCpuMachines() {
    Placement placement =
        new Placement(
            List.of(node("c1", Map.of(), new Taint("is_cpu_compute", "", "NoSchedule"))),
            new HashMap<>());
    PodSpec spec = spec("containers: [{name: a, resources: {requests: {cpu: 1}}}]");
    assertThat(placement.place(spec, Placement.requests(spec))).hasValue("c1");
  }

  @Test
  void requestsAreThoseOfTheContainersOrOfTheLargestInitContainer() {
    PodSpec spec =
        spec(
            """
            containers:
              - {name: a, resources: {requests: {cpu: 500m, memory: 1Ki}}}
              - {name: b, resources: {limits: {cpu: 1}, requests: {memory: 1Ki}}}
            initContainers:
              - {name: c, resources: {requests: {cpu: 2, memory: 1Ki}}}
            """);
    assertThat(Placement.requests(spec))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("cpu", 2_000L, "memory", 2_048_000L, "pods", 1_000L));
  }

  @Test
  void theNodeThatIsLeftWithMostIsTakenThenTheFirstByName() {
    Map<String, Map<String, Long>> used = new HashMap<>();
    Placement placement = new Placement(List.of(node("g2", Map.of()), node("g1", Map.of())), used);
    PodSpec spec = spec("containers: [{name: a, resources: {requests: {cpu: 8}}}]");
    Map<String, Long> requests = Placement.requests(spec);

    assertThat(placement.place(spec, requests)).hasValue("g1");
    assertThat(placement.place(spec, requests)).hasValue("g2");
    assertThat(used.get("g2")).containsEntry("cpu", 8_000L);
  }

  @Test
  void aGangIsPlacedAsAWholeOrNotAtAll() {
    Map<String, Map<String, Long>> used = new HashMap<>();
    Placement placement = new Placement(List.of(node("g1", Map.of()), node("g2", Map.of())), used);
    PodSpec spec = spec(WORK);
    Map<String, Long> requests = Placement.requests(spec);

    assertThat(placement.placeAll(spec, requests, 3)).isEmpty();
    assertThat(placement.placeAll(spec, requests, 2)).containsExactlyInAnyOrder("g1", "g2");
    assertThat(placement.place(spec, requests)).isEqualTo(Optional.empty());
  }
}
