package io.nodepool.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The measured cluster, as a client outside of the measured processes sees it. */
public final class BenchCluster implements AutoCloseable {
  /** The instance type of all machines. */
  static final String TYPE = "gd-8xh100ib-i128";

  private final LocalCluster cluster;
  private final Path kubeconfig;
  private final Config config;
  private final RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final KindWatch<NodePool> pools;

  /** When a pool was first observed with this number of Nodes and TargetMet. */
  private final FirstTimes met = new FirstTimes();

  /** When all Nodes of a pool were first observed in this configuration. */
  private final FirstTimes upToDate = new FirstTimes();

  /** The pending configuration of each pool that has one. */
  private final Map<String, String> pending = new ConcurrentHashMap<>();

  private BenchCluster(LocalCluster cluster, Path kubeconfig, Consumer<KubernetesClient> install) {
    this.cluster = cluster;
    this.kubeconfig = kubeconfig;
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    install.accept(client);
    this.pools = watchPools(this::note);
  }

  /**
   * Starts a cluster, installs what the operator needs and starts the watches.
   *
   * @throws BenchFailure if the kubeconfig cannot be written
   */
  public static BenchCluster start(BenchOptions options) {
    options.progress().accept("Starting a local Kubernetes control plane ...");
    LocalCluster local = LocalCluster.start(options.cluster());
    try {
      Path file = options.operator().files().apply("kubeconfig");
      return new BenchCluster(
          local, Files.writeString(file, local.kubeconfig()), options.install());
    } catch (IOException e) {
      local.close();
      throw BenchFailure.because("The kubeconfig cannot be written: " + e);
    } catch (RuntimeException e) {
      local.close();
      throw e;
    }
  }

  /**
   * Suspends the controller manager and the scheduler (SIGSTOP), so that they do not react to later
   * writes. They are not resumed.
   */
  public void suspendControllers() {
    cluster.suspend(ControlPlaneProgram.CONTROLLER_MANAGER);
    cluster.suspend(ControlPlaneProgram.SCHEDULER);
  }

  /** The kubeconfig of the cluster. */
  Path kubeconfig() {
    return kubeconfig;
  }

  /** The client configuration of the cluster. */
  Config config() {
    return config;
  }

  /** A client for single requests. */
  public KubernetesClient client() {
    return client;
  }

  /** A client for lists and watches. */
  public KubernetesClient watching() {
    return watching;
  }

  /** Watches Nodes. */
  public KindWatch<Node> watchNodes(Consumer<Node> see) {
    return watch("Node", watching.nodes(), Node::new, see);
  }

  /** Watches Hosts. */
  public KindWatch<HostResource> watchHosts(Consumer<HostResource> see) {
    return watch("Host", watching.resources(HostResource.class), HostResource::new, see);
  }

  /** Watches NodePools. */
  public KindWatch<NodePool> watchPools(Consumer<NodePool> see) {
    return watch("NodePool", watching.resources(NodePool.class), NodePool::new, see);
  }

  /**
   * Starts a watch that stores no more than names, and waits until everything is listed.
   *
   * @param see is called with each state of each object, in a thread of the watch
   */
  <T extends HasMetadata> KindWatch<T> watch(
      String kind, Informable<T> what, Supplier<T> empty, Consumer<T> see) {
    KindWatch<T> watch = new KindWatch<>(kind, what, SlimStore.identityOnly(empty), see, _ -> {});
    watch.start();
    watch.listed().join();
    return watch;
  }

  private void note(NodePool pool) {
    NodePoolStatus status = pool.getStatus();
    if (status == null) {
      return;
    }
    String name = pool.getMetadata().getName();
    if (status.currentNodes != null && has(status, PoolCondition.AT_TARGET, "TargetMet")) {
      met.see(name + "/" + status.currentNodes);
    }
    if (status.pendingNodeConfiguration == null) {
      pending.remove(name);
    } else {
      pending.put(name, status.pendingNodeConfiguration.nodeProfile);
    }
    if (has(status, PoolCondition.NODE_RECONFIGURATION_REQUIRED, "AllNodesUpToDate")) {
      upToDate.see(name + "/" + status.nodeProfile);
    }
  }

  private static boolean has(NodePoolStatus status, PoolCondition type, String reason) {
    return status.conditions.stream()
        .anyMatch(
            condition -> type.type().equals(condition.type) && reason.equals(condition.reason));
  }

