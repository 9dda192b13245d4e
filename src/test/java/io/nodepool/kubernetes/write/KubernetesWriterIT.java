package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.kubernetes.thread.DecisionThread;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guarantees of the writer, on a real API server. */
@WithLocalCluster
class KubernetesWriterIT {
  private static final Instant NOW = Instant.parse("2026-11-21T05:02:00Z");
  private static final PoolId POOL = new PoolId("writer-pool", "uid-of-writer-pool");
  private static final PoolId OTHER = new PoolId("writer-other", "uid-of-writer-other");

  private final KubernetesClient admin;
  private final RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
  private final KubernetesClient client;
  private final DecisionThread decisions = new DecisionThread("decisions");
  private final FairLanes lanes = new FairLanes(4, Duration.ofSeconds(5));
  private final Writer writer;
  private boolean gateOpen = true;

  KubernetesWriterIT(LocalCluster cluster, KubernetesClient admin) {
    this.admin = admin;
    this.client = Clients.forRequests(Config.fromKubeconfig(cluster.kubeconfig()), meter);
    ApiRequests requests = new ApiRequests(client, () -> gateOpen);
    this.writer =
        new KubernetesWriter(
            requests,
            new HostFleet(requests, lanes, client, OperatorRuntime.NAMESPACE, seen -> {}),
            InstantSource.fixed(NOW),
            lanes,
            decisions,
            subject -> "",
            lost -> {});
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
  }

  @AfterEach
  void cleanUp() {
    admin.resources(HostResource.class).delete();
    admin.resources(NodePool.class).delete();
    admin.nodes().delete();
    admin.v1().events().inNamespace("default").delete();
    lanes.close();
    decisions.close();
    client.close();
  }

  private static Answer<Observation> answer(Consumer<Consumer<Answer<Observation>>> call)
      throws Exception {
    CompletableFuture<Answer<Observation>> answer = new CompletableFuture<>();
    call.accept(answer::complete);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private Answer<Observation> submit(Action action, EventDraft... eventDrafts) throws Exception {
    return answer(consumer -> writer.submit(List.of(eventDrafts), action, consumer));
  }

  private static Action assign(HostId host, int tenancy, PoolId pool) {
    return new Action.OnHost(
        new HostOperation.Assign(
            host,
            tenancy,
            new Assignment(
                pool,
                "default",
                HostOperation.assignId(host, tenancy, pool),
                NOW,
                NodeTemplate.EMPTY),
            "c1"));
  }

  private static Host host(Answer<Observation> answer) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    return ((Observation.HostSeen) ((Answer.Done<Observation>) answer).object()).host();
  }

