package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain} with lists that a user may not have, and from files. */
class ExplainCommandsTest {
  private static final String POOL =
      """
      apiVersion: compute.coreweave.com/v1alpha1
      kind: NodePool
      metadata: {name: train, uid: u1, resourceVersion: '5', generation: 1, creationTimestamp: '2026-11-22T08:00:00Z'}
      spec: {instanceType: gd-8xh100ib-i128, computeClass: default, targetNodes: 2}
      """;

  @RegisterExtension private final FakeApi api = new FakeApi();

  @TempDir private Path folder;

  private String file(String text) throws IOException {
    return Files.writeString(folder.resolve("state.yaml"), text).toString();
  }

  private static String list(String item) {
    return "apiVersion: v1\nkind: List\nitems:\n" + item.indent(2).replaceFirst("  ", "- ");
  }

  @Test
  void whatAFileDoesNotHaveIsUnknown() throws IOException {
    String file = file(POOL + "---\n" + list("apiVersion: v1\nkind: Secret\n"));

    assertThat(api.command("explain", "pool", "train", "--target", "1", "-f", file)).isZero();
    assertThat(api.out())
        .startsWith(
            "0 -> 1: which Nodes leave is unknown: Hosts, Nodes, Pods could not be listed\n")
        .contains("Quota unknown: Hosts");
    assertThat(api.err()).contains("Hosts, Nodes, Pods, Namespaces").contains("is unknown");
    assertThat(api.requests).isEmpty();

    assertThat(api.command("explain", "node", "g1", "-f", file)).isEqualTo(1);
    assertThat(api.err()).contains("error: machine g1 that a NodePool holds is unknown");
    assertThat(api.command("explain", "pool", "other", "-f", file)).isEqualTo(1);
    assertThat(api.err()).contains("error: there is no NodePool other");
  }

  @Test
  void aListIsReadAndADocumentIsPrinted() throws IOException {
    assertThat(api.command("explain", "pool", "train", "-o", "yaml", "-f", file(list(POOL))))
        .isZero();
    assertThat(api.out()).startsWith("kind: PoolExplanation\n").contains("\nunknown:\n- Hosts\n");
    assertThat(api.err()).isEmpty();
  }

  /** As of some hundred Nodes. */
  @Test
  void aLargeListIsRead() throws IOException {
    String file =
        file(list(POOL) + "- {kind: Secret, data: %s}\n".formatted("a".repeat(5_000_000)));

    assertThat(api.command("explain", "pool", "train", "-f", file)).isZero();
    assertThat(api.err()).doesNotContain("error");
  }

  @Test
  void aFileThatIsNoListIsAnError() throws IOException {
    assertThat(api.command("explain", "pool", "train", "-f", file("items: ["))).isNotZero();
    assertThat(api.err()).contains("is no list of objects in YAML or JSON");
    assertThat(api.command("explain", "pool", "train", "-f", "/none")).isNotZero();
    assertThat(api.err()).contains("/none does not exist.");
  }

  @Test
  void whatAUserMayNotListIsUnknownAndTheOperatorsVersionIsCompared() {
    api.on("GET /apis/compute.coreweave.com/v1alpha1/nodepools?limit=1", "{'items': []}")
        .on(
            "GET /apis/compute.coreweave.com/v1alpha1/nodepools?limit=500",
            """
            {'items': [{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool',
              'metadata': {'name': 'train', 'uid': 'u1', 'resourceVersion': '5', 'generation': 1,
                'creationTimestamp': '2026-11-22T08:00:00Z'},
              'spec': {'instanceType': 'gd-8xh100ib-i128', 'computeClass': 'default', 'targetNodes': 2}}]}
            """)
        .on("GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=1", "{'items': []}")
        .on("GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500", "{'items': []}")
        .on("GET /api/v1/pods?limit=1", 403, FakeApi.status("forbidden"))
        .on(
            "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/nodepool-operator",
            """
            {'metadata': {'name': 'nodepool-operator', 'annotations': {'nodepool.io/operator-version': '9.9.9',
              'nodepool.io/operator-settings': 'drain'}},
             'spec': {'holderIdentity': 'x', 'renewTime': '2026-11-22T10:00:00.000000Z'}}
            """);

    assertThat(api.command("explain", "pool", "train")).isZero();
    assertThat(api.out())
        .startsWith("0 -> 2: which Nodes leave is unknown: Pods could not be listed\n");
    assertThat(api.err())
        .contains("warning: Pods could not be listed")
        .contains("warning: the operator is of version 9.9.9")
        .contains("which are played here: drain")
        .doesNotContain("no operator runs");
  }
}
