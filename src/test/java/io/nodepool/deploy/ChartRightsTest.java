package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the chart's accounts may do: this and no more. docs/install.md says why. */
class ChartRightsTest {
  private final Chart chart = Chart.render("dataCentre: {enabled: true}");

  @Test
  void theOperatorMayDoThisInTheWholeCluster() {
    assertThat(rights("ClusterRole", "nodepool-operator"))
        .containsExactlyInAnyOrder(
            "compute.coreweave.com/nodepools: get, list, watch, patch",
            "compute.coreweave.com/nodepools/status: patch",
            "fleet.nodepool.io/hosts: get, list, watch, patch",
            "fleet.nodepool.io/hostsignals: list, watch",
            "fleet.nodepool.io/signalsources: list, watch",
            "/nodes: get, list, watch, patch, delete",
            "/nodes/status: patch",
            "/pods: get, list, watch, delete",
            "/pods/eviction: create",
            "/pods/status: patch",
            "/namespaces: get, list, watch, patch");
  }

  @Test
  void anOperatorThatReceivesAlertsMayStoreThem() {
    Chart receiving =
        Chart.render("alerts: {receiver: {enabled: true, tokenSecret: a, tlsSecret: b}}");
    List<String> more = rights(receiving, "ClusterRole", "nodepool-operator");
    more.removeAll(rights("ClusterRole", "nodepool-operator"));

    assertThat(more)
        .containsExactlyInAnyOrder(
            "fleet.nodepool.io/hostsignals: list, watch, create, get, patch",
            "fleet.nodepool.io/signalsources: list, watch, create, patch, report");
  }

  @Test
  void anOperatorWhoseMetricsAreProtectedMayAskWhoReadsThem() {
    List<String> more =
        rights(Chart.render("monitoring: {tls: {secret: a}}"), "ClusterRole", "nodepool-operator");
    more.removeAll(rights("ClusterRole", "nodepool-operator"));

    assertThat(more)
        .containsExactlyInAnyOrder(
            "authentication.k8s.io/tokenreviews: create",
            "authorization.k8s.io/subjectaccessreviews: create");
  }

  @Test
  void theOperatorMayDoThisInItsOwnNamespace() {
    assertThat(rights("Role", "nodepool-operator"))
        .containsExactly("/configmaps[fleet-offer, nodepool-alerts]: list, watch");
    assertThat(namespace("nodepool-operator")).isEqualTo(Chart.NAMESPACE);
  }

  @Test
  void theOperatorMayTakeTheOneLeaseOfTheCluster() {
    assertThat(rights("Role", "nodepool-operator-lease"))
        .containsExactlyInAnyOrder(
            "coordination.k8s.io/leases: create",
            "coordination.k8s.io/leases[nodepool-operator]: get, patch");
    assertThat(namespace("nodepool-operator-lease")).isEqualTo(OperatorRuntime.LEASE_NAMESPACE);
  }

  @Test
  void theOperatorEmitsItsEventsWhereThoseOfClusterScopedObjectsAre() {
    assertThat(rights("Role", "nodepool-operator-events"))
        .containsExactly("/events: create, get, patch");
    assertThat(namespace("nodepool-operator-events")).isEqualTo("default");
  }

  @Test
  void theDataCentreMayDoThisInTheWholeCluster() {
    assertThat(rights("ClusterRole", "nodepool-operator-data-centre"))
        .containsExactlyInAnyOrder(
            "fleet.nodepool.io/simulatedfleets[default]: get, list, watch",
            "fleet.nodepool.io/simulatedfleets/status[default]: patch",
            "fleet.nodepool.io/hosts: get, list, watch, create, delete",
            "fleet.nodepool.io/hosts/status: patch",
            "compute.coreweave.com/nodepools: list, watch",
            "/nodes: get, list, watch, create",
            "/nodes/status: patch",
            "/pods: get, list, watch, delete",
            "/pods/status: patch");
  }

  @Test
  void theDataCentreMayDoThisInNamespaces() {
    assertThat(rights("Role", "nodepool-operator-data-centre"))
        .containsExactlyInAnyOrder(
            "/configmaps: create", "/configmaps[fleet-offer]: get, list, watch, patch");
    assertThat(namespace("nodepool-operator-data-centre")).isEqualTo(Chart.NAMESPACE);
    assertThat(rights("Role", "nodepool-operator-data-centre-leases"))
        .containsExactly("coordination.k8s.io/leases: create, get, patch");
    assertThat(namespace("nodepool-operator-data-centre-leases")).isEqualTo("kube-node-lease");
  }

  @Test
  void everyRoleIsBoundToItsAccountAndNobodyElse() {
    List<JsonNode> bindings =
        chart.objects().stream()
            .filter(object -> object.get("kind").asText().endsWith("RoleBinding"))
            .toList();
    assertThat(bindings).hasSize(7);
    assertThat(bindings)
        .allSatisfy(binding -> {
          String role = binding.at("/roleRef/name").asText();
          assertThat(binding.at("/metadata/name").asText()).isEqualTo(role);
          assertThat(binding.get("subjects")).hasSize(1);
          assertThat(binding.at("/subjects/0/namespace").asText()).isEqualTo(Chart.NAMESPACE);
          assertThat(binding.at("/subjects/0/name").asText())
              .isEqualTo(role.startsWith(Chart.DATA_CENTRE) ? Chart.DATA_CENTRE : Chart.RELEASE);
        });
  }

  private String namespace(String role) {
    return chart.get("Role", role).at("/metadata/namespace").asText();
  }

  @Test
  void theFleetOfAnIronicHasAnAccountOfItsOwn() {
    Chart ironic =
        Chart.render(
            """
            ironic: {enabled: true, url: "https://ironic", credentialsSecret: a, authoritySecret: b, templateSecrets: [c]}
            admission: {nodeAnnotations: {enabled: true}}
            """);

    assertThat(rights(ironic, "ClusterRole", "nodepool-operator-ironic"))
        .containsExactlyInAnyOrder(
            "fleet.nodepool.io/hosts: get, list, watch, create, delete",
            "fleet.nodepool.io/hosts/status: patch",
            "/nodes: list, watch, create, patch",
            "certificates.k8s.io/certificatesigningrequests: list, watch",
            "certificates.k8s.io/certificatesigningrequests/approval: patch",
            "certificates.k8s.io/signers[kubernetes.io/kube-apiserver-client-kubelet]: approve");
    assertThat(ironic.args("nodepool-operator-ironic"))
        .startsWith("fleet", "ironic", "--ironic=https://ironic")
        .contains("--ironic-authority=/etc/nodepool/authority/ca.crt");
    assertThat(
            ironic
                .get("ValidatingAdmissionPolicy", "nodepool-operator-node-annotations")
                .toString())
        .contains(":nodepool-operator-ironic");
  }

  private List<String> rights(String kind, String name) {
    return rights(chart, kind, name);
  }

  private static List<String> rights(Chart of, String kind, String name) {
    List<String> rights = new ArrayList<>();
    for (JsonNode rule : of.get(kind, name).get("rules")) {
      for (String group : Chart.texts(rule.get("apiGroups"))) {
        for (String resource : Chart.texts(rule.get("resources"))) {
          List<String> names = Chart.texts(rule.path("resourceNames"));
          rights.add(
              "%s/%s%s: %s"
                  .formatted(
                      group,
                      resource,
                      names.isEmpty() ? "" : names,
                      String.join(", ", Chart.texts(rule.get("verbs")))));
        }
      }
    }
    return rights;
  }
}
