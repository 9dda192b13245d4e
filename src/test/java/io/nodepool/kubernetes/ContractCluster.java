package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.WriterContract;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetContract;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.kubernetes.convert.NamespaceConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.kubernetes.thread.DecisionThread;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.write.KubernetesWriter;
import io.nodepool.local.LocalCluster;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** A real API server as the cluster and the fleet of the contract suites. */
final class ContractCluster implements WriterContract.Cluster, FleetContract.Fleet, AutoCloseable {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final FleetOffer OFFER =
      Fixtures.offer(
          "US-EAST-04A",
          "US-EAST",
          "org",
          new TreeSet<>(List.of(TestCluster.TYPE)),
          new TreeSet<>(),
          new TreeMap<>(Map.of(TestCluster.TYPE, 40)),
          List.of(FleetRelease.whole("ncore-1", List.of())));

  private final KubernetesClient admin;
  private final ContractNodes nodes;
  private final ContractPods pods;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final DecisionThread decisions = new DecisionThread("decisions");
  private final FairLanes lanes = new FairLanes(4, Duration.ofSeconds(5));
  private final HostFleet fleet;
  private final KubernetesWriter writer;
  private final Map<HostId, Host> reported = new ConcurrentHashMap<>();
  private final CompletableFuture<FleetOffer> offer = new CompletableFuture<>();

