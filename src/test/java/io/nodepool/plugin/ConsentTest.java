package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.node;
import static io.nodepool.plugin.FakeApi.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that may end work say what they end and ask, and a dry run writes nothing. */
class ConsentTest {
  private static final String POOL = "/apis/compute.coreweave.com/v1alpha1/nodepools/train";
  private static final String NODES = "GET /api/v1/nodes?limit=500";
  private static final String PODS = "GET /api/v1/pods?fieldSelector=spec.nodeName%3D";

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String pool(String strategy, String annotations, String status) {
    return """
    {'metadata': {'name': 'train', 'resourceVersion': '5', 'generation': 3, 'annotations': {%s}},
     'spec': {'targetNodes': 8, 'lifecycle': {'scaleDownStrategy': '%s'}},
     'status': {'observedGeneration': 3, 'currentNodes': 8, 'nodeProfile': 'b',
       'pendingNodeConfiguration': {'nodeProfile': 'c'},
       'nodeConfigurationRevisions': [{'nodeProfile': 'a'}, {'nodeProfile': 'b', 'activatedAt': '2026-11-22T10:00:00Z'}]%s}}
    """
        .formatted(annotations, strategy, status);
  }

  private static String pod(String name, String namespace, String node) {
    return """
    {'metadata': {'namespace': '%s', 'name': '%s', 'uid': 'u-%s', 'resourceVersion': '3', 'creationTimestamp': '2026-11-22T08:00:00Z',
      'ownerReferences': [{'apiVersion': 'batch/v1', 'kind': 'Job', 'name': 'j', 'uid': 'u', 'controller': true}]},
     'spec': {'nodeName': '%s', 'containers': []}, 'status': {'phase': 'Running'}}
    """
        .formatted(namespace, name, name, node);
  }

  private static String list(String... items) {
    return "{'metadata': {'resourceVersion': '9'}, 'items': [%s]}"
        .formatted(String.join(", ", items));
  }