  private io.fabric8.kubernetes.api.model.Node node(String name) {
    return admin
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToAnnotations(NodeAnnotations.HOST_UID.key(), "h")
                .addToAnnotations(NodeAnnotations.TENANCY.key(), "1")
                .endMetadata()
                .withNewSpec()
                .addNewTaint("NoExecute", "somebody/else", null, "x")
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("SomebodyElse")
                .withStatus("True")
                .withReason("Theirs")
                .endCondition()
                .endStatus()
                .build())
        .create();
  }

  private static Action report(
      io.fabric8.kubernetes.api.model.Node node, Optional<Node.Activity> before, boolean active) {
    Node seen = NodeConversion.node(node).orElseThrow();
    Node last = seen.withStatus(NodeConditions.activity(seen.status(), before));
    ConditionChange activity =
        ConditionChange.active(last, new Node.Activity(active, active ? "busy" : "idle"));
    return Action.WriteNode.report(
        seen,
        NodePurpose.REPORT_ACTIVITY,
        before.isEmpty() ? List.of(ConditionChange.registered(), activity) : List.of(activity));
  }

  @Test
  void aFreeHostIsAssigned() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");

    Host assigned = host(submit(assign(free.id(), 0, POOL)));

    assertThat(assigned.tenancy()).isEqualTo(1);
    assertThat(assigned.isHeldBy(POOL.uid())).isTrue();
    assertThat(assigned.occupancy().configuration()).isEqualTo("c1");
    assertThat(assigned.power()).isEqualTo(Host.Power.ON);
    assertThat(assigned.isBooting()).isTrue();
  }

  @Test
  void aSecondPoolIsRefused() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");
    submit(assign(free.id(), 0, POOL));

    assertThat(submit(assign(free.id(), 0, OTHER))).isInstanceOf(Answer.Refused.class);
    assertThat(submit(assign(free.id(), 1, OTHER))).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void theSameAssignmentAgainSucceeds() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");
    Host first = host(submit(assign(free.id(), 0, POOL)));

    assertThat(host(submit(assign(free.id(), 0, POOL)))).isEqualTo(first);
  }

  @Test
  void aHostThatIsNotFreeIsNotAssigned() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");
    TestCluster.report(admin, "writer-1", HostStatus.Phase.CLEANING, 0);

    assertThat(submit(assign(free.id(), 0, POOL))).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void anotherHostOfTheSameNameIsNotAssigned() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");

    assertThat(submit(assign(new HostId("writer-1", "another-uid"), 0, POOL)))
        .isInstanceOf(Answer.Refused.class);
    assertThat(submit(assign(new HostId("writer-none", free.id().uid()), 0, POOL)))
        .isInstanceOf(Answer.Missing.class);
  }

  @Test
  void anAssignmentIsCancelledOnlyBeforeTheHostRuns() throws Exception {
    Host one = TestCluster.freeHost(admin, "writer-1");
    Host two = TestCluster.freeHost(admin, "writer-2");
    submit(assign(one.id(), 0, POOL));
    submit(assign(two.id(), 0, POOL));
    TestCluster.report(admin, "writer-2", HostStatus.Phase.RUNNING, 1);
    Action cancel =
        new Action.OnHost(
            new HostOperation.Cancel(one.id(), 1, POOL, HostPhase.FREE, Optional.empty()));

    assertThat(host(submit(cancel)).assignment()).isEmpty();
    assertThat(host(submit(cancel)).assignment()).isEmpty();
    assertThat(
            submit(
                new Action.OnHost(
                    new HostOperation.Cancel(two.id(), 1, POOL, HostPhase.FREE, Optional.empty()))))
        .isInstanceOf(Answer.Refused.class);
  }

  @Test
  void aHostIsStoppedAndThenReleased() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");
    submit(assign(free.id(), 0, POOL));
    Action release = new Action.OnHost(new HostOperation.Release(free.id(), 1, POOL));
    assertThat(submit(release)).isInstanceOf(Answer.Refused.class);

    Action stop = new Action.OnHost(new HostOperation.Stop(free.id(), 1, POOL, Optional.empty()));
    assertThat(host(submit(stop)).power()).isEqualTo(Host.Power.OFF);
    assertThat(host(submit(stop)).power()).isEqualTo(Host.Power.OFF);
    Host released = host(submit(release));
    assertThat(released.assignment()).isEmpty();
    assertThat(released.power()).isEqualTo(Host.Power.ON);
    assertThat(host(submit(release))).isEqualTo(released);
    assertThat(submit(stop)).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void aNodesReportIsOneRequestAndKeepsForeignConditions() throws Exception {
    io.fabric8.kubernetes.api.model.Node node = node("writer-1");
    RequestCounts before = meter.counts();

    Answer<Observation> answer = submit(report(node, Optional.empty(), false));

    assertThat(meter.counts().since(before).byKind()).isEqualTo(Map.of("patch nodes/status", 1L));
    assertThat(answer).isInstanceOf(Answer.Done.class);
    io.fabric8.kubernetes.api.model.Node stored = admin.resource(node).get();
    assertThat(stored.getStatus().getConditions())
        .extracting(condition -> condition.getType() + "=" + condition.getStatus())
        .contains("SomebodyElse=True", "CWRegistered=True", "CWActive=False");
    assertThat(stored.getSpec().getTaints()).extracting(Taint::getKey).contains("somebody/else");
  }

  @Test
  void aTransitionTimeChangesOnlyWithTheStatus() throws Exception {
    io.fabric8.kubernetes.api.model.Node node = node("writer-1");
    submit(report(node, Optional.empty(), true));
    patch(
        "writer-1/status",
        """
        {"status":{"conditions":[
          {"type":"CWActive","lastTransitionTime":"2020-01-01T00:00:00Z"}]}}
        """);

    submit(report(node, Optional.of(new Node.Activity(true, "other work")), true));
    assertThat(transition("writer-1")).isEqualTo("2020-01-01T00:00:00Z");
    submit(report(node, Optional.of(new Node.Activity(true, "busy")), false));
    assertThat(transition("writer-1")).isEqualTo(NOW.toString());
  }

  private String transition(String node) {
    return admin.nodes().withName(node).get().getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("CWActive"))
        .findFirst()
        .orElseThrow()
        .getLastTransitionTime();
  }

  @Test
  void aNodeThatWasRecreatedIsNotReportedNorCordonedNorDeleted() throws Exception {
    io.fabric8.kubernetes.api.model.Node gone = node("writer-1");
    admin.resource(gone).delete();
    node("writer-1");

    assertThat(submit(report(gone, Optional.empty(), true))).isInstanceOf(Answer.Refused.class);
    assertThat(submit(cordon(gone))).isInstanceOf(Answer.Refused.class);
    assertThat(submit(new Action.DeleteNode("writer-1", ObjectFacts.uid(gone))))
        .isInstanceOf(Answer.Refused.class);
    assertThat(admin.nodes().withName("writer-1").get().getSpec().getUnschedulable()).isNull();
  }

  private static Action cordon(io.fabric8.kubernetes.api.model.Node seen) {
    return new Action.WriteNode(
        "writer-1",
        ObjectFacts.uid(seen),
        new NodePrecondition.UidAndVersion(ObjectFacts.version(seen)),
        new NodeChange.OfSpec(
            MetadataChange.NONE.recording(
                Optional.of(Disruptions.admitted(CandidateRank.IDLE, Instant.EPOCH, true))),
            NodeChange.Cordoning.CORDON),
        NodePurpose.CORDON_AGAIN);
  }

  @Test
  void deletingADeletedNodeSucceeds() throws Exception {
    String uid = ObjectFacts.uid(node("writer-1"));
    Action delete = new Action.DeleteNode("writer-1", uid);

    Answer<Observation> gone = new Answer.Done<>(new Observation.NodeGone("writer-1", uid, 0));
    assertThat(submit(delete)).isEqualTo(gone);
    assertThat(submit(delete)).isEqualTo(gone);
  }

  @Test
  void aNodeWithAFinalizerStillExists() throws Exception {
    String uid = ObjectFacts.uid(node("writer-1"));
    patch("writer-1", "{\"metadata\":{\"finalizers\":[\"somebody/else\"]}}");

    Answer<Observation> answer = submit(new Action.DeleteNode("writer-1", uid));

    patch(
        "writer-1", "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"somebody/else\"]}}");
    assertThat(answer).isInstanceOf(Answer.Done.class);
    assertThat(((Answer.Done<Observation>) answer).object())
        .isInstanceOf(Observation.NodeSeen.class);
  }

  /**
   * Changes a Node as another client, without a version, so that changes by controllers do not
   * conflict.
   */
  private void patch(String node, String patch) {
    Reply reply =
        new ApiRequests(admin, WriteGate.ALWAYS_OPEN)
            .patch(ApiPaths.node(node), ApiRequests.PatchType.STRATEGIC, patch);
    assertThat(reply).isInstanceOf(Reply.Ok.class);
  }

  private PoolId pool(String name) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = 1;
    pool.setSpec(spec);
    return PoolConversion.id(admin.resource(pool).create());
  }

  private static PoolStatus status(int current) {
    return PoolStatus.NONE
        .withObservedGeneration(1)
        .withCounts(new PoolStatus.NodeCounts(current, current, 0, 0, Optional.empty(), Map.of()))
        .withConfiguration(ConfigurationState.NONE.withProfile("c1"))
        .withNodeMetadata("m1")
        .withConditions(
            Map.of(PoolCondition.VALIDATED, new Condition(ValidatedReason.VALID, "fine", NOW)));
  }

  @Test
  void aStatusKeepsAForeignConditionAndHasZeroCounts() throws Exception {
    PoolId pool = pool("writer-pool");
    foreignCondition();

    Answer<Observation> answer = submit(new Action.PublishStatus(pool, status(3)));

    assertThat(answer).isInstanceOf(Answer.Done.class);
    Observation.PoolSeen seen = (Observation.PoolSeen) ((Answer.Done<Observation>) answer).object();
    assertThat(seen.pool().status()).isEqualTo(status(3));
    NodePool stored = admin.resources(NodePool.class).withName("writer-pool").get();
    assertThat(stored.getStatus().conditions)
        .extracting(condition -> condition.type)
        .containsExactlyInAnyOrder("SomebodyElse", "Validated");
    assertThat(stored.getStatus().queuedNodes).isZero();
    assertThat(stored.getStatus().inProgress).isZero();
  }

  private void foreignCondition() {
    ApiRequests theirs = new ApiRequests(admin, WriteGate.ALWAYS_OPEN);
    Reply reply =
        theirs.patch(
            ApiPaths.pool("writer-pool") + "/status?fieldManager=somebody-else",
            ApiRequests.PatchType.APPLY,
            """
            {"apiVersion":"compute.coreweave.com/v1alpha1","kind":"NodePool",
             "metadata":{"name":"writer-pool"},
             "status":{"conditions":[{"type":"SomebodyElse","status":"True"}]}}
            """);
    assertThat(reply).isInstanceOf(Reply.Ok.class);
  }

  @Test
  void aPoolThatWasRecreatedDoesNotGetTheStatusOfTheOld() throws Exception {
    PoolId gone = pool("writer-pool");
    admin.resources(NodePool.class).withName("writer-pool").delete();
    pool("writer-pool");

    assertThat(submit(new Action.PublishStatus(gone, status(3))))
        .isInstanceOf(Answer.Missing.class);
    assertThat(answer(consumer -> writer.read(new Action.Subject.OfPool(gone), consumer)))
        .isEqualTo(new Answer.Done<>(new Observation.PoolGone(gone, 0)));
  }

  @Test
  void anEventEmittedTwiceIsOneAndIsUpdated() throws Exception {
    io.fabric8.kubernetes.api.model.Node node = node("writer-1");
    EventDraft.Regarding regarding =
        new EventDraft.Regarding(EventTarget.NODE, "writer-1", ObjectFacts.uid(node));
    EventDraft first = new EventDraft(EventReason.NODE_CORDONED, regarding, "removal", "one", 1);
    EventDraft second = new EventDraft(EventReason.NODE_CORDONED, regarding, "removal", "two", 2);
    EventDraft later = new EventDraft(EventReason.NODE_CORDONED, regarding, "another", "again", 1);
    submit(report(node, Optional.empty(), true), first);
    submit(report(node, Optional.empty(), true), second, later);
    RequestCounts before = meter.counts();
    submit(report(node, Optional.empty(), true), second);

    assertThat(meter.counts().since(before).byKind())
        .isEqualTo(Map.of("create events", 1L, "get events", 1L, "patch nodes/status", 1L));
    // The cluster's own controllers emit Events about the Node too.
    List<Event> events =
        admin.v1().events().inNamespace("default").list().getItems().stream()
            .filter(event -> event.getInvolvedObject().getName().equals("writer-1"))
            .filter(event -> event.getReason().equals("CWNodeCordoned"))
            .toList();
    assertThat(events)
        .extracting(event -> event.getMessage() + " " + event.getCount())
        .containsExactlyInAnyOrder("two 2", "again 1");
    Event event = events.getFirst();
    assertThat(event.getType()).isEqualTo("Normal");
    assertThat(event.getInvolvedObject().getKind()).isEqualTo("Node");
    assertThat(event.getReportingComponent()).isEqualTo("nodepool-operator");
  }

  @Test
  void aPoolIsEmptyOnlyWithoutHostsAndNodes() throws Exception {
    PoolId pool = new PoolId("writer-pool", "0f5c2c43-9f9e-4a7c-9c57-1f6a4b0d8f11");
    Host free = TestCluster.freeHost(admin, "writer-1");
    submit(assign(free.id(), 0, pool));
    Answer<Observation> held = submit(new Action.ConfirmEmpty(pool));
    submit(
        new Action.OnHost(
            new HostOperation.Cancel(free.id(), 1, pool, HostPhase.FREE, Optional.empty())));
    node("writer-2");
    label("writer-2", pool.uid());
    Answer<Observation> labelled = submit(new Action.ConfirmEmpty(pool));
    label("writer-2", "x");

    assertThat(held).isEqualTo(new Answer.Refused<>("1 object left: Host writer-1"));
    assertThat(labelled).isEqualTo(new Answer.Refused<>("1 object left: Node writer-2"));
    assertThat(submit(new Action.ConfirmEmpty(pool)))
        .isEqualTo(new Answer.Done<>(new Observation.PoolFoundEmpty(pool)));
  }

  private void label(String node, String poolUid) {
    patch(
        node,
        "{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}"
            .formatted(NodeLabels.NODE_POOL_UID.key(), poolUid));
  }

  @Test
  void withAClosedGateNothingIsWritten() throws Exception {
    Host free = TestCluster.freeHost(admin, "writer-1");
    gateOpen = false;

    RequestCounts before = meter.counts();
    assertThat(submit(assign(free.id(), 0, POOL))).isInstanceOf(Answer.Unavailable.class);
    assertThat(meter.counts().since(before).total()).isZero();
    assertThat(
            host(answer(consumer -> writer.read(new Action.Subject.OfHost(free.id()), consumer))))
        .isEqualTo(free);
  }
}
