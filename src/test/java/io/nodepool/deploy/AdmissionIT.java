package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.nodepool.vocabulary.metadata.LabelDomains;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The admission policies in force, on a cluster of their own: they would be in the way of other
 * tests. Its administrator is a user like any other.
 */
@Tag("local-cluster")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdmissionIT {
  private static final String RESERVED = "node.coreweave.cloud/state";
  private static final String GPU = "nvidia.com/gpu";
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final LocalCluster cluster =
      LocalCluster.start(LocalClusterOptions.standard(System.err::println));
  private final KubernetesClient user = LocalClusterExtension.client(cluster.kubeconfig());

  @BeforeAll
  void install() {
    Crds.install(user);
    Admission.install(user, KeyExceptions.NONE);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          // Not stored: it only shows whether the policies are in force.
          Pod pod = user.resource(pod(container())).dryRun(true).create();
          return !cpuTolerations(pod).isEmpty();
        });
    // Each policy comes into force by itself.
    String name = ofTheFleet();
    untilRefused(() -> user.resource(node(Map.of(RESERVED, "a"))).dryRun(true).create());
    untilRefused(
        () -> patch(user, name, "{\"metadata\": {\"annotations\": {\"nodepool.io/a\": \"b\"}}}"));
    untilRefused(() -> condition(user, name, "CWActive", "True"));
  }

  @AfterAll
  void end() {
    user.close();
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "foo.coreweave.cloud/bar",
        "foo.coreweave.com/bar",
        "coreweave.cloud/bar",
        "a.b.coreweave.com/bar",
        "node.coreweave.cloud/state",
        "cks.coreweave.cloud/system-critical"
      })
  void aUserMayNotPutALabelOfTheProviderOnANode(String key) {
    refused(() -> user.resource(node(Map.of(key, "true"))).create());
    String name = create(Map.of());

    refused(() -> label(user, name, key, "true"));
    refused(() -> labelThroughTheStatus(name, key));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "compute.coreweave.com/remove-node",
        "node.coreweave.cloud/pending-state",
        "sunk.coreweave.com/node",
        "sunk.coreweave.com/nodeset",
        "example.com/team",
        "notcoreweave.cloud/bar",
        "coreweave.cloud.example.com/bar",
        "coreweave"
      })
  void aUserMayWriteWhatRealClientsWriteAndLabelsOfOtherDomains(String key) {
    String name = create(Map.of(key, "a"));

    assertThat(label(user, name, key, "b").getMetadata().getLabels()).containsEntry(key, "b");
  }

  @Test
  void whatStandsOnANodeMayStayAndGoButNotChange() {
    String name = "unchanged";
    try (KubernetesClient operator = as(Admission.OPERATOR)) {
      operator.resource(node(name, Map.of(RESERVED, "production", "team", "a"))).create();
    }

    assertThat(label(user, name, "team", "b").getMetadata().getLabels())
        .containsEntry(RESERVED, "production");
    patch(user, name, "{\"spec\": {\"unschedulable\": true}}");
    refused(() -> label(user, name, RESERVED, "triage"));
    user.nodes()
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": null}}}".formatted(RESERVED));
    assertThat(user.nodes().withName(name).get().getMetadata().getLabels())
        .doesNotContainKey(RESERVED);
    refused(() -> label(user, name, RESERVED, "production"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        Admission.OPERATOR,
        Admission.DATA_CENTRE,
        "system:kube-controller-manager",
        "system:kube-scheduler"
      })
  void theOperatorTheDataCentreAndTheClusterItselfMayWriteThem(String account) {
    try (KubernetesClient exempt = as(account)) {
      assertThatCode(() -> exempt.resource(node(Map.of(RESERVED, "a"))).create())
          .doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"system:nodes", "system:serviceaccounts:kube-system"})
  void kubeletsAndControllersMayWriteThem(String group) {
    try (KubernetesClient exempt = as("somebody", group)) {
      assertThatCode(() -> exempt.resource(node(Map.of(RESERVED, "a"))).dryRun(true).create())
          .doesNotThrowAnyException();
    }
  }

  @Test
  void anAccountOfTheSameNameInAnotherNamespaceMayNot() {
    try (KubernetesClient other = as("system:serviceaccount:default:nodepool-operator")) {
      refused(() -> other.resource(node(Map.of(RESERVED, "a"))).create());
    }
  }

  private static final String IMMEDIATE =
      "{\"metadata\": {\"annotations\": {\"nodepool.io/reboot-policy\": \"Immediate\"}}}";

  @Test
  void toEndTheWorkOnANodeNeedsARightOfItsOwn() {
    String name = create(Map.of());
    grant("patcher", "nodes", "get", "patch");
    try (KubernetesClient patcher = limited("patcher", Map.of())) {
      label(patcher, name, "node.coreweave.cloud/pending-state", "production-reboot");
      refusedFor("reboot-immediately", () -> patch(patcher, name, IMMEDIATE));
      patch(patcher, name, IMMEDIATE.replace("Immediate", "WhenIdle"));
      refusedFor("reboot-immediately", () -> patch(patcher, name, IMMEDIATE));
      grant("patcher", "nodes", "reboot-immediately");
      untilAllowed(() -> patch(patcher, name, IMMEDIATE));
    }
    grant("other", "nodes", "get", "patch");
    try (KubernetesClient other = limited("other", Map.of())) {
      label(other, name, "team", "a");
      patch(other, name, IMMEDIATE.replace("\"Immediate\"", "null"));
    }
    assertThat(user.nodes().withName(name).get().getMetadata().getAnnotations())
        .doesNotContainKey("nodepool.io/reboot-policy");
  }

  @Test
  void anAgentOfANodeEndsTheWorkOnThatNodeOnly() {
    String own = create(Map.of());
    String another = create(Map.of());
    grant("agent", "nodes", "get", "patch", "reboot-own-immediately");
    try (KubernetesClient agent = limited("agent", onNode(own));
        KubernetesClient elsewhere = limited("agent", Map.of())) {
      untilAllowed(() -> patch(agent, own, IMMEDIATE));
      refusedFor("reboot-own-immediately", () -> patch(agent, another, IMMEDIATE));
      refusedFor("reboot-own-immediately", () -> patch(elsewhere, another, IMMEDIATE));
    }
  }

  private static final String PENDING_STATE = "node.coreweave.cloud/pending-state";

  /** The annotation alone ends no work: the label beside it does. */
  @Test
  void aRequestBesideTheAnnotationOfAnotherAccountNeedsTheRightToo() {
    String name = create(Map.of());
    user.nodes().withName(name).patch(PatchContext.of(PatchType.JSON_MERGE), IMMEDIATE);
    grant("requester", "nodes", "get", "patch");
    try (KubernetesClient requester = limited("requester", Map.of())) {
      refusedFor(
          "reboot-immediately",
          () -> label(requester, name, PENDING_STATE, "production-powerreset"));
      label(user, name, PENDING_STATE, "production-powerreset");
      refusedFor(
          "reboot-immediately", () -> label(requester, name, PENDING_STATE, "production-reboot"));
      label(requester, name, "team", "a");
      patch(
          requester, name, "{\"metadata\": {\"labels\": {\"%s\": null}}}".formatted(PENDING_STATE));
      patch(requester, name, IMMEDIATE.replace("\"Immediate\"", "null"));
      label(requester, name, PENDING_STATE, "production-reboot");
    }
  }

  @Test
  void theExampleRolesOfTheChartAllowWhatTheyAreFor() {
    String own = create(Map.of());
    String another = create(Map.of());
    Chart chart = Chart.render("");
    List<String> roles =
        Stream.of("reboot-when-idle", "reboot-immediately", "reboot-own-immediately")
            .map(role -> Chart.RELEASE + "-" + role)
            .toList();
    roles.forEach(
        role -> user.resource(chart.get("ClusterRole", role).toString()).serverSideApply());
    bind("waits", roles.get(0));
    bind("forces", roles.get(0));
    bind("forces", roles.get(1));
    bind("agent-of-one", roles.get(0));
    bind("agent-of-one", roles.get(2));
    try (KubernetesClient waits = limited("waits", onNode(own));
        KubernetesClient forces = limited("forces", Map.of());
        KubernetesClient agent = limited("agent-of-one", onNode(own))) {
      untilAllowed(() -> label(waits, own, PENDING_STATE, "production-reboot"));
      patch(waits, own, IMMEDIATE.replace("Immediate", "WhenIdle"));
      waits
          .nodes()
          .withName(own)
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"metadata\": {\"labels\": {\"example.com/through\": \"status\"}}}");
      untilAllowed(() -> patch(forces, another, IMMEDIATE));
      label(forces, another, PENDING_STATE, "production-reboot");
      untilAllowed(() -> patch(agent, own, IMMEDIATE));
      patch(user, another, IMMEDIATE.replace("\"Immediate\"", "null"));
      patch(user, own, IMMEDIATE.replace("\"Immediate\"", "null"));

      refusedFor("reboot-immediately", () -> patch(waits, own, IMMEDIATE));
      refusedFor("reboot-own-immediately", () -> patch(agent, another, IMMEDIATE));
    }
  }

  @Test
  void aKubeletRequestsStatesOfItsOwnNodeOnly() {
    String own = create(Map.of());
    String another = create(Map.of());
    try (KubernetesClient kubelet = as("system:node:" + own, "system:nodes")) {
      label(kubelet, own, "node.coreweave.cloud/pending-state", "production-reboot");
      refusedFor(
          "on its own Node only",
          () -> label(kubelet, another, "node.coreweave.cloud/pending-state", "production-reboot"));
      label(kubelet, another, "example.com/a", "b");
    }
  }

  /** Types that the catalogue maps or may map, by which alerts begin. */
  @ParameterizedTest
  @ValueSource(strings = {"GpuXid79", "KernelDeadlock", "ReadonlyFilesystem", "AddedByAConfigMap"})
  void aConditionThatMayMeanAnAlertNeedsTheRightToReportConditions(String type) {
    String name = ofTheFleet();
    grantRole("requests", "reboot-when-idle");
    try (KubernetesClient requests = limited("requests", Map.of());
        KubernetesClient detector = limited("detector", Map.of())) {
      untilAllowed(() -> condition(requests, name, "PendingPhaseState", "True"));
      // Of such a type others may say that nothing is wrong, and under a domain what they like.
      condition(requests, name, type, "False");
      condition(requests, name, "example.com/" + type, "True");
      refusedFor(CONDITIONS, () -> condition(requests, name, type, "True"));

      grantRole("detector", "reboot-when-idle");
      grantRole("detector", "report-conditions");
      untilAllowed(() -> condition(detector, name, type, "True"));
      condition(requests, name, "PendingPhaseState", "False");
      refusedFor(CONDITIONS, () -> condition(requests, name, type, "False"));
      // Nodes that are not of the fleet are none of the operator's.
      condition(requests, create(Map.of()), type, "True");
    }
  }

  @Test
  void theOperatorsConditionsAndThatANodeIsReadyAreNobodyElses() {
    String name = ofTheFleet();
    grantRole("reports", "reboot-when-idle");
    grantRole("reports", "report-conditions");
    try (KubernetesClient reports = limited("reports", Map.of());
        KubernetesClient requests = limited("requests-too", Map.of());
        KubernetesClient operator = as(Admission.OPERATOR);
        KubernetesClient centre = as(Admission.DATA_CENTRE)) {
      untilAllowed(() -> condition(reports, name, "GpuXid46", "True"));
      for (String type : List.of("CWRegistered", "CWActive", "PhaseState", "CWNodeRemoval")) {
        refusedFor("of the operator", () -> condition(reports, name, type, "False"));
        condition(operator, name, type, "True");
      }
      refusedFor("of the operator", () -> status(reports, name, DryWrite.alert("GPUFallenOffBus")));
      status(operator, name, DryWrite.alert("GPUFallenOffBus"));
      condition(centre, name, "GpuXid79", "True");
      condition(centre, name, "Ready", "False");

      grantRole("requests-too", "reboot-when-idle");
      untilAllowed(() -> condition(requests, name, "PendingPhaseState", "True"));
      refusedFor(CONDITIONS, () -> condition(requests, name, "Ready", "True"));
      refusedFor(
          CONDITIONS,
          () -> status(requests, name, "{\"status\": {\"nodeInfo\": {\"bootID\": \"other\"}}}"));
    }
  }

  @Test
  void aKubeletAndTheNodeControllerWriteTheConditionsOfKubernetes() {
    String own = ofTheFleet();
    String another = ofTheFleet();
    String kubelet = "system:node:" + own;
    String controller = "system:serviceaccount:kube-system:node-controller";
    grantRole(kubelet, "reboot-when-idle");
    grantRole(controller, "reboot-when-idle");
    try (KubernetesClient centre = as(Admission.DATA_CENTRE)) {
      condition(centre, own, "GpuXid79", "True");
    }
    try (KubernetesClient node = limited(kubelet, Map.of(), "system:nodes");
        KubernetesClient nodes =
            limited(controller, Map.of(), "system:serviceaccounts:kube-system")) {
      untilAllowed(() -> condition(node, own, "Ready", "True"));
      condition(node, own, "MemoryPressure", "True");
      status(node, own, "{\"status\": {\"nodeInfo\": {\"bootID\": \"next\"}}}");
      refusedFor(CONDITIONS, () -> condition(node, own, "GpuXid46", "True"));
      refusedFor("its own Node only", () -> condition(node, another, "Ready", "False"));

      untilAllowed(() -> condition(nodes, own, "Ready", "Unknown"));
      condition(nodes, own, "MemoryPressure", "Unknown");
      condition(nodes, own, "NetworkUnavailable", "True");
      refusedFor(CONDITIONS, () -> condition(nodes, own, "GpuXid79", "False"));
    }
  }

  private static final String CONDITIONS =
      "needs the verb report on signalsources.fleet.nodepool.io named conditions";

  private String ofTheFleet() {
    Node node = node(Map.of());
    node.getMetadata().setAnnotations(Map.of("fleet.nodepool.io/host-uid", "u"));
    try (KubernetesClient centre = as(Admission.DATA_CENTRE)) {
      return centre.resource(node).create().getMetadata().getName();
    }
  }

  private static void condition(KubernetesClient client, String node, String type, String status) {
    status(client, node, DryWrite.condition(type, status));
  }

  private static void status(KubernetesClient client, String node, String patch) {
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
  }

  /** Binds a role of the chart that is there to be bound. */
  private void grantRole(String name, String role) {
    String full = Chart.RELEASE + "-" + role;
    user.resource(Chart.render("").get("ClusterRole", full).toString()).serverSideApply();
    bind(name, full);
  }

  private static Node patch(KubernetesClient client, String node, String patch) {
    return client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private static void refusedFor(String what, ThrowingCallable request) {
    KubernetesClientException refusal =
        catchThrowableOfType(KubernetesClientException.class, request);
    assertThat(refusal).as("the request was accepted").isNotNull();
    assertThat(refusal.getCode()).isEqualTo(403);
    assertThat(refusal.getStatus().getMessage())
        .contains("ValidatingAdmissionPolicy")
        .contains(what);
  }

  private static void untilRefused(ThrowingCallable request) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(request));
  }

  private static void untilAllowed(Runnable request) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .ignoreException(KubernetesClientException.class)
        .until(() -> {
          request.run();
          return true;
        });
  }

  /** Grants a user verbs, and waits until they are in force. */
  private void grant(String name, String resource, String... verbs) {
    String role = name + "-" + verbs[0];
    user.resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(role)
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources(resource)
                .withVerbs(verbs)
                .endRule()
                .build())
        .create();
    bind(name, role);
    try (KubernetesClient granted = limited(name, Map.of())) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() ->
              granted
                  .authorization()
                  .v1()
                  .selfSubjectAccessReview()
                  .create(
                      new SelfSubjectAccessReviewBuilder()
                          .withNewSpec()
                          .withNewResourceAttributes()
                          .withResource(resource)
                          .withVerb(verbs[0])
                          .endResourceAttributes()
                          .endSpec()
                          .build())
                  .getStatus()
                  .getAllowed());
    }
  }

  private void bind(String name, String role) {
    user.resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name + "-" + role)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", role)
                .addNewSubject("rbac.authorization.k8s.io", "User", name, null)
                .build())
        .serverSideApply();
  }

  /** What the API server knows of a token that is bound to this Node. */
  private static Map<String, List<String>> onNode(String node) {
    // The name of a header has no slash.
    return Map.of("authentication.kubernetes.io%2fnode-name", List.of(node));
  }

  /** A user who has only the rights that are granted. */
  private KubernetesClient limited(
      String name, Map<String, List<String>> extras, String... groups) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(user.getConfiguration())
                .withImpersonateUsername(name)
                .withImpersonateGroups(groups)
                .withImpersonateExtras(extras)
                .build())
        .build();
  }

  static Stream<Pod> podsWithoutGpu() {
    return Stream.of(
        pod(container()),
        pod(container(), container()),
        pod(asking(Map.of("cpu", new Quantity("1")), Map.of())),
        pod(asking(Map.of(GPU, new Quantity("0")), Map.of(GPU, new Quantity("0")))),
        tolerating(new TolerationBuilder().withKey("other").withOperator("Exists").build()),
        tolerating(
            new TolerationBuilder()
                .withKey("is_cpu_compute")
                .withOperator("Exists")
                .withEffect("NoExecute")
                .build()));
  }

  @ParameterizedTest
  @MethodSource("podsWithoutGpu")
  void aPodThatAsksForNoGpuGetsTheTolerationOnce(Pod pod) {
    List<Toleration> given = pod.getSpec().getTolerations();

    Pod created = user.resource(pod).create();

    assertThat(cpuTolerations(created)).hasSize(1);
    assertThat(created.getSpec().getTolerations()).containsAll(given);
    // A copy of a Pod that has it already.
    Pod copy = pod(container());
    copy.getSpec().setTolerations(created.getSpec().getTolerations());
    assertThat(user.resource(copy).create().getSpec().getTolerations())
        .isEqualTo(created.getSpec().getTolerations());
  }

  static Stream<Toleration> tolerationsOfCpuNodes() {
    return Stream.of(
        new TolerationBuilder().withOperator("Exists").build(),
        new TolerationBuilder().withOperator("Exists").withEffect("NoSchedule").build(),
        new TolerationBuilder().withKey("is_cpu_compute").withOperator("Exists").build(),
        new TolerationBuilder().withKey("is_cpu_compute").withEffect("NoSchedule").build());
  }

  @ParameterizedTest
  @MethodSource("tolerationsOfCpuNodes")
  void aPodThatToleratesCpuNodesByItselfStaysAsItIs(Toleration toleration) {
    Pod created = user.resource(tolerating(toleration)).create();

    assertThat(created.getSpec().getTolerations())
        .filteredOn(each -> each.getTolerationSeconds() == null)
        .hasSize(1);
  }

  static Stream<Pod> podsWithGpu() {
    Map<String, Quantity> one = Map.of(GPU, new Quantity("1"));
    Map<String, Quantity> sunk = Map.of("sunk.coreweave.com/accelerator", new Quantity("1"));
    Pod initially = pod(container());
    initially.getSpec().setInitContainers(List.of(asking(one, one)));
    initially.getSpec().getInitContainers().getFirst().setName("first");
    return Stream.of(
        pod(asking(one, one)),
        pod(asking(Map.of(), one)),
        pod(container(), asking(one, one)),
        pod(asking(sunk, sunk)),
        initially);
  }

  @ParameterizedTest
  @MethodSource("podsWithGpu")
  void aPodThatAsksForAGpuGetsNone(Pod pod) {
    assertThat(cpuTolerations(user.resource(pod).create())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'metadata': {'annotations': {'nodepool.io/pausd': 'true'}}} | The annotation nodepool.io/pausd is not known
          {'metadata': {'annotations': {'nodepool.io/paused': 'true', 'example.com/pausd': 'true'}}} | ''
          {'spec': {'targetNodes': 9, 'maxNodes': 8}}                  | spec.targetNodes is 9, above spec.maxNodes, which is 8
          {'spec': {'targetNodes': 0, 'autoscaling': true, 'maxNodes': 0}} | spec.maxNodes is 0 or left out
          {'spec': {'targetNodes': 0, 'autoscaling': true, 'maxNodes': 8}} | ''
          {'spec': {'nodeLabels': {'kubernetes.io/hostname': 'a'}}}    | The label kubernetes.io/hostname in spec.nodeLabels has no effect
          {'spec': {'nodeLabels': {'node-role.kubernetes.io/worker': ''}}} | ''
          {'spec': {'prefill': {'enabled': true}}}                     | spec.prefill is stored and has no effect yet
          {}                                                           | ''
          """)
  void whoWritesANodePoolIsWarnedOfWhatHasNoEffect(String fields, String warning)
      throws IOException {
    ObjectNode pool =
        (ObjectNode)
            new ObjectMapper()
                .readTree(
                    """
                    {"apiVersion": "compute.coreweave.com/v1alpha1", "kind": "NodePool",
                     "metadata": {"name": "warned"}, "spec": {"instanceType": "turin-gp", "targetNodes": 0}}
                    """);
    new ObjectMapper()
        .setDefaultMergeable(true)
        .readerForUpdating(pool)
        .readTree(fields.replace('\'', '"'));
    HttpResponse<String> answer =
        user.getHttpClient()
            .sendAsync(
                user.getHttpClient()
                    .newHttpRequestBuilder()
                    .uri(
                        user.getConfiguration().getMasterUrl().replaceFirst("/$", "")
                            + "/apis/compute.coreweave.com/v1alpha1/nodepools?dryRun=All")
                    .post("application/json", pool.toString())
                    .build(),
                String.class)
            .join();

    assertThat(answer.code()).as(answer.body()).isEqualTo(201);
    if (warning.isEmpty()) {
      assertThat(answer.headers("Warning")).isEmpty();
    } else {
      assertThat(answer.headers("Warning")).singleElement().asString().contains(warning);
    }
  }

  private static void refused(ThrowingCallable request) {
    KubernetesClientException refusal =
        catchThrowableOfType(KubernetesClientException.class, request);
    assertThat(refusal).as("the request was accepted").isNotNull();
    assertThat(refusal.getCode()).isEqualTo(403);
    assertThat(refusal.getStatus().getMessage())
        .matches("(?s).*: %s The key is [^ ]*[.]".formatted(Pattern.quote(LabelDomains.REFUSAL)));
  }

  /** Somebody who may do everything but for the policies. */
  private KubernetesClient as(String name) {
    return as(name, "system:masters");
  }

  private KubernetesClient as(String name, String group) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(user.getConfiguration())
                .withImpersonateUsername(name)
                .withImpersonateGroups(group, "system:masters")
                .build())
        .build();
  }

  private String create(Map<String, String> labels) {
    return user.resource(node(labels)).create().getMetadata().getName();
  }

  private static Node label(KubernetesClient client, String node, String key, String value) {
    return client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(key, value));
  }

  private void labelThroughTheStatus(String node, String key) {
    user.nodes()
        .withName(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": \"true\"}}}".formatted(key));
  }

  private static Node node(Map<String, String> labels) {
    return node("node-" + NUMBER.incrementAndGet(), labels);
  }

  private static Node node(String name, Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }

  private static Pod tolerating(Toleration toleration) {
    Pod pod = pod(container());
    pod.getSpec().setTolerations(List.of(toleration));
    return pod;
  }

  private static Pod pod(Container... containers) {
    for (int i = 0; i < containers.length; i++) {
      containers[i].setName("c" + i);
    }
    return new PodBuilder()
        .withNewMetadata()
        .withName("pod-" + NUMBER.incrementAndGet())
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withContainers(containers)
        .endSpec()
        .build();
  }

  private static Container container() {
    return new ContainerBuilder().withImage("example.com/work").build();
  }

  private static Container asking(Map<String, Quantity> requests, Map<String, Quantity> limits) {
    return new ContainerBuilder(container())
        .withNewResources()
        .withRequests(requests)
        .withLimits(limits)
        .endResources()
        .build();
  }

  private static List<Toleration> cpuTolerations(Pod pod) {
    return pod.getSpec().getTolerations().stream()
        .filter(toleration -> "is_cpu_compute".equals(toleration.getKey()))
        .filter(toleration -> "NoSchedule".equals(toleration.getEffect()))
        .toList();
  }
}
