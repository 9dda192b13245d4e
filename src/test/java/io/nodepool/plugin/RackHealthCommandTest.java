package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests what {@code kubectl nodepool health} says of racks. */
class RackHealthCommandTest {
  @RegisterExtension private final FakeApi api = new FakeApi();

  @Test
  void symptomsNameTheirCauseAndWhatBeganInTheWholeRackTheRack() {
    String host =
        "{'metadata': {'name': '%s'}, 'spec': {'machine': {'rack': '9', 'zone': 'Z', 'nvlinkDomain': 'D'}}}";
    api.on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
            "{'items': [%s, %s, %s]}"
                .formatted(host.formatted("s1"), host.formatted("s2"), host.formatted("s3")))
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hostsignals?limit=500",
            """
            {'items': [
              {'metadata': {'name': 's1'}, 'spec': {'signals': {
                'dcgm.gpu0.NodeGPUXID149NVSwitch': {'since': '2026-11-22T09:50:00Z'},
                'dcgm.host.NodeMemoryError': {'since': '2026-11-22T09:55:00Z'}}}},
              {'metadata': {'name': 's2'}, 'spec': {'signals': {
                'dcgm.gpu0.NodeGPUXID145': {'since': '2026-11-22T09:50:00Z'},
                'dcgm.host.NodeMemoryError': {'since': '2026-11-22T09:55:00Z'}}}},
              {'metadata': {'name': 's3'}, 'spec': {'signals': {
                'dcgm.host.NodeMemoryError': {'since': '2026-11-22T09:55:00Z'}}}}]}
            """);

    assertThat(api.command("health")).isZero();
    assertThat(api.out().lines().skip(1))
        .allMatch(line ->
            line.contains("NodeGPUXID145")
                ? line.endsWith("NodeGPUXID149NVSwitch on s1")
                : line.contains("NodeMemoryError")
                    ? line.endsWith("rack")
                    : line.endsWith("<none>"))
        .hasSize(5);
  }

  @Test
  void whatTheOperatorFindsAboutARackIsALine() {
    api.on("GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500", "{'items': []}")
        .on("GET /apis/fleet.nodepool.io/v1alpha1/hostsignals?limit=500", "{'items': []}")
        .on(
            "GET /apis/compute.coreweave.com/v1alpha1/nodepools",
            """
            {'items': [{'metadata': {'name': 'a'}, 'status': {'repairs': {'racks': [
              {'rack': '9', 'alert': 'NVLinkDomainFullyTriaged', 'since': '2026-11-22T09:50:00Z'}]}}}]}
            """);

    assertThat(api.command("health")).isZero();
    assertThat(api.err())
        .contains(
            "NodePool a: rack 9 has the alert NVLinkDomainFullyTriaged since 2026-11-22T09:50:00Z; a person has to act.");
  }
}
