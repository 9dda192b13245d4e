package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.cli.dev.DevManifests;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedManifestsTest {
  @Test
  void theDefaultDataCentreIsValidAndHasAQuotaForEachOfItsTypes() {
    DevManifests.Fleet fleet = DevManifests.fleet(Optional.empty());

    assertThat(fleet.inWords(1))
        .isEqualTo(
            "Simulated data centre default: 100 machines of 14 instance types in US-EAST-04A.");
    assertThat(fleet.spec().quotas.stream().map(quota -> quota.instanceType))
        .containsExactlyInAnyOrderElementsOf(types(fleet.spec()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gd-8xh100ib-i128",
        "gd-8xh200ib-i128",
        "b200-8x",
        "gd-8xa100-i128",
        "gd-8xl40-i128",
        "gd-8xl40s-i128",
        "rtxp6000-8x",
        "gd-1xgh200",
        "gb200-4x",
        "turin-gp",
        "turin-gp-l",
        "cd-gp-a192-genoa",
        "cd-gp-i64-erapids",
        "cd-hc-a384ib-genoa"
      })
  void theDefaultDataCentreHasTheTypesOfPublicExamples(String type) {
    assertThat(types(DevManifests.fleet(Optional.empty()).spec())).contains(type);
  }

  @Test
  void everyRackOfTheDefaultDataCentreIsANumber() {
    assertThat(DevManifests.fleet(Optional.empty()).spec().racks)
        .extracting(rack -> rack.name)
        .allMatch(name -> name.matches("[0-9]{3}"))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gpu-pool.yaml",
        "cpu-pool.yaml",
        "rack-pool.yaml",
        "spot-pool.yaml",
        "autoscaled-pool.yaml"
      })
  void everyExampleFitsIntoTheDefaultDataCentre(String file) {
    SimulatedFleetSpec spec = DevManifests.fleet(Optional.empty()).spec();

    assertThat(DevManifests.objects(List.of(Path.of("examples", file))))
        .isNotEmpty()
        .allSatisfy(pool -> {
          String type = pool.object().get("spec", "instanceType");
          assertThat(types(spec)).contains(type);
          assertThat(InstanceCatalogue.bundled().find(type)).isPresent();
        });
  }

  @Test
  void theSpotWorkloadSelectsNodesOfTheSpotPoolAndSavesItsStateWithinTheWindow()
      throws IOException {
    Deployment workload =
        new KubernetesSerialization()
            .unmarshal(
                Files.readString(Path.of("examples", "spot-workload.yaml")), Deployment.class);
    GenericKubernetesResource pool =
        DevManifests.objects(List.of(Path.of("examples", "spot-pool.yaml"))).getFirst().object();
    PodSpec pod = workload.getSpec().getTemplate().getSpec();

    String computeClass = pool.get("spec", "computeClass");
    assertThat(pod.getNodeSelector()).containsEntry(NodeLabels.COMPUTE_CLASS.key(), computeClass);
    int replicas = workload.getSpec().getReplicas();
    int target = pool.get("spec", "targetNodes");
    assertThat(replicas).isEqualTo(target);

    PlanSettings.PreemptionSettings timeline = PlanSettings.DEFAULTS.preemption();
    Duration drain = timeline.window().minus(timeline.warning()).minus(timeline.forced());
    assertThat(Duration.ofSeconds(pod.getTerminationGracePeriodSeconds())).isLessThan(drain);
    assertThat(pod.getContainers())
        .allMatch(container -> container.getLifecycle().getPreStop() != null);
  }

  private static Set<String> types(SimulatedFleetSpec spec) {
    return spec.racks.stream().map(rack -> rack.instanceType).collect(Collectors.toSet());
  }
}
