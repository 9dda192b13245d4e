package io.nodepool.deploy;

import static io.nodepool.deploy.DryWrite.DRY;
import static io.nodepool.deploy.DryWrite.FOREIGN;
import static io.nodepool.deploy.DryWrite.JOBS;
import static io.nodepool.deploy.DryWrite.LEASES;
import static io.nodepool.deploy.DryWrite.NAMESPACE;
import static io.nodepool.deploy.DryWrite.NODE;
import static io.nodepool.deploy.DryWrite.OURS;
import static io.nodepool.deploy.DryWrite.POD;
import static io.nodepool.deploy.DryWrite.POOL;
import static io.nodepool.deploy.DryWrite.RECORDS;
import static io.nodepool.deploy.DryWrite.added;
import static io.nodepool.deploy.DryWrite.alert;
import static io.nodepool.deploy.DryWrite.annotations;
import static io.nodepool.deploy.DryWrite.condition;
import static io.nodepool.deploy.DryWrite.event;
import static io.nodepool.deploy.DryWrite.json;
import static io.nodepool.deploy.DryWrite.labels;
import static io.nodepool.deploy.DryWrite.lease;
import static io.nodepool.deploy.DryWrite.merge;
import static io.nodepool.deploy.DryWrite.metadata;
import static io.nodepool.deploy.DryWrite.podCondition;
import static io.nodepool.deploy.DryWrite.strategic;
import static io.nodepool.deploy.DryWrite.taint;
import static io.nodepool.deploy.DryWrite.uid;
import static io.nodepool.deploy.DryWrite.without;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiRequests.PatchType;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the policies keep the operator's account from, and others from what is the operator's. All
 * of them may do everything by their rights here, so that nothing but a policy refuses them. No
 * request is stored.
 */
