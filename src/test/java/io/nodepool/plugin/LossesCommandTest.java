package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code what-if losses}: which lists it needs, and that it says so without one of them. */
class LossesCommandTest {
  private static final String POOL =
      """
      {'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool',
       'metadata': {'name': 'train', 'uid': 'u1', 'resourceVersion': '5'},
       'spec': {'instanceType': 'gd-8xh100ib-i128', 'computeClass': 'default', 'targetNodes': 2}}
      """;
  private static final String NODES =
      """
      {'apiVersion': 'v1', 'kind': 'Node',
       'metadata': {'name': 'g1', 'labels': {'compute.coreweave.com/node-pool': 'train'}},
       'spec': {}, 'status': {'allocatable': {'nvidia.com/gpu': '8', 'pods': '110'}}}
      """;
  private static final String POD =
      """
      {'apiVersion': 'v1', 'kind': 'Pod',
       'metadata': {'name': 'train-0', 'namespace': 'ml',
         'ownerReferences': [{'kind': 'Job', 'name': 'train', 'controller': true}]},
       'spec': {'nodeName': 'g1', 'containers': [
         {'name': 'a', 'resources': {'limits': {'nvidia.com/gpu': '8'}}}]},
       'status': {'phase': 'Running'}}
      """;

  private static final String HOST =
      """
      {'apiVersion': 'fleet.nodepool.io/v1alpha1', 'kind': 'Host',
       'metadata': {'name': 'g1', 'uid': 'h1', 'resourceVersion': '7'},
       'spec': {'machine': {'instanceType': 'gd-8xh100ib-i128', 'zone': 'z1'}}}
      """;

  @RegisterExtension private final FakeApi api = new FakeApi();

  @TempDir private Path folder;

  private static String items(String... items) {
    return "{'items': [%s]}".formatted(String.join(", ", items));
  }

  private void lists(String path, String... items) {
    api.on("GET %s?limit=1".formatted(path), items(items))
        .on("GET %s?limit=500".formatted(path), items(items));
  }

  @Test
  void onlyTheFourListsThatItNeedsAreRead() {
    lists("/apis/compute.coreweave.com/v1alpha1/nodepools", POOL);
    lists("/apis/fleet.nodepool.io/v1alpha1/hosts", HOST);
    lists("/api/v1/nodes", NODES);
    lists("/api/v1/pods", POD);

    assertThat(api.command("what-if", "losses", "train")).isEqualTo(3);
    assertThat(api.out())
        .startsWith("NodePool train: 1 Node, 0 machines of its type are free\n")
        .containsPattern("1 Node +1 of ml/train +1 of ml/train");
    assertThat(api.requests)
        .allMatch(request -> request.matches("GET .*/(nodepools|hosts|nodes|pods)(\\?.*)?"));
  }

  @Test
  void withoutOneOfThemWhatWouldBeLostIsUnknown() {
    lists("/apis/compute.coreweave.com/v1alpha1/nodepools", POOL);
    lists("/apis/fleet.nodepool.io/v1alpha1/hosts", HOST);
    lists("/api/v1/nodes", NODES);
    api.on("GET /api/v1/pods?limit=1", 403, FakeApi.status("forbidden"));

    assertThat(api.command("what-if", "losses", "train")).isEqualTo(1);
    assertThat(api.out()).isEmpty();
    assertThat(api.err())
        .contains("error: what would be lost is unknown: pods could not be listed");
  }

  @Test
  void soItIsOfAFile() throws IOException {
    Path file = folder.resolve("dump.json");
    Files.writeString(file, items(POOL, NODES).replace('\'', '"'));

    assertThat(api.command("what-if", "losses", "train", "--from", file.toString())).isEqualTo(1);
    assertThat(api.err())
        .contains("error: what would be lost is unknown: hosts, pods are not in " + file);

    Files.writeString(file, items(POOL, NODES, HOST, POD).replace('\'', '"'));
    assertThat(api.command("what-if", "losses", "train", "--from", file.toString())).isEqualTo(3);
    assertThat(api.out()).containsPattern("1 Node +1 of ml/train +1 of ml/train");
    assertThat(api.requests).isEmpty();
  }
}
