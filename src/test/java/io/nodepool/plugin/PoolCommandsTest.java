package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.condition;
import static io.nodepool.plugin.FakeApi.node;
import static io.nodepool.plugin.FakeApi.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verbs that show and scale NodePools, and those that show the capacity of the fleet. */
class PoolCommandsTest {
  private static final String POOLS = "GET /apis/compute.coreweave.com/v1alpha1/nodepools";
  private static final String POOL = POOLS + "/train";
  private static final String HOSTS = "GET /apis/fleet.nodepool.io/v1alpha1/hosts";
  private static final String NODES = "GET /api/v1/nodes?limit=500";

  @RegisterExtension private final FakeApi api = new FakeApi();

  /** A pool of which one Node is not ready. */
  private static String pool(String name, int target, int current, String more) {
    return """
    {'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool',
     'metadata': {'name': '%s', 'resourceVersion': '5', 'generation': 3, 'creationTimestamp': '2026-11-22T08:00:00Z',
       'managedFields': [{'manager': 'x'}]},
     'spec': {'instanceType': 'gd-8xh100ib-i128', 'computeClass': 'spot', 'targetNodes': %d},
     'status': {'observedGeneration': 3, 'currentNodes': %d, 'inProgress': 1, 'queuedNodes': 2, 'nodeProfile': 'a',
       'growth': {'granted': %d},
       'nodeStates': {'notReady': {'count': 1}, 'inDisruption': {'count': 3}, 'alerting': {'count': 0}},
       'nodeConfigurationRevisions': [{'nodeProfile': 'a', 'activeNodes': 4}], %s}}
    """
        .formatted(name, target, current, target, more.isEmpty() ? "'conditions': []" : more);
  }

  private static String summary(String reason, String message) {
    return "'summary': {'reason': '%s', 'message': '%s'}".formatted(reason, message);
  }

  private static String list(String version, String... items) {
    return "{'metadata': {'resourceVersion': '%s'}, 'items': [%s]}"
        .formatted(version, String.join(", ", items));
  }

  private static String atTarget(String status, String reason) {
    return "'conditions': [%s]"
        .formatted(condition("AtTarget", status, reason, "NodePool has 6 of 8 nodes."));
  }

