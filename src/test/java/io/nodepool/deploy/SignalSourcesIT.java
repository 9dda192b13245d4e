package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiRequests.PatchType;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.local.WithLocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policy about who reports signals as which source. Administrators may do so as all. */
@WithLocalCluster
class SignalSourcesIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String POLICY = "nodepool-operator-signal-sources";
  private static final String HOST = "reported";

  private final KubernetesClient admin;

  SignalSourcesIT(KubernetesClient admin) {
    this.admin = admin;
  }

  @BeforeEach
  void install() {
    Crds.install(admin);
    admin
        .load(Objects.requireNonNull(Admission.class.getResourceAsStream("/deploy/admission.yaml")))
        .items()
        .stream()
        .filter(policy -> policy.getMetadata().getName().equals(POLICY))
        .forEach(policy -> admin.resource(policy).serverSideApply());
    role("hostsignals-writer", "hostsignals", "", "create", "get", "patch");
    role("report-as-one", "signalsources", "one", "report");
    role("report-as-all", "signalsources", "", "report");
    bind("writer", "hostsignals-writer");
    bind("monitor", "hostsignals-writer");
    bind("monitor", "report-as-one");
    bind("receiver", "hostsignals-writer");
    bind("receiver", "report-as-all");
    bind("system:node:" + HOST, "hostsignals-writer");
    bind("system:node:" + HOST, "report-as-one");
    // The rights and the policy are in force.
    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(apply("receiver", HOST, "one", "2026-11-26T18:00:00Z"))
              .isInstanceOf(Reply.Ok.class);
          assertThat(apply("monitor", HOST, "one", "2026-11-26T18:00:01Z"))
              .isInstanceOf(Reply.Ok.class);
          assertThat(apply("system:node:" + HOST, HOST, "one", "2026-11-26T18:00:01Z"))
              .isInstanceOf(Reply.Ok.class);
          assertThat(why(apply("writer", HOST, "one", "2026-11-26T18:00:02Z")))
              .contains("ValidatingAdmissionPolicy '" + POLICY);
        });
  }

  @AfterEach
  void remove() {
    admin
        .admissionRegistration()
        .v1()
        .validatingAdmissionPolicyBindings()
        .withName(POLICY)
        .delete();
    admin.admissionRegistration().v1().validatingAdmissionPolicies().withName(POLICY).delete();
    admin.resources(HostSignalsResource.class).delete();
    admin.rbac().clusterRoleBindings().withLabel("test", POLICY).delete();
    admin.rbac().clusterRoles().withLabel("test", POLICY).delete();
  }

  private void role(String name, String resource, String of, String... verbs) {
    var role =
        new ClusterRoleBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("test", POLICY)
            .endMetadata();
    var rule =
        role.addNewRule()
            .withApiGroups("fleet.nodepool.io")
            .withResources(resource)
            .withVerbs(verbs);
    admin
        .resource((of.isEmpty() ? rule : rule.withResourceNames(of)).endRule().build())
        .serverSideApply();
  }

  private void bind(String user, String role) {
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(user.replace(':', '-') + "-" + role)
                .addToLabels("test", POLICY)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .serverSideApply();
  }

  private Reply send(String user, String path, PatchType type, String body) {
    boolean kubelet = user.startsWith("system:node:");
    try (KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(admin.getConfiguration())
                    .withImpersonateUsername(user)
                    .withImpersonateGroups(kubelet ? "system:nodes" : "system:authenticated")
                    .build())
            .build()) {
      return new ApiRequests(client, WriteGate.ALWAYS_OPEN).patch(path, type, body);
    }
  }

  private Reply apply(String user, String host, String source, String since) {
    return send(
        user,
        ApiPaths.signals(host) + "?fieldManager=test&force=true",
        PatchType.APPLY,
        """
        {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "HostSignals", "metadata": {"name": "%s"},
         "spec": {"signals": {"%s.gpu3.GPUVeryHot": {"since": "%s"}}}}
        """
            .formatted(host, source, since));
  }

  private Reply merge(String user, String signals) {
    return send(
        user,
        ApiPaths.signals(HOST),
        PatchType.MERGE,
        "{\"spec\": {\"signals\": {%s}}}".formatted(signals));
  }

  private static String why(Reply reply) {
    return reply instanceof Reply.Rejected rejected && rejected.code() == 403
        ? rejected.message()
        : reply.toString();
  }

  @Test
  void aMonitorReportsAsItsOwnSourceAndLeavesThoseOfOthers() {
    assertThat(merge("receiver", "\"two.gpu3.A\": {\"since\": \"2026-11-26T18:00:00Z\"}"))
        .isInstanceOf(Reply.Ok.class);

    assertThat(why(merge("monitor", "\"two.gpu3.A\": {\"since\": \"2026-11-26T19:00:00Z\"}")))
        .contains("needs the verb report on signalsources.fleet.nodepool.io");
    assertThat(why(merge("monitor", "\"two.gpu3.A\": null"))).contains("needs the verb report");
    assertThat(why(merge("monitor", "\"one.gpu3.GPUVeryHot\": null, \"two.gpu3.A\": null")))
        .contains("needs the verb report");
    assertThat(merge("monitor", "\"one.gpu3.GPUVeryHot\": null")).isInstanceOf(Reply.Ok.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"conditions", "fleet", "operator", "published"})
  void nobodyReportsAsTheOperatorOrItsOtherSources(String source) {
    for (String user : List.of("receiver", "monitor")) {
      assertThat(
              merge(user, "\"%s.gpu3.A\": {\"since\": \"2026-11-26T18:00:00Z\"}".formatted(source)))
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              rejected ->
                  assertThat(rejected.message())
                      .contains("no entry may have the SOURCE conditions, fleet, operator"));
    }
  }

  @Test
  void whoeverMayReportAsAllSourcesChangesManyAtOnce() {
    StringBuilder many = new StringBuilder("\"one.gpu3.GPUVeryHot\": null");
    for (int i = 0; i < 60; i++) {
      many.append(", \"s%d.gpu3.A\": {\"since\": \"2026-11-26T18:00:00Z\"}".formatted(i));
    }

    assertThat(merge("receiver", many.toString())).isInstanceOf(Reply.Ok.class);
  }

  private Reply beat(String user, String source) {
    return send(
        user,
        ApiPaths.SOURCES + "/" + source + "?fieldManager=test&force=true",
        PatchType.APPLY,
        """
        {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "SignalSource", "metadata": {"name": "%s"},
         "spec": {"heartbeatAt": "%s"}}
        """
            .formatted(source, Instant.now()));
  }

  @Test
  void theHeartbeatOfASourceIsWrittenByWhoeverMayReportAsIt() {
    role("signalsources-writer", "signalsources", "", "create", "get", "patch");
    List.of("writer", "monitor", "receiver", "system:node:" + HOST)
        .forEach(user -> bind(user, "signalsources-writer"));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(beat("receiver", "one")).isInstanceOf(Reply.Ok.class));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(beat("monitor", "one")).isInstanceOf(Reply.Ok.class));
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(why(beat("system:node:" + HOST, "one")))
                .contains("about its own Host only"));
    assertThat(why(beat("monitor", "two"))).contains("needs the verb report");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(why(beat("writer", "one"))).contains("heartbeat of a source"));
    admin.resources(SignalSourceResource.class).delete();
  }

  @Test
  void aKubeletReportsAboutItsOwnHostOnly() {
    String kubelet = "system:node:" + HOST;
    assertThat(apply(kubelet, HOST, "one", "2026-11-26T20:00:00Z")).isInstanceOf(Reply.Ok.class);

    assertThat(why(apply(kubelet, "another", "one", "2026-11-26T20:00:00Z")))
        .contains("about its own Host only");
  }
}
