package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.vocabulary.condition.RegistrationReason;
import io.nodepool.vocabulary.metadata.KeyWriter;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The Node that a running Host joins as, complete in one object: labels, taints and status exist
 * from the start, so that no later patch is needed. Pure.
 *
 * @param offer the fleet's offer, whose whole configurations name the GPU driver
 * @param cluster name of the cluster that the Nodes join
 * @param kubeletVersion the version of Kubernetes that the Node of a whole configuration reports
 * @param withAddress whether the Node has an InternalIP
 */
public record NodeBlueprint(
    FleetOffer offer, String cluster, String kubeletVersion, boolean withAddress) {
  private static final Pattern DRIVER = Pattern.compile("driver v?([0-9][0-9.]*)");
  private static final String DEFAULT_DRIVER = "580.65.06";
  private static final String WHOLE_KERNEL = "6.8.0-60-generic";
  private static final String WHOLE_IMAGE = "Simulated machine";
  private static final String GPU_RESOURCE = "nvidia.com/gpu";
  private static final String INFINIBAND_RESOURCE = "rdma/ib";

  /** The kubelet's default for {@code memory.available}, 100 Mi, below which it evicts Pods. */
  private static final long EVICTION_RESERVE_KI = 100 * 1024L;

  /**
   * The Node of an assigned Host that runs.
   *
   * @param now the time of its kubelet's first report
   */
  public Node of(Host host, InstanceType type, Instant now) {
    // The facts of the machine override the labels of the pool's spec.
    NodeTemplate template =
        host.assignment().map(Assignment::node).orElse(NodeTemplate.EMPTY).permitted();
    Map<String, String> labels = new TreeMap<>(template.labels());
    labels.putAll(facts(host, type));
    Map<String, String> annotations = new TreeMap<>(template.annotations());
    annotations.put(NodeAnnotations.TENANCY.key(), Integer.toString(host.tenancy()));
    annotations.put(NodeAnnotations.HOST_UID.key(), host.id().uid());
    annotations.put(NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(template));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(host.id().name())
        .withLabels(labels)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withProviderID("nodepool://" + host.machine().location().zone() + "/" + host.id().name())
        .withTaints(taints(host, type, template))
        .endSpec()
        .withStatus(status(host, type, now))
        .build();
  }

  private Map<String, String> facts(Host host, InstanceType type) {
    Map<String, String> labels = MachineLabels.of(host, type, offer, driver(host));
    labels.put(NodeLabels.CLUSTER.key(), cluster);
    return labels;
  }

  /** The labels of a Host's Node that only its fleet writes. */
  public Map<String, String> ownLabels(Host host, InstanceType type) {
    Map<String, String> labels = facts(host, type);
    for (NodeLabels label : NodeLabels.values()) {
      if (!label.writers().equals(Set.of(KeyWriter.FLEET))) {
        labels.remove(label.key());
      }
    }
    return labels;
  }

  /**
   * The parts of a Node that show the configuration that its machine booted into.
   *
   * @param driverLabel the value of the label with the version of the GPU driver; empty text for a
   *     machine without GPUs
   */
  public record Booted(NodeSystemInfo info, String driverLabel) {}

  /** The parts of a Host's Node that show its present boot. */
  public Booted booted(Host host, InstanceType type) {
    return new Booted(info(host, type), type.isGpu() ? driver(host) : "");
  }

  private static Optional<ConfigurationContents> contents(Host host) {
    return ConfigurationContents.of(host.report().bootedConfiguration());
  }

  private String driver(Host host) {
    return contents(host)
        .map(ConfigurationContents::gpuDriver)
        .orElseGet(() -> driverOfWhole(host));
  }

  private String driverOfWhole(Host host) {
    return offer.release(host.report().bootedConfiguration()).stream()
        .flatMap(release ->
            release instanceof FleetRelease.Whole whole
                ? whole.configuration().summary().stream()
                : Stream.<String>of())
        .map(DRIVER::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1))
        .findFirst()
        .orElse(DEFAULT_DRIVER);
  }

  /** The taints of its kind, of its reservation and of the pool's spec. */
  private static List<Taint> taints(Host host, InstanceType type, NodeTemplate template) {
    return Stream.of(
            Stream.of(type.kindTaint()),
            MachineLabels.reservation(host).stream(),
            template.taints().stream())
        .flatMap(taints -> taints)
        .map(NodeBlueprint::taint)
        .toList();
  }

  private static Taint taint(io.nodepool.fleet.Taint taint) {
    return new TaintBuilder()
        .withKey(taint.key())
        .withValue(taint.value().isEmpty() ? null : taint.value())
        .withEffect(taint.effect())
        .build();
  }

  private NodeStatus status(Host host, InstanceType type, Instant now) {
    return new NodeStatusBuilder()
        .withCapacity(resources(type, 0))
        .withAllocatable(resources(type, EVICTION_RESERVE_KI))
        .withConditions(conditions(now))
        .withNodeInfo(info(host, type))
        .withAddresses(addresses(host.id().name()))
        .withNewDaemonEndpoints()
        .withNewKubeletEndpoint(10250)
        .endDaemonEndpoints()
        .build();
  }

  private List<NodeAddress> addresses(String name) {
    NodeAddress hostname = new NodeAddress(name, "Hostname");
    return withAddress
        ? List.of(new NodeAddress(Addresses.ofNode(name), "InternalIP"), hostname)
        : List.of(hostname);
  }

  /**
   * The resources of a Node.
   *
   * @param reservedKi memory that Pods cannot use, in Ki
   */
  private static Map<String, Quantity> resources(InstanceType type, long reservedKi) {
    Map<String, Quantity> resources = new TreeMap<>();
    resources.put("cpu", new Quantity(Integer.toString(type.resources().processor().vcpus())));
    resources.put("memory", new Quantity(type.resources().memoryKi() - reservedKi + "Ki"));
    resources.put("ephemeral-storage", new Quantity(type.resources().ephemeralStorageKi() + "Ki"));
    resources.put("pods", new Quantity(Integer.toString(type.resources().maxPods())));
    if (type.isGpu()) {
      resources.put(GPU_RESOURCE, new Quantity(Integer.toString(type.gpus().count())));
    }
    if (type.resources().rdmaIb() > 0) {
      resources.put(INFINIBAND_RESOURCE, new Quantity(Integer.toString(type.resources().rdmaIb())));
    }
    return resources;
  }

  private static List<NodeCondition> conditions(Instant now) {
    String at = at(now);
    List<NodeCondition> conditions =
        new ArrayList<>(
            List.of(
                condition(
                    at,
                    io.nodepool.vocabulary.condition.NodeCondition.KERNEL_DEADLOCK.type(),
                    "False",
                    "KernelHasNoDeadlock",
                    "kernel has no deadlock"),
                condition(
                    at,
                    io.nodepool.vocabulary.condition.NodeCondition.PHASE_STATE.type(),
                    "True",
                    Reservation.PRODUCTION,
                    "Node is in phase production"),
                condition(
                    at,
                    io.nodepool.vocabulary.condition.NodeCondition.REGISTERED.type(),
                    "False",
                    RegistrationReason.NOT_REGISTERED.word(),
                    "Node has joined the cluster; its pool has not registered it yet.")));
    conditions.addAll(kubeletConditions(now));
    return conditions;
  }

  /** The conditions that the kubelet of a healthy Node reports. */
  public static List<NodeCondition> kubeletConditions(Instant now) {
    String at = at(now);
    return List.of(
        condition(
            at,
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available"),
        condition(
            at,
            "DiskPressure",
            "False",
            "KubeletHasNoDiskPressure",
            "kubelet has no disk pressure"),
        condition(
            at,
            "PIDPressure",
            "False",
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available"),
        condition(at, "Ready", "True", "KubeletReady", "kubelet is posting ready status"));
  }

  /** The Ready condition of a Node whose machine shuts down. */
  public static NodeCondition shuttingDown(Instant now) {
    return condition(at(now), "Ready", "False", "KubeletNotReady", "node is shutting down");
  }

  /** The Ready condition of a Node that has booted and does not become Ready. */
  public static NodeCondition withoutNetwork(Instant now) {
    return condition(
        at(now),
        "Ready",
        "False",
        "KubeletNotReady",
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady");
  }

  private static String at(Instant now) {
    return now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static NodeCondition condition(
      String at, String type, String status, String reason, String message) {
    return new NodeCondition(at, at, message, reason, status, type);
  }

  private NodeSystemInfo info(Host host, InstanceType type) {
    Optional<ConfigurationContents> contents = contents(host);
    return new NodeSystemInfoBuilder()
        .withArchitecture(type.resources().processor().architecture())
        .withBootID(host.report().bootId())
        .withContainerRuntimeVersion("containerd://2.1.4")
        .withKernelVersion(contents.map(ConfigurationContents::kernel).orElse(WHOLE_KERNEL))
        .withKubeProxyVersion("")
        .withKubeletVersion(contents.map(ConfigurationContents::kubernetes).orElse(kubeletVersion))
        .withMachineID(host.id().uid().replace("-", ""))
        .withOperatingSystem("linux")
        .withOsImage(contents.map(ConfigurationContents::image).orElse(WHOLE_IMAGE))
        .withSystemUUID(host.id().uid())
        .build();
  }
}
