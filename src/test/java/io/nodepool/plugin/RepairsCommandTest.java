package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests {@code kubectl nodepool repairs}. */
class RepairsCommandTest {
  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void machinesOfTwoRacks() {
    api.on(
        "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
        """
        {'items': [
          {'metadata': {'name': 'g1'}, 'spec': {
            'machine': {'rack': '101', 'leafgroup': '7', 'leafgroupName': '10.1-DH1'}, 'assignment': {'pool': 'train'},
            'boot': {'kind': 'Reboot', 'try': 1, 'requestedAt': '2026-11-22T09:00:00Z', 'alert': 'GPUTimeoutError',
              'history': [
                {'kind': 'Reboot', 'try': 1, 'requestedAt': '2026-11-21T10:00:00Z', 'alert': 'GPUTimeoutError', 'outcome': 'NotVerified'},
                {'kind': 'Reboot', 'try': 1, 'requestedAt': '2026-11-20T10:00:00Z', 'outcome': 'Verified'},
                {'kind': 'HostReset', 'try': 1, 'requestedAt': '2026-09-20T10:00:00Z', 'alert': 'DPUPortDown', 'outcome': 'Verified'}]}}},
          {'metadata': {'name': 'g2'}, 'spec': {
            'machine': {'rack': '101', 'leafgroup': '7', 'leafgroupName': '10.1-DH1'}, 'setAside': 'Broken.',
            'repairs': {'DPURouteCountMismatch': {'try': 3, 'requestedAt': '2026-11-22T08:00:00Z', 'since': '2026-11-22T07:00:00Z'}}}},
          {'metadata': {'name': 'g3'}, 'spec': {'machine': {'rack': '102', 'leafgroup': '8'},
            'boot': {'kind': 'Reboot', 'try': 1, 'requestedAt': 'soon', 'alert': 'GPUTimeoutError'}}},
          {'metadata': {'name': 'g4'}, 'spec': {'machine': {'rack': '102', 'leafgroup': '8'},
            'boot': {'kind': 'Reboot', 'try': 1, 'requestedAt': '2026-11-22T07:00:00Z', 'alert': 'GPUTimeoutError'}}}]}
        """);
  }

  @Test
  void machinesAreListedThatWithTheMostRepairsFirst() {
    assertThat(api.command("repairs")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            HOST   RACK   SWITCH     POOL     BOOTS   FAILED   COMPONENTS   SET-ASIDE   LAST   ALERTS
            g2     101    10.1-DH1   <none>   0       0        3            1           120m   DPURouteCountMismatch (3)
            g1     101    10.1-DH1   train    2       1        0            0           60m    GPUTimeoutError (2)
            g4     102    8          <none>   1       0        0            0           3h     GPUTimeoutError (1)
            """);
  }

  @Test
  void racksAndSwitchesAreCountedTogether() {
    assertThat(api.command("repairs", "--by", "rack")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            RACK   HOSTS    BOOTS   FAILED   COMPONENTS   SET-ASIDE   LAST   ALERTS
            101    2 of 2   2       1        3            1           60m    DPURouteCountMismatch (3), GPUTimeoutError (2)
            102    1 of 2   1       0        0            0           3h     GPUTimeoutError (1)
            """);
    assertThat(api.command("repairs", "--by", "switch", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("switch/10.1-DH1\nswitch/8\n");
  }

  @Test
  void machinesThatWereTakenOutNameTheirAlertAndWhen() {
    String host =
        """
        {'metadata': {'name': '%s'}, 'spec': {'machine': {'rack': '169'}, %s 'pastRepairs': [
          {'alert': 'GPUTimeoutError', 'poolUid': 'p', 'at': '2026-11-22T07:00:00Z', 'out': false, 'proved': false, 'endedWork': false},
          {'alert': 'GPUFallenOffBus', 'poolUid': 'p', 'at': '%s', 'out': true, 'proved': true, 'endedWork': false}]}}
        """;
    String aside = "'setAside': 'its machine has the alert GPUFallenOffBus',";
    api.on(
        "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
        "{'items': [%s, %s, %s, {'metadata': {'name': 'g4'}, 'spec': {'machine': {'rack': '169'}}}]}"
            .formatted(
                host.formatted("g1", aside, "2026-11-22T08:00:00Z"),
                host.formatted("g2", aside, "2026-11-22T09:00:00Z"),
                host.formatted("g3", "", "2026-11-22T09:30:00Z")));

    assertThat(api.command("repairs")).isZero();
    assertThat(api.command("repairs", "--by", "rack")).isZero();

    assertThat(api.out())
        .isEqualTo(
            """
            RACK   HOSTS    BOOTS   FAILED   COMPONENTS   SET-ASIDE   LAST   ALERTS
            169    0 of 4   0       0        0            2           60m    GPUFallenOffBus (2)
            """);
  }

  @Test
  void aDocumentHasValuesInsteadOfTexts() {
    assertThat(api.command("repairs", "--by", "rack", "-o", "json")).isZero();
    assertThat(api.out().replaceAll("\\s+", " "))
        .contains(
            """
            { "rack": "101", "hosts": 2, "repaired": 2, "boots": 2, "failed": 1, "components": 3, "setAside": 1, \
            "last": "2026-11-22T09:00:00Z", "alerts": { "DPURouteCountMismatch": 3, "GPUTimeoutError": 2 } }\
            """);
  }

  @Test
  void theTimeIsASetting() {
    assertThat(api.command("repairs", "--within", "2400h")).isZero();
    assertThat(api.out()).contains("GPUTimeoutError (2), DPUPortDown (1)");
    assertThat(api.command("repairs", "--within", "90m")).isZero();
    assertThat(api.out()).contains("g1 ").doesNotContain("g4");
    assertThat(api.command("repairs", "--within", "1s", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("host/g2\n");
  }

  @Test
  void itIsSaidThatNoneWasRepaired() {
    api.on("GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500", "{'items': []}");
    assertThat(api.command("repairs")).isZero();
    assertThat(api.err()).isEmpty();
    assertThat(api.command("repairs")).isZero();
    assertThat(api.out()).isEmpty();
    assertThat(api.err()).isEqualTo("No machine was repaired.\n");
  }
}
