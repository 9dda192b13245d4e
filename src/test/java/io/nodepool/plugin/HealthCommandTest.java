package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests {@code kubectl nodepool health}. */
class HealthCommandTest {
  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void machinesOfTwoRacks() {
    api.on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
            """
            {'items': [
              {'metadata': {'name': 'g2'}, 'spec': {'machine': {'rack': '102'}, 'assignment': {'pool': 'train'}},
               'status': {'signals': [{'name': 'GPUVeryHot', 'component': 'gpu1', 'observedAt': '2026-11-22T09:40:00Z'}]}},
              {'metadata': {'name': 'g1'}, 'spec': {'machine': {'rack': '101'}}},
              {'metadata': {'name': 'g3'}, 'spec': {'machine': {'rack': '101'}, 'assignment': {'pool': 'other'}}}]}
            """)
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hostsignals?limit=500",
            """
            {'items': [
              {'metadata': {'name': 'g1'}, 'spec': {'signals': {
                'dcgm.gpu0.GPUTimeoutError': {'since': '2026-11-22T08:00:00Z', 'endedAt': '2026-11-22T09:00:00Z'},
                'dcgm.host.SomethingNew': {'since': '2026-11-22T09:55:00Z'}}}},
              {'metadata': {'name': 'g2'}, 'spec': {'signals': {
                'dcgm.gpu3.GPUFallenOffBus': {'since': '2026-11-22T09:50:00Z'}}}},
              {'metadata': {'name': 'unknown'}, 'spec': {'signals': {
                'dcgm.gpu3.GPUFallenOffBus': {'since': '2026-11-22T09:50:00Z'}}}}]}
            """);
  }

  @Test
  void whatStandsIsListedRackByRackTheStrongestFirst() {
    assertThat(api.command("health")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            RACK   POOL     HOST   ALERT             COMPONENT   SOURCE   SINCE   GRADE                  PART OF
            101    <none>   g1     SomethingNew      host        dcgm     5m      watch (unknown name)   <none>
            102    train    g2     GPUFallenOffBus   gpu3        dcgm     10m     out now                <none>
            102    train    g2     GPUVeryHot        gpu1        fleet    20m     watch                  <none>
            """);
  }

  @Test
  void whatASilentSourceReportedIsStale() {
    api.on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hostsignals?limit=500",
            """
            {'items': [{'metadata': {'name': 'g1'}, 'spec': {'signals': {
              'mon.host.GPUVeryHot': {'since': '2026-11-21T08:00:00Z'},
              'alertmanager.host.GPUVeryHot': {'since': '2026-11-21T08:00:00Z'}}}}]}
            """)
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/signalsources",
            """
            {'items': [
              {'metadata': {'name': 'mon'}, 'spec': {'heartbeatAt': '2026-11-21T20:00:00Z'}},
              {'metadata': {'name': 'alertmanager'}, 'spec': {'heartbeatAt': '2026-11-22T09:00:00Z'}}]}
            """);
    // The answer that was prepared before is given first, and is about nothing there.
    assertThat(api.command("health", "other")).isZero();

    assertThat(api.command("health", "101")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            RACK   POOL     HOST   ALERT                COMPONENT   SOURCE         SINCE   GRADE   PART OF
            101    <none>   g1     GPUVeryHot           host        alertmanager   26h     watch   <none>
            101    <none>   g1     GPUVeryHot (stale)   host        mon            26h     watch   <none>
            """);
  }

  @Test
  void aRackOrAPoolCanBeChosen() {
    assertThat(api.command("health", "101", "--ended")).isZero();
    assertThat(api.out()).contains("GPUTimeoutError (ended)").doesNotContain("g2");
    assertThat(api.command("health", "train")).isZero();
    assertThat(api.out()).contains("g2").doesNotContain("g1 ");
  }

  @Test
  void aDocumentHasValuesInsteadOfTexts() {
    assertThat(api.command("health", "101", "--ended", "-o", "json")).isZero();
    assertThat(api.out().replaceAll("\\s+", " "))
        .contains("\"rack\": \"101\", \"host\": \"g1\", \"alert\": \"GPUTimeoutError\"")
        .contains("\"since\": \"2026-11-22T08:00:00Z\", \"endedAt\": \"2026-11-22T09:00:00Z\"")
        .contains("\"stale\": false, \"grade\": \"watch\", \"known\": false");
  }

  @Test
  void whatHoldsRepairsIsSaidWithHowItIsReleased() {
    api.on(
        "GET /apis/compute.coreweave.com/v1alpha1/nodepools",
        """
        {'items': [
          {'metadata': {'name': 'train'}, 'status': {'repairs': {
            'waiting': 20, 'message': 'Held.', 'suspects': [{'alert': 'GPUFallenOffBus', 'verdict': 'Pending'}]}}},
          {'metadata': {'name': 'other'}, 'status': {'repairs': {'waiting': 1, 'message': 'Full.'}}},
          {'metadata': {'name': 'idle'}, 'status': {'repairs': {'waiting': 0}}}]}
        """);
    assertThat(api.command("health")).isZero();
    assertThat(api.err())
        .isEqualTo(
            """
            NodePool train: 20 Nodes wait to be repaired. Held. To release it: kubectl nodepool release train --suspect GPUFallenOffBus.
            NodePool other: 1 Node waits to be repaired. Full.
            """);
  }

  @Test
  void itIsSaidThatNothingIsReported() {
    assertThat(api.command("health", "other")).isZero();
    assertThat(api.out()).isEmpty();
    assertThat(api.err()).isEqualTo("Nothing is reported about other.\n");
  }
}