  ContractCluster(LocalCluster cluster, KubernetesClient admin) {
    this.admin = admin;
    this.nodes = new ContractNodes(admin);
    this.pods = new ContractPods(admin);
    TestCluster.prepare(admin);
    Config config = OperatorAccount.config(Config.fromKubeconfig(cluster.kubeconfig()), admin);
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    ApiRequests requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    this.fleet = new HostFleet(requests, lanes, watching, OperatorRuntime.NAMESPACE, this::observe);
    this.writer =
        new KubernetesWriter(
            requests, fleet, InstantSource.system(), lanes, decisions, subject -> "", lost -> {});
    admin
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(OfferDocument.NAME)
                .withNamespace(OperatorRuntime.NAMESPACE)
                .endMetadata()
                .addToData(OfferDocument.KEY, OfferDocument.write(OFFER))
                .build())
        .serverSideApply();
    fleet.start();
    fleet.listed().join();
  }

  private void observe(Observation seen) {
    switch (seen) {
      case Observation.HostUnreadable(HostId host, long _, String why, String _) ->
          throw new IllegalStateException("Host " + host.name() + " cannot be read: " + why);
      case Observation.OfferSeen(FleetOffer found) -> offer.complete(found);
      case Observation.OfferLost(String why) ->
          offer.completeExceptionally(new IllegalStateException(why));
      case Observation.HostSeen(Host host) ->
          reported.merge(
              host.id(), host, (old, next) -> old.version() > next.version() ? old : next);
      case Observation.HostGone(HostId host, long _) -> reported.remove(host);
      default -> {}
    }
  }

  private static <T> Answer<T> answer(Consumer<Consumer<Answer<T>>> call) {
    CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
    call.accept(answer::complete);
    return answer.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static String newName(String kind) {
    return "contract-" + kind + "-" + NAMES.incrementAndGet();
  }

  @Override
  public Answer<Observation> send(List<EventDraft> eventDrafts, Action action) {
    return answer(consumer -> writer.submit(eventDrafts, action, consumer));
  }

  @Override
  public Answer<Observation> read(Action.Subject subject) {
    return answer(consumer -> writer.read(subject, consumer));
  }

  @Override
  public Answer<Host> perform(HostOperation operation) {
    return answer(consumer -> fleet.perform(operation, consumer));
  }

  @Override
  public Answer<Host> read(HostId host) {
    return answer(consumer -> fleet.read(host, consumer));
  }

  @Override
  public FleetOffer toldOffer() {
    return offer.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join();
  }

  @Override
  public Host observed(Host host) {
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            Optional.ofNullable(reported.get(host.id()))
                .filter(seen -> seen.version() >= host.version())
                .isPresent());
    return Optional.ofNullable(reported.get(host.id())).orElseThrow();
  }

  @Override
  public PoolId newPool() {
    return create(newName("pool"));
  }

  private PoolId create(String name) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = 0;
    pool.setSpec(spec);
    return new PoolId(name, ObjectFacts.uid(admin.resource(pool).create()));
  }

  @Override
  public PoolId recreated(PoolId pool) {
    admin.resources(NodePool.class).withName(pool.name()).delete();
    return create(pool.name());
  }

  @Override
  public Host freeHost() {
    return TestCluster.freeHost(admin, newName("host"));
  }

  @Override
  public Host live(Host host) {
    return HostConversion.host(
            admin.resources(HostResource.class).withName(host.id().name()).require())
        .orElseThrow();
  }

  @Override
  public Node comesUp(Host host) {
    reports(host, HostPhase.RUNNING);
    return nodes.create(live(host));
  }

  @Override
  public void stops(Host host) {
    reports(host, HostPhase.STOPPED);
  }

  @Override
  public void reports(Host host, HostPhase phase) {
    TestCluster.report(
        admin, host.id().name(), HostStatus.Phase.valueOf(phase.name()), host.tenancy());
  }

  @Override
  public void reportsSpot(Host host, Host.Spot spot) {
    HostStatus changed = HostReportConversion.status(host.report().withSpot(spot));
    admin
        .resources(HostResource.class)
        .withName(host.id().name())
        .editStatus(object -> {
          object.getStatus().spot = changed.spot;
          object.getStatus().reclaim = changed.reclaim;
          return object;
        });
  }

  @Override
  public void reportsBoot(Host host, Host.Boot boot) {
    admin
        .resources(HostResource.class)
        .withName(host.id().name())
        .editStatus(object -> {
          Host live = HostConversion.host(object).orElseThrow();
          object.setStatus(HostReportConversion.status(live.report().withBoot(boot)));
          return object;
        });
  }

  @Override
  public Optional<Node> live(Node node) {
    return nodes.find(node.name());
  }

  @Override
  public Node atRest(Node node) {
    return nodes.atRest(node);
  }

  @Override
  public NodeMetadata metadata(Node node) {
    return nodes.metadata(node);
  }

  @Override
  public void editNode(Node node, UnaryOperator<NodeMetadata> edit) {
    nodes.edit(node, edit);
  }

  @Override
  public boolean foreignFactsKept(Node node) {
    return nodes.foreignFactsKept(node);
  }

  @Override
  public void addForeignCondition(PoolId pool) {
    admin
        .resources(NodePool.class)
        .withName(pool.name())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status":{"conditions":[{"type":"SomebodyElse","status":"True","reason":"Theirs",\
            "message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
            """);
  }

  @Override
  public boolean foreignConditionKept(PoolId pool) {
    return Optional.ofNullable(stored(pool).getStatus().conditions).orElse(List.of()).stream()
        .anyMatch(condition -> condition.type.equals("SomebodyElse"));
  }

  @Override
  public PoolStatus status(PoolId pool) {
    NodePool stored = stored(pool);
    return stored.getStatus() == null ? PoolStatus.NONE : PoolConversion.status(stored.getStatus());
  }

  private NodePool stored(PoolId pool) {
    return admin.resources(NodePool.class).withName(pool.name()).require();
  }

  @Override
  public Namespace newNamespace() {
    return NamespaceConversion.namespace(
        admin
            .resource(
                new NamespaceBuilder()
                    .withNewMetadata()
                    .withName(newName("namespace"))
                    .endMetadata()
                    .build())
            .create());
  }

  @Override
  public void label(Namespace namespace, String organization) {
    admin
        .namespaces()
        .withName(namespace.name())
        .edit(stored ->
            new NamespaceBuilder(stored)
                .editMetadata()
                .addToLabels(NamespaceLabels.ORGANIZATION.key(), organization)
                .endMetadata()
                .build());
  }

  /** Creates a Namespace as kubectl does, and labels it with the request of earlier versions. */
  Namespace labelledByEarlierVersion() {
    String name = newName("namespace");
    ApiRequests requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    requests.post(
        "/api/v1/namespaces?fieldManager=kubectl-create",
        """
        {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}
        """
            .formatted(name));
    String label = "/metadata/labels/" + NamespaceLabels.ORGANIZATION.key().replace("/", "~1");
    Reply reply =
        requests.patch(
            ApiPaths.namespace(name),
            ApiRequests.PatchType.JSON,
            new JsonPatch().testAbsent(label).set(label, NamespaceLabels.CONTROL_PLANE).json());
    if (!(reply instanceof Reply.Ok)) {
      throw new IllegalStateException("not labelled: " + reply);
    }
    return NamespaceConversion.namespace(admin.namespaces().withName(name).require());
  }

  /** Applies the label as another client, by server-side apply. */
  void applyLabel(Namespace namespace, String organization) {
    admin
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace.name())
                .addToLabels(NamespaceLabels.ORGANIZATION.key(), organization)
                .endMetadata()
                .build())
        .fieldManager("somebody")
        .serverSideApply();
  }

  @Override
  public Namespace live(Namespace namespace) {
    return NamespaceConversion.namespace(admin.namespaces().withName(namespace.name()).require());
  }

  @Override
  public Pod newPod(Node node) {
    return pods.create(newName("pod"), node.name());
  }

  @Override
  public void finish(Pod pod) {
    pods.finish(pod);
  }

  @Override
  public String guard(Pod pod) {
    return pods.guard(pod);
  }

  @Override
  public void guardAgain(Pod pod) {
    pods.guard(pod, "second-budget-of-" + pod.name());
  }

  @Override
  public Optional<Pod> live(Pod pod) {
    return pods.live(pod);
  }

  @Override
  public boolean isDisrupted(Pod pod) {
    return pods.isDisrupted(pod);
  }

  @Override
  public List<String> messages(EventReason reason, String uid) {
    return admin.v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getReason().equals(reason.word()))
        .filter(event -> event.getInvolvedObject().getUid().equals(uid))
        .map(Event::getMessage)
        .toList();
  }

  @Override
  public void close() {
    fleet.close();
    admin.resources(HostResource.class).delete();
    admin.resources(NodePool.class).delete();
    pods.delete();
    admin.nodes().delete();
    admin.v1().events().inNamespace("default").delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    lanes.close();
    decisions.close();
    client.close();
    watching.close();
  }
}
