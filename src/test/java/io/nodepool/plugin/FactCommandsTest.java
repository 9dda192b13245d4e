package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.condition;
import static io.nodepool.plugin.FakeApi.node;
import static io.nodepool.plugin.FakeApi.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The commands that print facts. */
class FactCommandsTest {
  private static final String ALL =
      "GET /api/v1/nodes?limit=500&labelSelector=compute.coreweave.com%2Fnode-pool";
  private static final String LIST = ALL.split("&", 2)[0];

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String list(String next, String... items) {
    return "{'metadata': {'continue': '%s'}, 'items': [%s]}"
        .formatted(next, String.join(", ", items));
  }

  @Test
  void theTableHasALineForEachNodeOfEveryPage() {
    String pending =
        with(
            with(node("g2", "True"), "spec", "'unschedulable': true"),
            "labels",
            "'node.coreweave.cloud/pending-state': 'production-reboot'");
    api.on(LIST, list("more", node("g1", "False"))).on(LIST, list("", pending));

    assertThat(api.run("get")).isZero();
    assertThat(api.err()).isEmpty();
    assertThat(api.out())
        .isEqualTo(
            """
            NAME   POOL    TYPE               READY   STATE        PENDING             ACTIVE   CORDONED   AGE
            g1     train   gd-8xh100ib-i128   True    production   <none>              Idle     false      120m
            g2     train   gd-8xh100ib-i128   True    production   production-reboot   Active   true       120m
            """);
  }

  @Test
  void wideAddsThePlaceAndTheCausesOfTheCordon() {
    String cordoned =
        with(
            node("g1", "False"),
            "annotations",
            "'node.coreweave.cloud/cordonReason': 'ScaleDown,Reboot'");
    api.on(LIST, list("", cordoned));

    assertThat(api.run("get", "train", "-o", "wide")).isZero();
    assertThat(api.out().lines().toList().getFirst())
        .endsWith("AGE    RACK   SLOT   BOOT-ID   CORDON-REASON");
    assertThat(api.out().lines().toList().getLast())
        .endsWith("169    7      boot-1    ScaleDown,Reboot");
  }

  @Test
  void jsonIsAListOfTheNodesWithoutManagedFields() throws IOException {
    api.on(LIST, list("", node("g1", "False")));

    assertThat(api.run("get", "--output=json")).isZero();
    JsonNode list = new ObjectMapper().readTree(api.out());
    assertThat(list.path("kind").asText()).isEqualTo("List");
    assertThat(list.at("/items/0/kind").asText()).isEqualTo("Node");
    assertThat(list.at("/items/0/metadata/name").asText()).isEqualTo("g1");
    assertThat(list.at("/items/0/metadata").has("managedFields")).isFalse();
    assertThat(list.at("/items/0/status/conditions")).hasSize(2);
    assertThat(api.out()).startsWith("{\n    \"apiVersion\": \"v1\",\n");
  }

  @Test
  void nodesOfAPoolAreNamedAndOthersAreErrors() {
    api.on(LIST, list("", node("g1", "False"), node("g2", "False")));

    assertThat(api.run("get", "train", "g2", "g3", "g2")).isEqualTo(1);
    assertThat(api.out().lines().map(line -> line.split(" ", 2)[0])).containsExactly("NAME", "g2");
    assertThat(api.err())
        .isEqualTo("error: node/g3: NodePool train has no such Node; did you mean g1 or g2?\n");
  }

  @Test
  void aNameIsThatOfAPoolOrElseOfANode() {
    String pools = "GET /apis/compute.coreweave.com/v1alpha1/nodepools/";
    // The server of these tests does not select by labels.
    api.on(LIST, list("")).on(LIST, list("", node("g1", "False"), node("g2", "False")));
    assertThat(api.run("get", "g1")).isZero();
    assertThat(api.out().lines().map(line -> line.split(" ", 2)[0])).containsExactly("NAME", "g1");

    api.on(pools + "train", "{}");
    assertThat(api.command("nodes", "train")).isZero();
    assertThat(api.out().lines()).hasSize(3);

    api.on(pools + "g1", "{}").on("GET /api/v1/nodes/g1", node("g1", "False"));
    assertThat(api.run("get", "g1")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: g1 is a NodePool and a Node: use --pool g1 for the Nodes of the NodePool, and --pool POOL g1 for the Node\n");
    assertThat(api.run("get", "--pool", "np/g1", "g2", "--no-headers")).isZero();
    assertThat(api.out()).startsWith("g2 ").hasLineCount(1);
  }

  private void prepareConfigurations() {
    api.on(
            LIST,
            list(
                "",
                node("g1", "False"),
                node("g2", "False"),
                node("g3", "False"),
                node("g4", "False"),
                node("g5", "False", condition("CWNodeRemoval", "True", "ScaleDown", ""))))
        .on(
            "GET /apis/compute.coreweave.com/v1alpha1/nodepools?limit=500",
            list("", "{'metadata': {'name': 'train'}, 'status': {'nodeProfile': 'new'}}"))
        .on(
            "GET /apis/compute.coreweave.com/v1alpha1/nodepools/train",
            "{'metadata': {'name': 'train'}, 'status': {'nodeProfile': 'new'}}")
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hosts?limit=500",
            list(
                "",
                host("g1", "new", "new"),
                host("g2", "new", "old"),
                host("g3", "old", "old"),
                "{'metadata': {'name': 'g4'}}",
                host("g5", "old", "old")));
  }

