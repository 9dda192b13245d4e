package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command that lists Hosts. */
class HostGetTest {
  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void hosts() {
    api.on(
        "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
        """
        {'items': [
          {'metadata': {'name': 'g1', 'uid': 'u1', 'resourceVersion': '1', 'creationTimestamp': '2026-11-22T08:00:00Z'},
           'spec': {'machine': {'instanceType': 'gb200-4x', 'rack': '101', 'zone': 'a', 'slot': '3'}, 'assignment': {'pool': 'train'}},
           'status': {'phase': 'Booting', 'since': '2026-11-22T09:50:00Z', 'message': 'It boots.',
             'power': {'state': 'On', 'checkedAt': '2026-11-22T09:50:00Z'}}},
          {'metadata': {'name': 'g2', 'uid': 'u2', 'resourceVersion': '1', 'creationTimestamp': '2026-11-22T08:00:00Z'},
           'spec': {'machine': {'instanceType': 'gb200-4x', 'rack': '101'}, 'setAside': 'bent pin'},
           'status': {'phase': 'Free', 'maintenance': true}}]}
        """);
  }

  @Test
  void hostsAreListed() {
    assertThat(api.command("host", "get")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            NAME   TYPE       PHASE     POOL     RACK   SET-ASIDE   HELD          AGE
            g1     gb200-4x   Booting   train    101    <none>      <none>        120m
            g2     gb200-4x   Free      <none>   101    bent pin    Maintenance   120m
            """);
    assertThat(api.command("host", "get", "host/g1", "-o", "wide", "--no-headers")).isZero();
    assertThat(api.out())
        .isEqualTo(
            "g1     gb200-4x   Booting   train   101    <none>      <none>   120m   a      3      10m     On      It boots.\n");
  }

  @Test
  void thoseThatAreSetAsideAreListedAlone() {
    assertThat(api.command("host", "get", "--set-aside", "-o", "name")).isZero();
    assertThat(api.out()).isEqualTo("host/g2\n");
  }

  @Test
  void aHostThatDoesNotExistIsAnError() {
    assertThat(api.command("host", "get", "g1", "gg2")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: there is no host/gg2; did you mean g2?\n");
  }
}
