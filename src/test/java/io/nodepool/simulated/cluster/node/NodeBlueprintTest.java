package io.nodepool.simulated.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NodeBlueprintTest {
  private static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00.5Z");
  private static final String UID = "9311678d-4064-45b8-8439-b943250e5852";

  private static final String DRIVER = "gpu.coreweave.cloud/driver-version";

  static Stream<InstanceType> types() {
    return CATALOGUE.all().stream();
  }

  @ParameterizedTest
  @MethodSource("types")
  void everyTypeGivesLabelsThatTheApiServerAccepts(InstanceType type) {
    Node node = node(type.name(), NodeTemplate.EMPTY);

    assertThat(node.getMetadata().getLabels())
        .containsEntry("node.kubernetes.io/instance-type", type.name())
        .allSatisfy(
            (key, value) -> assertThat(KubernetesNames.wrongLabelValue(value)).as(key).isEmpty());
    assertThat(node.getMetadata().getLabels().keySet())
        .allSatisfy(key -> assertThat(KubernetesNames.wrongKey(key)).isEmpty());
  }

  @Test
  void besideRealNodesANodeHasNoAddressToRouteTo() {
    assertThat(node("turin-gp", "train", NodeTemplate.EMPTY, false).getStatus().getAddresses())
        .extracting(NodeAddress::getType)
        .containsExactly("Hostname");
    assertThat(node("turin-gp", "train", NodeTemplate.EMPTY, true).getStatus().getAddresses())
        .extracting(NodeAddress::getType)
        .containsExactly("InternalIP", "Hostname");
  }

  @Test
  void aGpuNodeHasEverythingThatClientsRead() {
    Node node = node("gd-8xh100ib-i128", NodeTemplate.EMPTY);

    assertThat(node.getMetadata().getLabels())
        .contains(
            entry("compute.coreweave.com/node-pool", "train"),
            entry("compute.coreweave.com/node-pool-uid", "pool-uid"),
            entry("compute.coreweave.com/compute-class", "default"),
            entry("node.kubernetes.io/type", "gd-8xh100ib-i128"),
            entry("node.coreweave.cloud/type", "gd-8xh100ib-i128"),
            entry("node.coreweave.cloud/class", "gpu"),
            entry("node.coreweave.cloud/state", "production"),
            entry("node.coreweave.cloud/reserved", "cw9a2f"),
            entry("node.coreweave.cloud/rack", "169"),
            entry("node.coreweave.cloud/slot", "2"),
            entry("ds.coreweave.com/physical-topology.rack-name", "dh1-r169-us-east-04a"),
            entry("gpu.nvidia.com/count", "8"),
            entry("gpu.nvidia.com/class", "H100"),
            entry("gpu.nvidia.com/model", "H100"),
            entry("gpu.coreweave.cloud/vendor", "NVIDIA"),
            entry("gpu.coreweave.cloud/driver-version", "570.1"),
            entry("cpu.coreweave.cloud/cores", "128"),
            entry("ib.coreweave.cloud/speed", "3200G"),
            entry("ib.coreweave.cloud/ports.expected", "903_903_903_903_903_903_903_903"),
            entry(
                "ib.coreweave.cloud/leaves.current",
                "17011_17012_17013_17014_17015_17016_17017_17018"),
            entry("ib.coreweave.cloud/neighbors.expected.ibp7.port-id", "903"),
            entry("backend.coreweave.cloud/flavor", "infiniband"),
            entry("topology.kubernetes.io/zone", "US-EAST-04A"),
            entry("topology.kubernetes.io/region", "US-EAST-04A"),
            entry("kubernetes.io/arch", "amd64"),
            entry("beta.kubernetes.io/os", "linux"))
        .containsEntry("kubernetes.io/hostname", node.getMetadata().getName())
        .doesNotContainKey("ds.coreweave.com/nvlink.domain");
    assertThat(node.getMetadata().getAnnotations())
        .containsExactly(
            entry("fleet.nodepool.io/host-uid", UID),
            entry("fleet.nodepool.io/tenancy", "3"),
            entry("nodepool.io/applied-metadata", "{}"));
    assertThat(node.getSpec().getTaints())
        .containsExactly(new Taint("PreferNoSchedule", "is_gpu", null, "true"));
  }

  @Test
  void aNodeJoinsWithoutMetadataThatWouldBeRefusedOrRemoved() {
    NodeTemplate template =
        new NodeTemplate(
            new TreeMap<>(Map.of("team", "a", "bad key", "x", "worse", "a b")),
            new TreeMap<>(Map.of("a b", "x", "node.alpha.kubernetes.io/ttl", "5")),
            List.of(
                new io.nodepool.fleet.Taint("a b", "", "NoSchedule"),
                new io.nodepool.fleet.Taint("a", "c d", "NoSchedule"),
                new io.nodepool.fleet.Taint("a", "", "Never"),
                new io.nodepool.fleet.Taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"),
                new io.nodepool.fleet.Taint("sunk.coreweave.com/lock", "", "NoExecute"),
                new io.nodepool.fleet.Taint("dedicated", "a", "NoSchedule")));
    Node node = node("turin-gp", template);

    assertThat(node.getMetadata().getLabels())
        .containsEntry("team", "a")
        .doesNotContainKeys("bad key", "worse");
    assertThat(node.getSpec().getTaints())
        .extracting(Taint::getKey)
        .containsExactlyInAnyOrder("is_cpu_compute", "dedicated");
    assertThat(node.getMetadata().getAnnotations())
        .doesNotContainKeys("a b", "node.alpha.kubernetes.io/ttl")
        .containsEntry(
            "nodepool.io/applied-metadata",
            "{\"labels\":{\"team\":\"a\"},\"taints\":[{\"key\":\"dedicated\",\"value\":\"a\",\"effect\":\"NoSchedule\"}]}");
  }

  @Test
  void aCpuNodeHasNoGpuAndItsOwnTaint() {
    Node node = node("turin-gp", NodeTemplate.EMPTY);

    assertThat(node.getMetadata().getLabels())
        .containsEntry("node.coreweave.cloud/class", "cpu")
        .allSatisfy(
            (key, value) -> assertThat(value.isEmpty() || !key.contains("gpu")).as(key).isTrue())
        .containsEntry("ib.coreweave.cloud/fabric", "")
        .containsEntry("ib.coreweave.cloud/leafgroup", "")
        .containsEntry("ib.coreweave.cloud/superpod", "")
        .containsEntry("backend.coreweave.cloud/fabric", "")
        .containsEntry("backend.coreweave.cloud/leafgroup", "")
        .containsEntry("backend.coreweave.cloud/superpod", "")
        .doesNotContainKeys("backend.coreweave.cloud/enabled", "ib.coreweave.cloud/speed");
    assertThat(node.getSpec().getTaints())
        .containsExactly(new Taint("NoSchedule", "is_cpu_compute", null, null));
    assertThat(node.getStatus().getCapacity()).doesNotContainKey("nvidia.com/gpu");
  }

  @Test
  void aNodeOfTheControlPlanesPoolIsReservedForItFromTheStart() {
    Node node = node("turin-gp", Reservation.CONTROL_PLANE_POOL, NodeTemplate.EMPTY, true);

    assertThat(node.getMetadata().getLabels())
        .containsEntry("node.coreweave.cloud/reserved", "control-plane")
        .containsEntry("node.coreweave.cloud/state", "production");
    assertThat(node.getSpec().getTaints())
        .extracting(Taint::getKey, Taint::getEffect)
        .containsExactly(
            tuple("is_cpu_compute", "NoSchedule"),
            tuple("node.coreweave.cloud/reserved", "NoExecute"));
    assertThat(node.getSpec().getTaints().getLast().getValue()).matches("[0-9a-f]{16}");
  }

  @ParameterizedTest
  @CsvSource({
    "gd-8xh100ib-i128, true",
    "gb200-4x, true",
    "cd-hc-a384ib-genoa, true",
    "gb300-4x-e, false",
    "gd-8xa100-i128, false",
    "turin-gp, false"
  })
  void aMachineOnInfinibandOffersIt(String type, boolean offered) {
    NodeStatus status = node(type, NodeTemplate.EMPTY).getStatus();

    assertThat(List.of(status.getCapacity(), status.getAllocatable()))
        .extracting(resources -> resources.get("rdma/ib"))
        .containsOnly(offered ? new Quantity("64") : null);
  }

  @Test
  void aLeafGroupIsANumberAndHasAName() {
    assertThat(node("gd-8xh100ib-i128", NodeTemplate.EMPTY).getMetadata().getLabels())
        .contains(
            entry("ib.coreweave.cloud/fabric", "US-EAST-04A-FAB1"),
            entry("ib.coreweave.cloud/superpod", "4"),
            entry("ib.coreweave.cloud/neighbors.current.ibp2.device", "L170.1.3"),
            entry("backend.coreweave.cloud/fabric", "US-EAST-04A-FAB1"),
            entry("backend.coreweave.cloud/leafgroup-name", "170.1-DH1"),
            entry("backend.coreweave.cloud/superpod", "4"))
        .hasEntrySatisfying(
            "ib.coreweave.cloud/leafgroup", id -> assertThat(id).matches("[1-9][0-9]{11}"))
        .hasEntrySatisfying(
            "backend.coreweave.cloud/leafgroup", id -> assertThat(id).matches("[1-9][0-9]{11}"));
  }

  @Test
  void aRackNodeNamesItsNvlinkDomain() {
    assertThat(node("gb200-4x", NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("ds.coreweave.com/nvlink.domain", "DH1-169-US-EAST-04A")
        .containsEntry("kubernetes.io/arch", "arm64");
  }

  @Test
  void aRoceNodeHasNoInfinibandLabels() {
    assertThat(node("gb300-4x-e", NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("backend.coreweave.cloud/flavor", "roce")
        .allSatisfy((key, _) -> assertThat(key).doesNotStartWith("ib.coreweave.cloud"));
  }

  @Test
  void aModelWithBlanksBecomesAValidLabelValue() {
    assertThat(node("rtxp6000-8x", NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("gpu.nvidia.com/class", "rtxp6000-8x")
        .containsEntry("gpu.nvidia.com/model", "RTX_PRO_6000");
    assertThat(node("gd-1xgh200", NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("gpu.nvidia.com/model", "GH200_480GB");
  }

  @ParameterizedTest
  @CsvSource({
    "gd-8xa100-i128, A100, 81",
    "b200-8x, B200, 183",
    "gb200-4x, GB200, 189",
    "gd-8xh100ib-i128, H100, 81",
    "gd-8xh200ib-i128, H200, 143",
    "gd-8xl40s-i128, L40S, 46",
    "b300-8x, B300, 270"
  })
  void aGpuNodeNamesItsModelAndMemoryAsClientsReadThem(String type, String model, String memory) {
    assertThat(node(type, NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("gpu.nvidia.com/class", model)
        .containsEntry("gpu.nvidia.com/model", model)
        .containsEntry("gpu.nvidia.com/vram", memory);
  }

  @Test
  void aNodeWithoutGpusHasAnEmptyModel() {
    assertThat(node("turin-gp", NodeTemplate.EMPTY).getMetadata().getLabels())
        .containsEntry("gpu.nvidia.com/model", "")
        .doesNotContainKeys("gpu.nvidia.com/class", "gpu.nvidia.com/vram");
  }

  @Test
  void thePoolsMetadataIsPresentFromTheStartAndOverridesNoFact() {
    Node node =
        node(
            "turin-gp",
            new NodeTemplate(
                new TreeMap<>(Map.of("team", "a", "kubernetes.io/arch", "wrong")),
                new TreeMap<>(Map.of("note", "b", "fleet.nodepool.io/tenancy", "99")),
                List.of(
                    new io.nodepool.fleet.Taint("team", "a", "NoExecute"),
                    new io.nodepool.fleet.Taint("is_cpu_compute", "x", "NoSchedule"),
                    new io.nodepool.fleet.Taint("bare", "", "NoSchedule"))));

    assertThat(node.getMetadata().getLabels())
        .containsEntry("team", "a")
        .containsEntry("kubernetes.io/arch", "amd64");
    assertThat(node.getMetadata().getAnnotations())
        .containsEntry("note", "b")
        .containsEntry("fleet.nodepool.io/tenancy", "3");
    assertThat(node.getSpec().getTaints())
        .containsExactly(
            new Taint("NoSchedule", "is_cpu_compute", null, null),
            new Taint("NoSchedule", "bare", null, null),
            new Taint("NoExecute", "team", null, "a"));
    assertThat(node.getMetadata().getAnnotations().get("nodepool.io/applied-metadata"))
        .isEqualTo(
            """
            {"labels":{"team":"a"},"annotations":{"note":"b"},"taints":[{"key":"bare","effect":"NoSchedule"},\
            {"key":"team","value":"a","effect":"NoExecute"}]}\
            """);
  }

  @Test
  void theStatusIsCompleteFromTheStart() {
    Node node = node("gd-8xh100ib-i128", NodeTemplate.EMPTY);

    assertThat(node.getStatus().getCapacity())
        .containsOnly(
            entry("cpu", new Quantity("128")),
            entry("memory", new Quantity("2112109804Ki")),
            entry("ephemeral-storage", new Quantity("30003181568Ki")),
            entry("pods", new Quantity("110")),
            entry("nvidia.com/gpu", new Quantity("8")),
            entry("rdma/ib", new Quantity("64")));
    Map<String, Quantity> allocatable = new TreeMap<>(node.getStatus().getCapacity());
    allocatable.put("memory", new Quantity("2112007404Ki"));
    assertThat(node.getStatus().getAllocatable()).isEqualTo(allocatable);
    assertThat(node.getStatus().getConditions())
        .extracting(NodeCondition::getType, NodeCondition::getStatus)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("Ready", "True"),
            org.assertj.core.groups.Tuple.tuple("MemoryPressure", "False"),
            org.assertj.core.groups.Tuple.tuple("DiskPressure", "False"),
            org.assertj.core.groups.Tuple.tuple("PIDPressure", "False"),
            org.assertj.core.groups.Tuple.tuple("KernelDeadlock", "False"),
            org.assertj.core.groups.Tuple.tuple("PhaseState", "True"),
            org.assertj.core.groups.Tuple.tuple("CWRegistered", "False"));
    assertThat(node.getStatus().getConditions())
        .allSatisfy(condition ->
            assertThat(condition.getLastHeartbeatTime()).isEqualTo("2026-11-21T05:00:00Z"))
        .filteredOn(condition -> condition.getType().equals("PhaseState"))
        .extracting(NodeCondition::getReason)
        .containsExactly("production");
    assertThat(node.getStatus().getNodeInfo().getBootID()).isEqualTo("00c0ffee");
    assertThat(node.getStatus().getNodeInfo().getKubeletVersion()).isEqualTo("v1.34.4");
    assertThat(node.getSpec().getProviderID())
        .isEqualTo("nodepool://US-EAST-04A/" + node.getMetadata().getName());
  }

  @ParameterizedTest
  @CsvSource({"gd-8xh100ib-i128, 570.172.08", "turin-gp, ''"})
  void aNodeShowsTheContentsOfTheConfigurationThatItBooted(String type, String driver) {
    Node node = node(type, "ncore-2.13.0_6.11.0-29_570.172.08_v1.34.5");

    NodeSystemInfo info = node.getStatus().getNodeInfo();
    assertThat(info.getOsImage()).isEqualTo("ncore-2.13.0");
    assertThat(info.getKernelVersion()).isEqualTo("6.11.0-29");
    assertThat(info.getKubeletVersion()).isEqualTo("v1.34.5");
    assertThat(node.getMetadata().getLabels().getOrDefault(DRIVER, "")).isEqualTo(driver);
  }

  @Test
  void aGpuNodeWithoutADriverHasNoLabelForOne() {
    assertThat(
            node("gd-8xh100ib-i128", "ncore-2.13.0_6.11.0-29_none_v1.34.5")
                .getMetadata()
                .getLabels())
        .doesNotContainKey(DRIVER);
  }

  @Test
  void aWholeConfigurationIsShownByItsSummaryAndTheVersionOfTheDataCentre() {
    Node node = node("gd-8xh100ib-i128", "c1");

    assertThat(node.getMetadata().getLabels()).containsEntry(DRIVER, "570.1");
    assertThat(node.getStatus().getNodeInfo().getKubeletVersion()).isEqualTo("v1.34.4");
    assertThat(node.getStatus().getNodeInfo().getOsImage()).isEqualTo("Simulated machine");
  }

  private static Node node(String typeName, String configuration) {
    return node(typeName, "train", NodeTemplate.EMPTY, true, configuration);
  }

  private static Node node(String typeName, NodeTemplate template) {
    return node(typeName, "train", template, true);
  }

  private static Node node(
      String typeName, String pool, NodeTemplate template, boolean withAddress) {
    return node(typeName, pool, template, withAddress, "c1");
  }

  private static Node node(
      String typeName,
      String pool,
      NodeTemplate template,
      boolean withAddress,
      String configuration) {
    InstanceType type = CATALOGUE.find(typeName).orElseThrow();
    DataCentre centre =
        new DataCentre(
            new DataCentre.Site("US-EAST-04A", "US-EAST-04A", "cw9a2f"),
            1,
            List.of(new DataCentre.Rack("169", typeName, 18)),
            new DataCentre.Terms(
                new TreeMap<>(),
                new TreeSet<>(),
                List.of(FleetRelease.whole("c1", List.of("ncore 2.13", "GPU driver 570.1"))),
                new TreeMap<>()),
            new DataCentre.Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO),
            DataCentre.Mishaps.NONE);
    DataCentre.Slot slot = centre.slots(CATALOGUE).get(2);
    Host host =
        new Host(
            new HostId(slot.host(), UID),
            1,
            slot.machine(),
            new Host.Occupancy(
                3,
                Optional.of(
                    new Assignment(
                        new PoolId(pool, "pool-uid"), "default", "assign/1", NOW, template)),
                configuration,
                Host.Power.ON),
            DeliveryHistory.CLEAN,
            new Host.Report(HostPhase.RUNNING, 3, "00c0ffee", configuration, NOW));
    return new NodeBlueprint(centre.offer(), "train-cluster", "v1.34.4", withAddress)
        .of(host, type, NOW);
  }
}
