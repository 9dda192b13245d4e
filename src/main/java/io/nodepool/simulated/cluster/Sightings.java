package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.simulated.cluster.node.PodRuns;
import io.nodepool.simulated.cluster.node.PodStart;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts objects of the API to a data centre's observations. An object that cannot be read counts
 * as not observed.
 */
final class Sightings {
  private static final Logger log = LoggerFactory.getLogger(Sightings.class);

  /**
   * A Host.
   *
   * @param unreported whether it has no status yet; it then counts as free
   * @param reclaimRequest the value of its annotation that requests a notice
   * @param bootToLeave the value of its annotation that lets the machine reboot by itself
   */
  record SeenHost(
      Host host,
      boolean unreported,
      Optional<String> reclaimRequest,
      Optional<String> bootToLeave) {}

  private Sightings() {}

  /** A Host of the fleet. */
  static Optional<SeenHost> host(HostResource object) {
    HostStatus status = object.getStatus();
    boolean unreported =
        status == null || (status.phase == null && status.unknownWords().isEmpty());
    if (unreported) {
      HostStatus first = new HostStatus();
      first.phase = HostStatus.Phase.FREE;
      object.setStatus(first);
    }
    return readable("Host " + object.getMetadata().getName(), () -> HostConversion.host(object))
        .map(host ->
            new SeenHost(
                host,
                unreported,
                annotation(object, HostAnnotations.RECLAIM),
                annotation(object, HostAnnotations.REBOOT)));
  }

  private static Optional<String> annotation(HostResource object, HostAnnotations annotation) {
    return Optional.ofNullable(object.getMetadata().getAnnotations())
        .flatMap(all -> Optional.ofNullable(all.get(annotation.key())));
  }

  /** A NodePool. */
  static Optional<Pool> pool(NodePool object) {
    return readable(
        "NodePool " + object.getMetadata().getName(),
        () -> Optional.of(PoolConversion.pool(object)));
  }

  /** A Node; annotations that it lacks are empty text. */
  static SimulatedMachine.SeenNode node(Node object) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.of());
    return new SimulatedMachine.SeenNode(
        ObjectFacts.uid(object),
        ObjectFacts.version(object),
        annotations.getOrDefault(NodeAnnotations.HOST_UID.key(), ""),
        annotations.getOrDefault(NodeAnnotations.TENANCY.key(), ""),
        kubelet(object.getStatus()));
  }

  /** A Node that the cluster's controller marked as not reporting is silent. */
  private static SimulatedMachine.Kubelet kubelet(@Nullable NodeStatus status) {
    if (status == null) {
      return new SimulatedMachine.Kubelet(false, false, "");
    }
    Optional<NodeCondition> ready =
        status.getConditions().stream()
            .filter(condition -> condition.getType().equals("Ready"))
            .findFirst();
    return new SimulatedMachine.Kubelet(
        ready.filter(each -> each.getStatus().equals("True")).isPresent(),
        ready
            .filter(each ->
                each.getStatus().equals("Unknown") && "NodeStatusUnknown".equals(each.getReason()))
            .isPresent(),
        status.getNodeInfo() == null
            ? ""
            : Objects.requireNonNullElse(status.getNodeInfo().getBootID(), ""));
  }

  /** A Pod, if it is bound to a Node. */
  static Optional<SimulatedMachine.SeenPod> pod(io.fabric8.kubernetes.api.model.Pod object) {
    Optional<Pod> pod =
        readable("Pod " + object.getMetadata().getName(), () -> PodConversion.pod(object));
    return pod.map(seen ->
        new SimulatedMachine.SeenPod(
            seen,
            seen.execution().finished()
                    || (seen.execution().started()
                        && seen.deletedAt().isEmpty()
                        && PodRuns.program(object).isEmpty())
                ? Optional.empty()
                : Optional.of(PodStart.of(object)),
            seen.execution().started() ? PodRuns.of(object) : Optional.empty()));
  }

  private static <T> Optional<T> readable(String what, Supplier<Optional<T>> reading) {
    try {
      return reading.get();
    } catch (UnreadableObjectException e) {
      log.warn("{} is ignored: {}", what, e.getMessage());
      return Optional.empty();
    }
  }
}
