package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command that says of a failed machine that it cannot run: what it writes and prints. */
class HostFencedTest {
  private static final String HOST = "/apis/fleet.nodepool.io/v1alpha1/hosts/g1";
  private static final String NODES = "GET /api/v1/nodes?limit=500";
  private static final String NONE = "{'metadata': {}, 'items': []}";

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String host(int version, String phase, String power, String fenced) {
    return """
        {'metadata': {'name': 'g1', 'uid': 'u', 'resourceVersion': '%d'},
         'spec': {'machine': {'instanceType': 't', 'zone': 'z'}, 'tenancy': 3, 'power': 'Off',
           'assignment': {'pool': 'a', 'poolUid': 'p'} %s},
         'status': {'phase': '%s', 'tenancy': 3, 'since': '2026-11-22T08:00:00Z' %s}}
        """
        .formatted(version, fenced, phase, power);
  }

  private static String power(String state) {
    return ", 'power': {'state': '%s', 'checkedAt': '2026-11-22T09:50:00Z'}".formatted(state);
  }

  private static String written(int version) {
    return "PATCH %s {'spec':{'fenced':{'tenancy':3,'since':'2026-11-22T08:00:00Z','at':'2026-11-22T10:00:00Z'}},'metadata':{'resourceVersion':'%d'}}"
        .formatted(HOST, version);
  }

  @Test
  void whatAPersonSaysNamesTheTenancyAndTheFailure() {
    api.on("GET " + HOST, host(7, "Failed", power("Unknown"), "")).on(NODES, NONE);

    assertThat(api.command("host", "fenced", "g1")).as(api.err()).isZero();
    assertThat(api.writes).containsExactly(written(7));
    assertThat(api.out()).isEqualTo("host/g1 is taken for fenced, in tenancy 3\n");
  }

  @Test
  void itAsksIfWorkMayEnd() {
    api.on("GET " + HOST, host(7, "Failed", power("On"), ""))
        .on(NODES, 403, FakeApi.status("nodes is forbidden"));
    api.person = Optional.of(false);

    assertThat(api.command("host", "fenced", "g1")).isEqualTo(1);
    assertThat(api.questions)
        .singleElement()
        .satisfies(question ->
            assertThat(question)
                .startsWith(
                    "host/g1 will be taken for a machine that cannot run, although its fleet says that it is powered on: its Node is deleted. Work that may end:"));
    assertThat(api.writes).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Failed | | | host/g1 is off, as its fleet says, and needs no fence; nothing was written",
        "Failed | Off | | host/g1 is off, as its fleet says, and needs no fence; nothing was written",
        "Stopped | Unknown | | host/g1 is off, as its fleet says, and needs no fence; nothing was written",
        "Failed | Unknown | 2026-11-22T08:00:00Z | host/g1 is taken for fenced already; nothing was written",
        "Running | Unknown | | error: host/g1: its fleet reports the phase Running: only a machine that failed or stopped, and is not known to be off, can be said to be fenced",
      })
  void nothingIsSaidOfAMachineThatIsOffOrRuns(
      String phase, String state, String fenced, String said) {
    api.on(
        "GET " + HOST,
        host(
            7,
            phase,
            state == null ? "" : power(state),
            fenced == null
                ? ""
                : ", 'fenced': {'tenancy': 3, 'since': '%s', 'at': '%s'}"
                    .formatted(fenced, fenced)));

    var _ = api.command("host", "fenced", "g1");
    assertThat((api.out() + api.err()).strip()).isEqualTo(said);
    assertThat(api.writes).isEmpty();
  }
}
