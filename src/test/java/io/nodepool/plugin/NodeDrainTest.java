package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.node;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NodeDrainTest {
  /** The list of the Pods and their watch, which differ in what follows. */
  private static final String PODS = "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dg1";

  private static final String CHANGE = "{'type': 'DELETED', 'object': {}}\n";
  private static final String EVICTION = "POST /api/v1/namespaces/n/pods/%s/eviction";

  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void start() {
    // The first list is of what the person is asked about.
    api.on("GET /api/v1/nodes/g1", node("g1", "True")).on(PODS, pods());
    api.person = Optional.of(true);
    api.step = Duration.ofSeconds(1);
  }

  private static String pod(String name, String kind, String further) {
    String owner =
        kind.isEmpty()
            ? ""
            : ", 'ownerReferences': [{'kind': '%s', 'name': 'o', 'controller': true}]"
                .formatted(kind);
    return "{'metadata': {'namespace': 'n', 'name': '%s', 'uid': 'u-%s'%s}, 'status': {'phase': 'Running'}%s}"
        .formatted(name, name, owner, further);
  }

  private static String pods(String... pods) {
    return "{'metadata': {'resourceVersion': '9'}, 'items': [%s]}"
        .formatted(String.join(", ", pods));
  }

  private static String evicted(String pod) {
    return EVICTION.formatted(pod)
        + " {'apiVersion':'policy/v1','kind':'Eviction','metadata':{'namespace':'n','name':'%s'},'deleteOptions':{'preconditions':{'uid':'u-%s'}}}"
            .formatted(pod, pod);
  }

  @Test
  void allPodsAreEvictedButThoseThatStay() {
    String mirror =
        pod("m", "Node", "")
            .replace("'uid'", "'annotations': {'kubernetes.io/config.mirror': 'x'}, 'uid'");
    String finished = pod("f", "Job", "").replace("Running", "Succeeded");
    String stays = pod("d", "DaemonSet", "");
    api.on(PODS, pods(stays, mirror, finished, pod("a", "ReplicaSet", ""), pod("b", "Job", "")))
        .on(PODS, CHANGE)
        .on(PODS, pods(stays, mirror, finished, pod("b", "Job", "")))
        .on(PODS, CHANGE)
        .on(PODS, pods(stays, mirror, finished));

    assertThat(api.run("drain", "g1")).isZero();
    assertThat(api.writes)
        .containsExactly(
            "PATCH /api/v1/nodes/g1 {'spec':{'unschedulable':true}}", evicted("a"), evicted("b"));
    assertThat(api.out())
        .isEqualTo(
            """
            node/g1 cordoned
            evicting pod n/a
            evicting pod n/b
            pod/a evicted
            pod/b evicted
            node/g1 drained
            """);
    assertThat(api.err()).isEmpty();
  }

  @Test
  void aBudgetIsNamedOnceAndAskedAgainAfterAWhile() {
    api.on(PODS, pods(pod("a", "Job", ""))).on(PODS, CHANGE);
    for (int i = 0; i < 9; i++) {
      api.on(PODS, pods(pod("a", "Job", ""))).on(PODS, CHANGE);
    }
    api.on(PODS, pods());
    String eviction = EVICTION.formatted("a");
    api.on(eviction, 429, FakeApi.status("Cannot evict pod: budget x"))
        .on(eviction, 429, FakeApi.status("Cannot evict pod: budget x"))
        .on(eviction, 201, "{}");

    assertThat(api.run("drain", "g1")).isZero();
    assertThat(api.err())
        .isEqualTo(
            "pod/a in namespace n is not evicted yet (retried every 5 s): Cannot evict pod: budget x\n");
    assertThat(api.out()).contains("pod/a evicted\n").containsOnlyOnce("evicting pod n/a");
    // Many lists, three requests: what was refused waits.
    assertThat(api.writes).filteredOn(write -> write.startsWith(eviction)).hasSize(3);
  }

  @Test
  void whatTheServerSaysDoesNotControlTheTerminal() {
    String pod = pod("a", "Job", "");
    api.on(PODS, pods(pod)).on(PODS, CHANGE).on(PODS, pods(pod)).on(PODS, CHANGE).on(PODS, pods());
    api.on(EVICTION.formatted("a"), 429, FakeApi.status("budget\u009b2Jx"));

    assertThat(api.run("drain", "g1")).isZero();
    assertThat(api.err()).endsWith("(retried every 5 s): budget 2Jx\n");
  }

  @Test
  void theTimeOutNamesThePodsThatAreLeft() {
    api.step = Duration.ofMinutes(1);
    api.on(PODS, pods(pod("a", "Job", "")))
        .on(PODS, CHANGE)
        .on(PODS, pods(pod("a", "Job", "")))
        .on(PODS, CHANGE)
        .on(PODS, pods(pod("a", "Job", "")));

    assertThat(api.run("drain", "--timeout=5m", "g1")).isEqualTo(4);
    assertThat(api.err()).isEqualTo("error: node/g1: not drained after 300 s; Pods left: n/a\n");
  }

  @Test
  void podsWithoutAControllerNeedForce() {
    api.on(PODS, pods(pod("a", "", "")));

    assertThat(api.run("drain", "g1")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: node/g1: cannot evict Pods without a controller (use --force to override): n/a\n");
    api.on(PODS, pods()).on(PODS, pods(pod("a", "", ""))).on(PODS, CHANGE).on(PODS, pods());
    assertThat(api.run("drain", "--force", "g1")).isZero();
    assertThat(api.out()).contains("node/g1 drained");
  }

  @Test
  void aNodeThatCannotBeCordonedIsNotDrained() {
    assertThat(api.run("drain", "g2")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: node/g2: g2 not found\n");
    assertThat(api.writes).isEmpty();
  }
}