  /** When a pool was first observed at this target, on the monotonic clock; empty until then. */
  public OptionalLong metAt(String pool, int nodes) {
    return met.at(pool + "/" + nodes);
  }

  /** When all Nodes of a pool were first observed in this configuration; empty until then. */
  public OptionalLong upToDateAt(String pool, String profile) {
    return upToDate.at(pool + "/" + profile);
  }

  /** Whether this configuration of a pool was last observed as pending. */
  public boolean isPending(String pool, String profile) {
    return profile.equals(pending.get(pool));
  }

  /** Whether every assigned Host boots this configuration next. */
  public boolean areStaged(String profile) {
    return hosts().stream()
        .filter(host -> host.getSpec().assignment != null)
        .allMatch(host -> profile.equals(host.getSpec().configuration));
  }

  /** Sets an annotation of a pool. */
  public void annotate(String pool, String key, String value) {
    patch(pool, Map.of("metadata", Map.of("annotations", Map.of(key, value))));
  }

  /** Writes these fields, whatever the pool's version: an operator writes its status meanwhile. */
  private void patch(String pool, Map<String, ?> fields) {
    client
        .resources(NodePool.class)
        .withName(pool)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            client.getKubernetesSerialization().asJson(fields));
  }

  /** Creates a pool. */
  public void createPool(String name, int nodes) {
    createPool(name, nodes, false);
  }

  /** Creates a pool, with the strategy PreferIdle if {@code prefersIdle}. */
  public void createPool(String name, int nodes, boolean prefersIdle) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TYPE;
    spec.targetNodes = nodes;
    if (prefersIdle) {
      spec.lifecycle = new NodePoolSpec.Lifecycle();
      spec.lifecycle.scaleDownStrategy = NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
    }
    pool.setSpec(spec);
    client.resource(pool).create();
  }

  /** Changes a pool's target. */
  public void retarget(String name, int nodes) {
    patch(name, Map.of("spec", Map.of("targetNodes", nodes)));
  }

  /** Requests the deletion of a pool; the operator then removes its Nodes. */
  public void deletePool(String name) {
    client.resources(NodePool.class).withName(name).delete();
  }

  /** Whether a pool of this name exists. */
  public boolean hasPool(String name) {
    return client.resources(NodePool.class).withName(name).get() != null;
  }

  /** All Nodes. */
  public List<Node> nodes() {
    return watching.nodes().list().getItems();
  }

  /** Sends single requests, each once. */
  public ApiRequests api() {
    return new ApiRequests(client, WriteGate.ALWAYS_OPEN);
  }

  /** Reads an object as JSON. */
  public JsonNode read(String path) {
    ApiRequests api = api();
    return switch (api.get(path)) {
      case Reply.Ok ok -> api.parse(ok, JsonNode.class);
      case Reply failed -> throw BenchFailure.because("%s: %s".formatted(path, failed));
    };
  }

  /** The number of Nodes whose CWActive is True. */
  public long busyNodes() {
    return nodes().stream().filter(node -> isTrue(node, NodeCondition.ACTIVE.type())).count();
  }

  /** Whether a condition of a Node is True. */
  public static boolean isTrue(Node node, String type) {
    return node.getStatus().getConditions().stream()
        .anyMatch(
            condition -> condition.getType().equals(type) && condition.getStatus().equals("True"));
  }

  /** All Hosts. */
  public List<HostResource> hosts() {
    return watching.resources(HostResource.class).list().getItems();
  }

  /** All Events about NodePools and Nodes. */
  public List<Event> events() {
    return watching.v1().events().inNamespace("default").list().getItems();
  }

  /** The current metrics of the API server. */
  public MetricsText metrics() {
    return new MetricsText(Objects.requireNonNullElse(watching.raw("/metrics"), ""));
  }

  /** The requests that the measurement itself has sent so far. */
  public RequestCounts requests() {
    return meter.counts();
  }

  /** Processor time used so far by each control plane program, by its name. */
  public Map<String, Duration> processorTimes() {
    Map<String, Duration> times = new TreeMap<>();
    for (ControlPlaneProgram program : ControlPlaneProgram.values()) {
      times.put(program.fileName(), processorTime(cluster.pid(program)));
    }
    return times;
  }

  /** Processor time used so far by a process; zero if it is not available. */
  public static Duration processorTime(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    try (LocalCluster _ = cluster) {
      pools.close();
      client.close();
      watching.close();
    }
  }
}