  @Test
  void poolsAreListedWithWhatKeepsThemFromTheirTarget() {
    api.on(
        POOLS + "?limit=500",
        list(
            "9",
            pool("train", 8, 6, summary("WaitsForMachines", "None is free.")),
            pool("rest", 6, 6, summary("Ready", "")),
            pool("new", 2, 1, "")));

    assertThat(api.command("get")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            NAME    TYPE               CLASS   TARGET   CURRENT   READY   UP-TO-DATE   DISRUPTED   STATUS             AGE
            train   gd-8xh100ib-i128   spot    8        6         5       4            3           WaitsForMachines   120m
            rest    gd-8xh100ib-i128   spot    6        6         5       4            3           Ready              120m
            new     gd-8xh100ib-i128   spot    2        1         0       4            3           Unknown            120m
            """);

    assertThat(api.command("get", "rest", "-o", "wide")).isZero();
    assertThat(api.out().lines().skip(1))
        .singleElement()
        .asString()
        .endsWith("2        1             a               <none>    0");
  }

  @Test
  void aPoolThatDoesNotExistIsAnError() {
    api.on(POOLS + "?limit=500", list("9"));

    assertThat(api.command("get", "absent")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: there is no nodepool/absent\n");
    assertThat(api.command("get")).isZero();
    assertThat(api.err()).isEqualTo("No NodePools found.\n");
  }

  @Test
  void poolsArePrintedAsDocumentsAndByName() throws IOException {
    api.on(POOLS + "?limit=500", list("9", pool("train", 8, 6, "")));

    assertThat(api.command("get", "-o", "name", "-l", "team=a,zone!=b")).isZero();
    assertThat(api.out()).isEqualTo("nodepool/train\n");
    assertThat(api.queries).last().asString().contains("labelSelector=team=a,zone!=b");

    assertThat(api.command("get", "-o", "json")).isZero();
    JsonNode json = new ObjectMapper().readTree(api.out());
    assertThat(api.command("get", "-o", "yaml")).isZero();
    JsonNode yaml = new ObjectMapper(new YAMLFactory()).readTree(api.out());
    assertThat(json.path("kind").asText()).isEqualTo("List");
    assertThat(json.at("/items/0/spec/targetNodes").asInt()).isEqualTo(8);
    assertThat(json.at("/items/0/metadata").has("managedFields")).isFalse();
    assertThat(yaml).isEqualTo(json);
  }

  @Test
  void withWatchEachRowThatChangesIsPrinted() {
    String watched = POOLS + "?resourceVersion=9";
    api.on(POOLS + "?limit=500", list("9", pool("train", 8, 6, ""), pool("rest", 6, 6, "")))
        .on(POOLS + "?limit=500", list("9", pool("train", 8, 7, ""), pool("rest", 6, 6, "")))
        .on(POOLS + "?limit=500", list("9", pool("train", 8, 7, "")))
        .on(watched, "{}")
        .on(watched, "{}")
        .on(watched, 403, FakeApi.status("the end of the test"));

    assertThat(api.command("get", "-w")).isEqualTo(1);
    assertThat(api.out().lines().map(line -> line.replaceAll(" +", " ")))
        .hasSize(5)
        .last()
        .asString()
        .startsWith("rest gd-8xh100ib-i128 spot 6 6");
    assertThat(api.out().lines().skip(3).findFirst().orElseThrow().replaceAll(" +", " "))
        .startsWith("train gd-8xh100ib-i128 spot 8 7");
    assertThat(api.pauses).hasValue(2);
  }

  @Test
  void onlyATableIsWatched() {
    assertThat(api.command("get", "-w", "-o", "json")).isEqualTo(2);
    assertThat(api.err())
        .isEqualTo("error: --watch prints a table; leave --output out, or take wide\n");
    assertThat(api.requests).isEmpty();
  }

  @Test
  void aPoolIsDescribedAsATree() throws IOException {
    String cordoned = with(node("g2", "True"), "spec", "'unschedulable': true");
    api.on(
            POOL,
            pool(
                "train",
                8,
                6,
                summary("WaitsForMachines", "No machine is free.")
                    + ", "
                    + atTarget("False", "UnderTarget")))
        .on(NODES, list("9", node("g1", "False"), cordoned))
        .on(
            HOSTS,
            """
            {'items': [
              {'metadata': {'name': 'g2'}, 'spec': {'assignment': {'pool': 'train'}}},
              {'metadata': {'name': 'g3'}, 'spec': {'assignment': {'pool': 'train'}},
               'status': {'phase': 'Booting', 'since': '2026-11-22T09:50:00Z', 'message': 'It boots.'}},
              {'metadata': {'name': 'g4'}, 'spec': {}}]}
            """);

    assertThat(api.command("describe", "train")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            NAME               STATUS  REASON            SINCE  MESSAGE
            NodePool/train     False   WaitsForMachines  60m    gd-8xh100ib-i128, spot: target 8, 6 current, 1 in progress, 2 queued. No machine is free.
            ├─AtTarget         False   UnderTarget       60m    NodePool has 6 of 8 nodes.
            ├─Configuration/a                                   booted by 4 of 6 Nodes
            ├─Nodes                                             2, 1 of them ready for new work with nothing pending
            │ └─Node/g2        True    production               cordoned by others
            └─Delivery                                          1 machine without its Node
              └─Host/g3                Booting           10m    It boots.
            """);

    assertThat(api.command("describe", "train", "-o", "json")).isZero();
    JsonNode json = new ObjectMapper().readTree(api.out());
    assertThat(json.at("/children/2/children/0/name").asText()).isEqualTo("Node/g2");
  }

  /**
   * Of each Node what is asked of it, of a machine nothing that its fleet said of an earlier use.
   */
  @Test
  void whatIsDescribedIsTrueOfNow() {
    String busy =
        node("g1", "True", condition("PendingPhaseState", "True", "production-reboot", ""));
    api.on(
            POOL,
            pool(
                "train",
                6,
                6,
                "'conditions': ["
                    + condition("NodeReconfigurationRequired", "False", "AllNodesUpToDate", "")
                    + "]"))
        .on(NODES, list("9", busy, node("g2", "True")))
        .on(
            HOSTS,
            """
            {'items': [
              {'metadata': {'name': 'g3'}, 'spec': {'tenancy': 8, 'assignment': {'pool': 'train'}},
               'status': {'phase': 'Cleaning', 'tenancy': 7, 'since': '2026-11-20T09:50:00Z', 'message': 'Its disks are wiped.'}}]}
            """);

    assertThat(api.command("describe", "train")).isZero();
    assertThat(api.out().lines().map(line -> line.replaceAll(" +", " ")))
        .contains(
            "├─Configuration/a booted by 4 of 4 Nodes (2 more on the way out)",
            "├─Nodes 2, 1 of them ready for new work with nothing pending",
            "│ └─Node/g1 True production pending: production-reboot",
            " └─Host/g3 Assigned its fleet has not begun to deliver it");
  }

  @Test
  void thatAPoolOnlyObservesAlertsIsDescribed() {
    String observing =
        pool("train", 6, 6, "")
            .replaceFirst("'name'", "'annotations': {'nodepool.io/repair': 'observe'}, 'name'");
    api.on(POOL, observing).on(NODES, list("9")).on(HOSTS, list("9"));

    assertThat(api.command("describe", "train")).isZero();
    assertThat(api.out())
        .contains(
            "Observing", "no machine is repaired: annotation nodepool.io/repair is \"observe\"");
  }