  private static String pods(String node, int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> pod("p" + i, "a", node))
        .collect(Collectors.joining(", "));
  }

  /** Two Nodes, of which the first has work. */
  private void nodes(int pods) {
    api.on(NODES, list(node("g1", "False"), node("g2", "False")))
        .on("GET /api/v1/nodes/g1", node("g1", "False"))
        .on(PODS + "g1", list(pods("g1", pods), pod("system", "kube-system", "g1")))
        .on(PODS + "g2", list());
  }

  private static String running(String phase) {
    return ", 'configuration': {'rollout': {'number': 1, 'phase': '%s', 'evicts': true}}"
        .formatted(phase);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "scale train --nodes 2 | PreferIdle | | | nodepool/train will be scaled from 8 to 2 Nodes. Work that may end on g1, g2:",
        "node reboot g1 | IdleOnly | | | node/g1 will be rebooted at once, without a drain. Work that may end on g1:",
        "node drain g1 | IdleOnly | | | node/g1 will be cordoned and its Pods evicted. Work that may end on g1:",
        "rollout start train --evict | IdleOnly | | | nodepool/train will be rolled out, and busy Nodes drained. Work that may end on g1, g2:",
        "rollout start train | IdleOnly | rollout-evict | | nodepool/train will be rolled out, and busy Nodes drained. Work that may end on g1, g2:",
        "upgrade train | IdleOnly | | Running | nodepool/train will be upgraded to c, and its rollout goes on with it and drains busy Nodes. Work that may end on g1, g2:",
        "rollback train | IdleOnly | | Paused | nodepool/train will be rolled back to a, and its rollout goes on with it and drains busy Nodes. Work that may end on g1, g2:",
        "resume train | IdleOnly | paused | Running | nodepool/train will be resumed, and what was held goes on. Work that may end on g1, g2:",
        "release train | IdleOnly | | waiting | nodepool/train: what its repairs wait for will be released. Work that may end on g1:",
        "release train --suspect GPUFallenOffBus | IdleOnly | | waiting | nodepool/train: machines will be repaired for GPUFallenOffBus until 2026-11-22T11:00:00Z. Work that may end on g1:",
      })
  void aCommandThatMayEndWorkAsks(
      String line, String strategy, String annotation, String phase, String question) {
    nodes(7);
    String status =
        phase == null
            ? ""
            : phase.equals("waiting")
                ? ", 'repairs': {'waiting': 1, 'nodes': ['g1'], 'suspects': [{'alert': 'GPUFallenOffBus', 'verdict': 'Pending'}]}"
                : running(phase);
    api.on(
        "GET " + POOL,
        pool(
            strategy,
            annotation == null ? "" : "'nodepool.io/%s': 'true'".formatted(annotation),
            status));

    assertThat(api.command(line.split(" "))).isEqualTo(1);
    assertThat(api.questions)
        .containsExactly(
            question
                + """

                  g1: Pod a/p1 of Job j
                  g1: Pod a/p2 of Job j
                  g1: Pod a/p3 of Job j
                  g1: Pod a/p4 of Job j
                  g1: Pod a/p5 of Job j
                  and 2 more
                Go on?\
                """);
    assertThat(api.err()).contains("without a terminal nobody can be asked; --yes").hasLineCount(1);
    api.person = Optional.of(false);
    assertThat(api.command(line.split(" "))).isEqualTo(1);
    assertThat(api.err()).contains("nothing was written, since you did not agree");
    assertThat(api.writes).isEmpty();
    assertThat(api.command((line + " --dry-run=client").split(" "))).isZero();
    assertThat(api.out().lines()).allMatch(each -> each.endsWith(" (dry run)"));
    assertThat(api.err()).startsWith(question);
    assertThat(api.writes).isEmpty();
    assertThat(api.questions).hasSize(2);
    if (!line.contains("drain g1")) {
      assertThat(api.command((line + " --yes").split(" "))).isZero();
      assertThat(api.err()).startsWith(question);
      assertThat(api.writes).isNotEmpty();
      assertThat(api.questions).hasSize(2);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "scale train --nodes 9 | PreferIdle",
        "scale train --nodes 2 | IdleOnly",
        "rollout start train | PreferIdle",
        "upgrade train | PreferIdle",
        "rollback train | PreferIdle",
        "rollout stop train | PreferIdle",
        "pause train | PreferIdle",
        "node reboot --safe g1 | PreferIdle",
        "node verify g1 | PreferIdle",
        "node cordon g1 | PreferIdle",
      })
  void aCommandThatEndsNoWorkNeitherAsksNorListsPods(String line, String strategy) {
    nodes(1);
    api.on(
        "GET " + POOL,
        pool(strategy, "", line.contains("stop") ? running("Running") : running("Stopped")));

    assertThat(api.command(line.split(" "))).isZero();
    assertThat(api.questions).isEmpty();
    assertThat(api.requests).noneMatch(request -> request.contains("/pods"));
  }

  @Test
  void anIdleNodeIsRebootedWithoutAQuestion() {
    nodes(0);
    api.on("GET /api/v1/nodes/g2", node("g2", "Unknown"));

    assertThat(api.run("reboot", "g2")).isZero();
    assertThat(api.questions).isEmpty();
    assertThat(api.err()).isEmpty();
  }

  /** Neither the Nodes nor the Pods of the pool may be listed. */
  @Test
  void whatMayNotBeListedIsUnknown() {
    api.on("GET " + POOL, pool("PreferIdle", "", ""))
        .on(NODES, 403, FakeApi.status("nodes is forbidden"));

    assertThat(api.command("scale", "train", "--nodes", "2")).isEqualTo(1);
    assertThat(api.questions)
        .containsExactly(
            "nodepool/train will be scaled from 8 to 2 Nodes. Work that may end:\n  unknown whether tenant work runs\nGo on?");
    assertThat(api.command("scale", "train", "--nodes", "2", "--yes")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scale train --nodes 9",
        "pause train",
        "upgrade train --wait",
        "rollback train --wait",
        "rollout start train",
        "node reboot --safe --wait g1",
        "node verify g1",
        "node cordon g1",
        "node uncordon g2",
        "host release g1",
      })
  void aDryRunStoresNothingAndWaitsForNothing(String line) {
    nodes(0);
    api.on("GET " + POOL, pool("IdleOnly", "", ""))
        .on("GET /api/v1/nodes/g2", with(node("g2", "False"), "spec", "'unschedulable': true"))
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hosts/g1",
            "{'metadata': {'name': 'g1'}, 'spec': {'setAside': 'bent'}}");

    assertThat(api.command((line + " --dry-run=client").split(" "))).isZero();
    assertThat(api.out()).hasLineCount(1).endsWith(" (dry run)\n");
    assertThat(api.writes).noneMatch(write -> write.startsWith("PATCH"));

    assertThat(api.command((line + " --dry-run=server").split(" "))).isZero();
    assertThat(api.out()).hasLineCount(1).endsWith(" (server dry run)\n");
    assertThat(api.writes)
        .filteredOn(write -> write.startsWith("PATCH"))
        .isNotEmpty()
        .allMatch(write -> write.contains("?dryRun=All "));
  }

  @Test
  void aDryRunOfADrainAsksTheBudgetsOnlyOfTheServer() {
    nodes(1);
    api.on(
        "POST /api/v1/namespaces/a/pods/p1/eviction?dryRun=All", 429, FakeApi.status("budget x"));

    assertThat(api.run("drain", "g1", "--dry-run=client")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            node/g1 cordoned (dry run)
            evicting pod a/p1 (dry run)
            evicting pod kube-system/system (dry run)
            node/g1 drained (dry run)
            """);
    assertThat(api.writes).isEmpty();
    assertThat(api.run("drain", "g1", "--dry-run=server")).isEqualTo(3);
    assertThat(api.err()).endsWith("error: node/g1: not evicted now would be a/p1: budget x\n");
    assertThat(api.writes).hasSize(3).allMatch(write -> write.contains("?dryRun=All "));
  }

  @ParameterizedTest
  @CsvSource({
    "--dry-run=yes, '\"yes\" is not none, client or server'",
    "--dry-run, parameter for option '--dry-run'",
  })
  void aDryRunHasAValue(String option, String error) {
    assertThat(api.command("pause", "train", option)).isEqualTo(2);
    assertThat(api.err()).contains(error);
    assertThat(api.requests).isEmpty();
  }
}