@Tag("local-cluster")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperatorAccountIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final LocalCluster cluster =
      LocalCluster.start(LocalClusterOptions.standard(System.err::println));
  private final KubernetesClient admin = LocalClusterExtension.client(cluster.kubeconfig());
  private final KubernetesClient operator = as(Admission.OPERATOR);

  @BeforeAll
  void install() {
    Crds.install(admin);
    ApiRequests requests = new ApiRequests(admin, () -> true);
    assertThat(DryWrite.setUp(requests))
        .allSatisfy(reply -> assertThat(reply).isInstanceOf(Reply.Ok.class));
    Admission.install(admin, KeyExceptions.NONE);
    // Each policy comes into force by itself, the last one a moment after the first.
    RefusedWrites.toTheOperator().forEach(write -> awaitRefusal(write, operator));
    RefusedWrites.toOthers().forEach(write -> awaitRefusal(write, admin));
  }

  private static void awaitRefusal(DryWrite write, KubernetesClient client) {
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(write.send(client)).as(write.what()).isInstanceOf(Reply.Rejected.class));
  }

  @AfterAll
  void end() {
    operator.close();
    admin.close();
    cluster.close();
  }

  @ParameterizedTest
  @MethodSource("io.nodepool.deploy.RefusedWrites#toTheOperator")
  void theOperatorIsRefused(DryWrite write) {
    assertRefused(write, operator);
  }

  static Stream<DryWrite> allowedToTheOperator() {
    return Stream.of(
        merge(
            "whose a Namespace is",
            NAMESPACE,
            labels("ns.coreweave.cloud/org", "\"control-plane\"")),
        merge(
            "its finalizer",
            POOL,
            metadata("\"finalizers\": [\"example.com/a\", \"compute.coreweave.com/nodepool\"]")),
        merge("a pool's status", POOL + "/status", "{\"status\": {\"currentNodes\": 1}}"),
        merge("a Host's power", ApiPaths.host("host"), "{\"spec\": {\"power\": \"Off\"}}"),
        strategic(
            "that a Pod is disrupted",
            POD + "/status",
            podCondition("DisruptionTarget", "True", "DeletionByNodePool")),
        merge("the cordon", OURS, "{\"spec\": {\"unschedulable\": true}}"),
        merge("the pool's name", OURS, labels("compute.coreweave.com/node-pool", "\"pool\"")),
        merge(
            "whom it is reserved for",
            OURS,
            labels("node.coreweave.cloud/reserved", "\"control-plane\"")),
        merge(
            "a label of the spec", OURS, labels("cks.coreweave.cloud/system-critical", "\"true\"")),
        merge("taking one of the spec off", OURS, labels("team", "null")),
        merge("a role", OURS, labels("node-role.kubernetes.io/worker", "\"\"")),
        merge("an annotation of the spec", OURS, annotations("example.com/owner", "\"a\"")),
        merge("the record of the removal", OURS, annotations("nodepool.io/removal", "\"{}\"")),
        merge(
            "the reason of its cordon",
            OURS,
            annotations("node.coreweave.cloud/cordonReason", "\"ScaleDown\"")),
        merge(
            "the state in which it leaves", OURS, labels("node.coreweave.cloud/state", "\"zap\"")),
        merge(
            "that its Host is out of use",
            OURS,
            labels("node.coreweave.cloud/state", "\"triage\"")),
        merge(
            "the label of a preemption",
            OURS,
            labels("qos.coreweave.cloud/pending-preemption", "\"true\"")),
        merge(
            "the record of the metadata",
            OURS,
            annotations("nodepool.io/applied-metadata", "\"{}\"")),
        json("a taint of the spec", OURS, added("/spec/taints/-", taint("example.com/dedicated"))),
        json(
            "the taint of the reservation",
            OURS,
            added("/spec/taints/-", taint("node.coreweave.cloud/reserved"))),
        without("taking a taint of its own off", "is_gpu"),
        strategic("that it is active", OURS + "/status", condition("CWActive", "True")),
        strategic("that an alert stands", OURS + "/status", alert("GPUFallenOffBus")),
        strategic("that it is registered", OURS + "/status", condition("CWRegistered", "True")),
        strategic(
            "that it is drained",
            OURS + "/status",
            "{\"metadata\": {\"annotations\": {\"nodepool.io/removal\": \"{}\"}}, \"status\": {\"conditions\": [{\"type\": \"CWNodeRemoval\", \"status\": \"True\"}]}}"),
        new DryWrite(
            "deleting a Node of the fleet",
            requests ->
                requests.delete(
                    OURS + DRY,
                    "{\"preconditions\": {\"uid\": \"%s\"}}".formatted(uid(requests, OURS))),
            ""),
        new DryWrite(
            "its Lease", requests -> requests.post(LEASES + DRY, lease("nodepool-operator")), ""),
        new DryWrite(
            "a Job that verifies a machine",
            requests ->
                requests.post(JOBS + DRY, DryWrite.job("nodepool-verify-1", "nodepool-verify-2")),
            ""),
        new DryWrite(
            "an Event",
            requests -> requests.post(ApiPaths.EVENTS + DRY, event("new", "nodepool-operator")),
            ""),
        merge("bringing its Event up to date", ApiPaths.EVENTS + "/ours", "{\"count\": 2}"));
  }

  @ParameterizedTest
  @MethodSource("allowedToTheOperator")
  void theOperatorMayWrite(DryWrite write) {
    assertThat(write.send(operator)).isInstanceOf(Reply.Ok.class);
  }

  @ParameterizedTest
  @MethodSource("io.nodepool.deploy.RefusedWrites#toOthers")
  void othersAreRefusedWhatIsTheOperatorsAndTheFleets(DryWrite write) {
    // An administrator, a kubelet, a controller of the cluster.
    for (String user :
        List.of("kubernetes-admin", "system:node:ours", "system:kube-controller-manager")) {
      try (KubernetesClient other = as(user)) {
        assertRefused(write, other);
      }
    }
  }

  @Test
  void othersMayWriteWhatTheyAlwaysDidAndLeaveTheRecordsAlone() {
    ApiRequests requests = new ApiRequests(admin, () -> true);

    assertThat(
            Stream.of(
                requests.patch(OURS + DRY, PatchType.MERGE, labels("team", "\"b\"")),
                requests.patch(OURS + DRY, PatchType.MERGE, annotations("example.com/a", "\"b\"")),
                requests.patch(OURS + DRY, PatchType.MERGE, metadata("\"finalizers\": []")),
                requests.patch(
                    OURS + "/status" + DRY, PatchType.STRATEGIC, condition("Ready", "True")),
                requests.patch(
                    POOL + DRY,
                    PatchType.MERGE,
                    annotations("nodepool.io/node-affinity", "\"node.coreweave.cloud/rack=1\"")),
                requests.patch(POOL + DRY, PatchType.MERGE, "{\"spec\": {\"targetNodes\": 9}}"),
                requests.patch(
                    NAMESPACE + DRY, PatchType.MERGE, labels("ns.coreweave.cloud/org", "\"a\"")),
                requests.delete(FOREIGN + DRY, "{}")))
        .allSatisfy(reply -> assertThat(reply).isInstanceOf(Reply.Ok.class));
  }

  @Test
  void theDataCentreBringsInNodesWithTheirRecords() {
    try (KubernetesClient centre = as(Admission.DATA_CENTRE)) {
      assertThat(
              new ApiRequests(centre, () -> true)
                  .post(ApiPaths.NODES + DRY, NODE.formatted("new", RECORDS)))
          .isInstanceOf(Reply.Ok.class);
    }
  }

  /** A controller of the cluster checks each expression against the types that it is about. */
  @Test
  void noExpressionSpeaksOfWhatThereIsNot() {
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(
                    admin
                        .admissionRegistration()
                        .v1()
                        .validatingAdmissionPolicies()
                        .list()
                        .getItems())
                .hasSizeGreaterThan(2)
                .allSatisfy(policy -> {
                  assertThat(policy.getStatus()).isNotNull();
                  assertThat(policy.getStatus().getTypeChecking()).isNotNull();
                  assertThat(policy.getStatus().getTypeChecking().getExpressionWarnings())
                      .isEmpty();
                }));
  }

  private static void assertRefused(DryWrite write, KubernetesClient client) {
    Reply reply = write.send(client);
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    Reply.Rejected rejected = (Reply.Rejected) reply;
    assertThat(rejected.code()).isEqualTo(403);
    assertThat(rejected.message()).endsWith(": " + write.refusal());
  }

  /** Somebody who may do everything but for the policies. */
  private KubernetesClient as(String name) {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(admin.getConfiguration())
                .withImpersonateUsername(name)
                .withImpersonateGroups("system:masters")
                .build())
        .build();
  }
}