  @Test
  void aPoolIsDescribedToAUserWhoMayNotReadHosts() {
    api.on(POOL, pool("train", 8, 6, ""))
        .on(NODES, list("9", node("g1", "False")))
        .on(HOSTS, 403, FakeApi.status("hosts is forbidden"));

    assertThat(api.command("describe", "train")).isZero();
    assertThat(api.out()).contains("└─Nodes").doesNotContain("Delivery");
  }

  @Test
  void aPoolIsScaledUnlessItHasChanged() {
    api.on(POOL, pool("train", 8, 6, ""));

    assertThat(api.command("scale", "train", "--nodes", "9", "--current", "8")).isZero();
    assertThat(api.out()).isEqualTo("nodepool/train scaled from 8 to 9 Nodes\n");
    assertThat(api.writes)
        .containsExactly(
            POOL.replace("GET", "PATCH")
                + " {'spec':{'targetNodes':9},'metadata':{'resourceVersion':'5'}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nodes 9 --current 7 | 1 | error: nodepool/train: it is to have 8 Nodes, not 7 Nodes",
        "--racks 1 | 1 | error: nodepool/train: it is sized by spec.targetNodes; use --nodes",
        "'' | 2 | error: give either --nodes or --racks",
        "--nodes 1 --racks 1 | 2 | error: give either --nodes or --racks",
        "--nodes -1 | 2 | error: the number of Nodes or racks must not be negative",
      })
  void aPoolIsNotScaled(String options, int code, String error) {
    api.on(POOL, pool("train", 8, 6, ""));

    String line = ("scale train " + options).strip();
    assertThat(api.command(line.split(" "))).isEqualTo(code);
    assertThat(api.err()).isEqualTo(error + "\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aPoolThatHasItsSizeIsNotWritten() {
    api.on(POOL, pool("train", 8, 6, ""));

    assertThat(api.command("scale", "train", "--nodes", "8")).isZero();
    assertThat(api.out())
        .isEqualTo("nodepool/train is to have 8 Nodes already; nothing was written\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aWriteThatComesTooLateIsSaid() {
    api.on(POOL, pool("train", 8, 6, ""))
        .on(POOL.replace("GET", "PATCH"), 409, FakeApi.status("the object has been modified"));

    assertThat(api.command("scale", "train", "--nodes", "9")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: it was changed meanwhile; look again, and repeat the command\n");
  }

  private static String host(String name, String type, String fields, String phase) {
    return """
    {'metadata': {'name': '%s'}, 'spec': {'machine': {'instanceType': '%s'}%s}, 'status': {'phase': '%s'}}
    """
        .formatted(name, type, fields, phase);
  }

  private void hostsOfAllUses() {
    String type = "gd-8xh100ib-i128";
    api.on(
            HOSTS + "?limit=500",
            list(
                "9",
                host("g1", type, "", "Free"),
                host("g2", type, "", "Cleaning"),
                host("g3", type, ", 'setAside': 'broken'", "Free"),
                host(
                    "g4",
                    type,
                    ", 'assignment': {'pool': 'train', 'computeClass': 'spot'}",
                    "Running"),
                host("g5", type, ", 'assignment': {'pool': 'other'}", "Running"),
                host("g6", type, ", 'assignment': {'pool': 'other'}", "Booting"),
                host("g7", "gb200-4x", "", "Free")))
        .on(
            POOLS,
            list(
                "9",
                pool("train", 3, 1, ""),
                pool("other", 2, 2, "").replace("'spot'", "'default'")));
  }

  @Test
  void capacityIsShownByTypeWithQuota() {
    hostsOfAllUses();
    api.on(
        "GET /api/v1/namespaces/nodepool-system/configmaps/fleet-offer",
        """
        {"data": {"offer.json": "{\\"zone\\": \\"a\\", \\"instanceTypes\\": [\\"gd-8xh100ib-i128\\", \\"turin-gp\\"], \\"quota\\": {\\"gd-8xh100ib-i128\\": 10}}"}}
        """);

    assertThat(api.command("capacity")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            TYPE               HOSTS   FREE   ON-DEMAND   SPOT   SET-ASIDE   NOT-READY   QUEUED   QUOTA    LEFT
            gb200-4x           1       1      0           0      0           0           0        <none>   <none>
            gd-8xh100ib-i128   6       1      2           1      1           1           4        10       4
            turin-gp           0       0      0           0      0           0           0        <none>   <none>
            """);
    assertThat(api.command("capacity", "gb200-4x", "-o", "json")).isZero();
    assertThat(api.out()).contains("\"free\": 1").doesNotContain("quota");
  }

  @Test
  void capacityIsShownWithoutAnOffer() {
    hostsOfAllUses();

    assertThat(api.command("capacity", "gb200-4x", "--fleet-namespace", "mine")).isZero();
    assertThat(api.err())
        .isEqualTo(
            "The fleet's offer cannot be read, ConfigMap fleet-offer in Namespace mine: quota is not shown.\n");
    assertThat(api.out().lines()).hasSize(2);
  }
}