  private static String host(String name, String next, String booted) {
    return "{'metadata': {'name': '%s'}, 'spec': {'configuration': '%s'}, 'status': {'bootedConfiguration': '%s'}}"
        .formatted(name, next, booted);
  }

  @Test
  void nodesThatRequireReconfigurationHaveWhatTheyBootedAndWhatTheyShould() {
    prepareConfigurations();

    assertThat(api.run("get", "--requiring-reconfiguration")).isZero();
    assertThat(api.err()).isEmpty();
    assertThat(api.out())
        .isEqualTo(
            """
            NAME   POOL    TYPE               READY   STATE        PENDING   ACTIVE   CORDONED   AGE    BOOTED   WANTED   STAGED
            g2     train   gd-8xh100ib-i128   True    production   <none>    Idle     false      120m   old      new      true
            g3     train   gd-8xh100ib-i128   True    production   <none>    Idle     false      120m   old      new      false
            g4     train   gd-8xh100ib-i128   True    production   <none>    Idle     false      120m   <none>   new      false
            """);
    assertThat(api.run("get", "train", "--requiring-reconfiguration", "g1", "g3")).isZero();
    assertThat(api.out().lines().map(line -> line.split(" ", 2)[0])).containsExactly("NAME", "g3");
    assertThat(api.run("get", "train", "--requiring-reconfiguration", "g1")).isZero();
    assertThat(api.out()).isEmpty();
    assertThat(api.err()).isEqualTo("No Node of NodePool train requires reconfiguration.\n");
  }

  @Test
  void aPoolWithoutNodesIsDistinguishedFromOneThatDoesNotExist() {
    String pool = "GET /apis/compute.coreweave.com/v1alpha1/nodepools/train";
    api.on(LIST, list(""));

    assertThat(api.run("get", "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: node/train: no NodePool has such a Node\n");
    api.on(pool, "{}");
    assertThat(api.run("get", "train")).isZero();
    assertThat(api.err()).isEqualTo("NodePool train has no Nodes.\n");
    assertThat(api.run("get")).isZero();
    assertThat(api.err()).isEqualTo("No Nodes found.\n");
    assertThat(api.out()).isEmpty();
  }

  private void prepareDescription() {
    String described =
        with(
            with(
                with(
                    node(
                        "g1",
                        "True",
                        condition("PhaseState", "True", "production", "In production"),
                        condition("PendingPhaseState", "False", "production-powerreset", "old"),
                        condition("PendingPhaseState", "True", "production-reboot", "wanted")),
                    "spec",
                    "'unschedulable': true, 'taints': [{'key': 'is_gpu', 'value': 'true', 'effect': 'PreferNoSchedule'},"
                        + " {'key': 'x', 'effect': 'NoExecute'}]"),
                "annotations",
                "'node.coreweave.cloud/cordonReason': 'Reconfiguration', 'nodepool.io/reboot-policy': 'Immediate'"),
            "labels",
            "'node.coreweave.cloud/pending-state': 'production-reboot', 'topology.kubernetes.io/zone': 'US-EAST-04A'");
    api.on("GET /api/v1/nodes/g1", described)
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hosts/g1",
            "{'status': {'signals': [{'name': 'GPUVeryHot', 'component': 'gpu1', 'observedAt': '2026-11-22T09:40:00Z'}]}}")
        .on(
            "GET /apis/fleet.nodepool.io/v1alpha1/hostsignals/g1",
            """
            {'spec': {'signals': {
              'alertmanager.host.SomethingNew': {'since': '2026-11-22T09:55:00Z'},
              'alertmanager.gpu0.GPUTimeoutError': {'since': '2026-11-22T08:00:00Z', 'endedAt': '2026-11-22T09:00:00Z'},
              'no key': {'since': '2026-11-22T09:55:00Z'},
              'alertmanager.gpu3.GPUFallenOffBus': {'since': '2026-11-22T09:50:00Z', 'message': 'Xid 79'}}}}
            """)
        .on(
            "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3Dg1",
            """
            {'items': [
              {'type': 'Normal', 'reason': 'Later', 'lastTimestamp': '2026-11-22T09:59:00Z', 'source': {'component': 'kubelet'}, 'message': 'two\\nlines'},
              {'type': 'Warning', 'reason': 'Earlier', 'eventTime': '2026-11-22T09:58:00.000001Z', 'reportingComponent': 'nodepool-operator', 'message': 'one'}]}
            """);
  }

