package io.nodepool.simulated.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.metadata.KeyWriter;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NodeInterfaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SampleNodesTest {
  /** The keys of contract §9 and §20, with {@code {interface}} for the name of an interface. */
  private static final String KEYS_OF_THE_CONTRACT =
      """
      compute.coreweave.com/node-pool
      compute.coreweave.com/node-pool-uid
      compute.coreweave.com/compute-class
      compute.coreweave.com/remove-node
      node.kubernetes.io/instance-type
      node.kubernetes.io/type
      node.coreweave.cloud/type
      node.coreweave.cloud/class
      node.coreweave.cloud/state
      node.coreweave.cloud/pending-state
      node.coreweave.cloud/reserved
      node.coreweave.cloud/reserved-desired
      node.coreweave.cloud/rack
      node.coreweave.cloud/slot
      node.coreweave.cloud/node-fwbundle.current
      node.coreweave.cloud/node-fwbundle.target
      node.coreweave.cloud/dra-gpu-enabled
      ds.coreweave.com/physical-topology.rack-name
      ds.coreweave.com/nvlink.domain
      gpu.nvidia.com/count
      gpu.nvidia.com/class
      gpu.nvidia.com/model
      gpu.nvidia.com/vram
      gpu.coreweave.cloud/vendor
      gpu.coreweave.cloud/driver-version
      cpu.coreweave.cloud/cores
      cpu.coreweave.cloud/family
      ethernet.coreweave.cloud/speed
      cks.coreweave.com/cluster
      cks.coreweave.com/org-id
      ib.coreweave.cloud/fabric
      ib.coreweave.cloud/leafgroup
      ib.coreweave.cloud/leaves.current
      ib.coreweave.cloud/leaves.expected
      ib.coreweave.cloud/ports.current
      ib.coreweave.cloud/ports.expected
      ib.coreweave.cloud/speed
      ib.coreweave.cloud/speed.current
      ib.coreweave.cloud/speed.expected
      ib.coreweave.cloud/superpod
      ib.coreweave.cloud/neighbors.current.{interface}.device
      ib.coreweave.cloud/neighbors.current.{interface}.port-id
      ib.coreweave.cloud/neighbors.expected.{interface}.device
      ib.coreweave.cloud/neighbors.expected.{interface}.port-id
      backend.coreweave.cloud/enabled
      backend.coreweave.cloud/flavor
      backend.coreweave.cloud/fabric
      backend.coreweave.cloud/leafgroup
      backend.coreweave.cloud/leafgroup-name
      backend.coreweave.cloud/superpod
      backend.coreweave.cloud/speed.current
      backend.coreweave.cloud/speed.expected
      backend.coreweave.cloud/neighbors.expected.{interface}.device
      net.coreweave.cloud/mellanox.{interface}.part_number
      net.coreweave.cloud/mellanox.{interface}.firmware
      topology.kubernetes.io/region
      qos.coreweave.cloud/pending-preemption
      qos.coreweave.cloud/evicted-at
      cks.coreweave.cloud/system-critical
      sunk.coreweave.com/nodeset
      sunk.coreweave.com/namespace
      sunk.coreweave.com/cluster
      sunk.coreweave.com/pod
      """;

  /** Keys that no Node has when it joins, each with its reason. */
  private static final Map<String, String> LEFT_OUT =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("compute.coreweave.com/remove-node", "a client writes it"),
              Map.entry("node.coreweave.cloud/pending-state", "a client writes it"),
              Map.entry("node.coreweave.cloud/reserved-desired", "a client writes it"),
              Map.entry("node.coreweave.cloud/dra-gpu-enabled", "from spec.nodeLabels"),
              Map.entry("qos.coreweave.cloud/pending-preemption", "from a preemption on"),
              Map.entry("qos.coreweave.cloud/evicted-at", "from a preemption's drain on"),
              Map.entry("cks.coreweave.cloud/system-critical", "from spec.nodeLabels"),
              Map.entry("sunk.coreweave.com/nodeset", "SUNK writes it"),
              Map.entry("sunk.coreweave.com/namespace", "SUNK writes it"),
              Map.entry("sunk.coreweave.com/cluster", "SUNK writes it"),
              Map.entry("sunk.coreweave.com/pod", "SUNK writes it")));

  @Test
  void everyKeyOfTheContractIsOnANodeOrLeftOutForAReason() {
    Set<String> expected = new TreeSet<>(KEYS_OF_THE_CONTRACT.lines().toList());
    expected.removeAll(LEFT_OUT.keySet());

    assertThat(keysOfTheSamples())
        .containsAll(expected)
        .doesNotContainAnyElementsOf(LEFT_OUT.keySet());
  }

  @Test
  void theKeysOfTheSamplesAreThoseThatAFleetWrites() {
    Set<String> defined =
        Stream.concat(
                Arrays.stream(NodeLabels.values())
                    .filter(label -> label.writers().contains(KeyWriter.FLEET))
                    .map(MetadataKey::key),
                Arrays.stream(NodeInterfaceLabels.values()).map(NodeInterfaceLabels::pattern))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(keysOfTheSamples()).isEqualTo(defined);
  }

  private static Set<String> keysOfTheSamples() {
    return SampleNodes.all().stream()
        .flatMap(node -> node.getMetadata().getLabels().keySet().stream())
        .map(key -> key.replaceAll("\\.(ibp|eth)[0-9]+\\.", ".{interface}."))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
