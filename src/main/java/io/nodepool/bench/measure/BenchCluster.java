package io.nodepool.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The measured cluster, and what a client outside of the measured processes sees of it. */
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

  /** When a pool was first observed with this number of Nodes and TargetMet; guarded by this. */
  private final Map<String, Long> met = new HashMap<>();

  /** When all Nodes of a pool were first observed in this configuration; guarded by this. */
  private final Map<String, Long> upToDate = new HashMap<>();

  /** The pending configuration of each pool that has one; guarded by this. */
  private final Map<String, String> pending = new HashMap<>();

  private BenchCluster(LocalCluster cluster, Path kubeconfig, Consumer<KubernetesClient> install) {
    this.cluster = cluster;
    this.kubeconfig = kubeconfig;
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    install.accept(client);
    this.pools =
        new KindWatch<>(
            "NodePool",
            watching.resources(NodePool.class),
            SlimStore.identityOnly(NodePool::new),
            this::note,
            _ -> {});
    pools.start();
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
      Path file = options.operator().files().path("kubeconfig");
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

  private synchronized void note(NodePool pool) {
    NodePoolStatus status = pool.getStatus();
    if (status != null && status.currentNodes != null && isTargetMet(status)) {
      met.putIfAbsent(key(pool.getMetadata().getName(), status.currentNodes), System.nanoTime());
    }
    if (status != null) {
      noteConfiguration(pool.getMetadata().getName(), status);
    }
  }

  private synchronized void noteConfiguration(String name, NodePoolStatus status) {
    if (status.pendingNodeConfiguration == null) {
      pending.remove(name);
    } else {
      pending.put(name, status.pendingNodeConfiguration.nodeProfile);
    }
    if (has(status, PoolCondition.NODE_RECONFIGURATION_REQUIRED, "AllNodesUpToDate")) {
      upToDate.putIfAbsent(name + "/" + status.nodeProfile, System.nanoTime());
    }
  }

  private static boolean isTargetMet(NodePoolStatus status) {
    return has(status, PoolCondition.AT_TARGET, "TargetMet");
  }

  private static boolean has(NodePoolStatus status, PoolCondition type, String reason) {
    return status.conditions.stream()
        .anyMatch(
            condition -> type.type().equals(condition.type) && reason.equals(condition.reason));
  }

  private static String key(String pool, int nodes) {
    return pool + "/" + nodes;
  }

  /** When a pool was first observed at this target, on the monotonic clock; empty until then. */
  public synchronized OptionalLong metAt(String pool, int nodes) {
    Long when = met.get(key(pool, nodes));
    return when == null ? OptionalLong.empty() : OptionalLong.of(when);
  }

  /** When all Nodes of a pool were first observed in this configuration; empty until then. */
  public synchronized OptionalLong upToDateAt(String pool, String profile) {
    Long when = upToDate.get(pool + "/" + profile);
    return when == null ? OptionalLong.empty() : OptionalLong.of(when);
  }

  /** Whether this configuration of a pool was last observed as pending. */
  public synchronized boolean isPending(String pool, String profile) {
    return profile.equals(pending.get(pool));
  }

  /** Whether every assigned Host is to boot this configuration next. */
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
    return nodes().stream()
        .flatMap(node -> node.getStatus().getConditions().stream())
        .filter(condition -> condition.getType().equals(NodeCondition.ACTIVE.type()))
        .filter(condition -> condition.getStatus().equals("True"))
        .count();
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

  /** Processor time used so far by a process; zero where it is not available. */
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