  @Test
  void aDescriptionNamesWhatBlocksAReboot() {
    prepareDescription();

    assertThat(api.run("describe", "g1")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            Name:           g1
            Pool:           train
            Type:           gd-8xh100ib-i128
            Location:       zone US-EAST-04A, rack 169, slot 7
            Ready:          True
            State:          production
            Pending state:  production-reboot (Immediate)
            Cordoned:       true
            Cordon reason:  Reconfiguration
            Disruption:     <none>
            Taints:         is_gpu=true:PreferNoSchedule, x:NoExecute
            Boot ID:        boot-1
            Conditions:
              Type                 Status  Since  Reason             Message
              PhaseState           True    60m    production         In production
              PendingPhaseState    True    60m    production-reboot  wanted
              CWActive             True    60m    Work               2 Pods of tenant workloads: Job a/b.
              CWNodeRemoval        <none>
              NLCCImmediateReboot  <none>
            Signals:
              Name             Component  Source        Since  Ended   Grade                 Message
              GPUFallenOffBus  gpu3       alertmanager  10m    <none>  out now               Xid 79
              GPUVeryHot       gpu1       fleet         20m    <none>  watch
              SomethingNew     host       alertmanager  5m     <none>  watch (unknown name)
              GPUTimeoutError  gpu0       alertmanager  120m   60m     reboot now
              What is done about them:
                GPUFallenOffBus: The Node is cordoned, its work ends at once, its machine is taken out of service, and another one replaces it. That ends the work also where the pool protects it (disableUnhealthyNodeEviction).
                GPUVeryHot: The alert is shown on the Node and counted; nothing else is done.
                SomethingNew: The catalogue does not have it: it is listed and counted only.
            Events:
              Type     Reason   Age  From               Message
              Warning  Earlier  2m   nodepool-operator  one
              Normal   Later    60s  kubelet            two lines
            """);
  }

  @Test
  void aDescriptionSaysWhatADisruptedNodeWaitsForAndUntilWhen() {
    String record =
        "{'v':1,'seq':1,'stage':'Committed','causes':[{'cause':'Orphaned','at':'2026-11-22T09:49:00Z'}],"
            + "'cordon':'Ours','at':'2026-11-22T09:50:00Z','ending':'Leave','forceAt':'2026-11-22T10:20:00Z'}";
    String drained =
        with(
            node("g1", "True", condition("CWNodeRemoval", "True", "BlockedByBudget", "x")),
            "annotations",
            "'nodepool.io/removal': '%s'".formatted(record.replace("'", "\\'")));
    api.on("GET /api/v1/nodes/g1", drained)
        .on(
            "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3Dg1",
            "{'items': [{'reason': 'CWNodeDrainingPDBViolation', 'lastTimestamp': '2026-11-22T09:55:00Z', 'message': 'A budget blocks team/a.'}]}");

    assertThat(api.run("describe", "g1")).isZero();
    assertThat(api.out())
        .contains(
            "Disruption:     Draining since 2026-11-22T09:49:00Z: its pool is gone; waits for PodDisruptionBudgets to allow the next eviction, until 2026-11-22T10:20:00Z, then the Pods left are deleted. Last at 2026-11-22T09:55:00Z: A budget blocks team/a.\n");
  }

  @Test
  void theDescriptionAsJsonHasTheSameFacts() throws IOException {
    prepareDescription();

    assertThat(api.run("describe", "g1", "-o", "json")).isZero();
    JsonNode facts = new ObjectMapper().readTree(api.out());
    assertThat(facts.path("pendingState").asText()).isEqualTo("production-reboot");
    assertThat(facts.path("rebootPolicy").asText()).isEqualTo("Immediate");
    assertThat(facts.path("cordoned").asBoolean()).isTrue();
    assertThat(facts.at("/taints/1/key").asText()).isEqualTo("x");
    assertThat(facts.path("conditions")).hasSize(3);
    assertThat(facts.at("/events/1/reason").asText()).isEqualTo("Later");
  }

  @Test
  void aNodeThatDoesNotExistIsAnError() {
    assertThat(api.run("describe", "g9")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: g9 not found\n");
  }
}
