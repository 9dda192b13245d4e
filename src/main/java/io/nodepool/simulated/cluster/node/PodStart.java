package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.nodepool.simulated.FleetAction;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a Pod's spec that its status shows: the names and images of its containers. Kept
 * only until the Pod runs, unless they end by themselves.
 *
 * @param before the init containers, in their order
 * @param main the containers
 */
public record PodStart(boolean hostNetwork, List<Program> before, List<Program> main) {
  /**
   * A container.
   *
   * @param stays whether it runs as long as the Pod; such an init container is a sidecar
   */
  record Program(String name, String image, boolean stays) {}

  /** The start of a Pod that does not run yet. */
  public static PodStart of(Pod pod) {
    return new PodStart(
        Boolean.TRUE.equals(pod.getSpec().getHostNetwork()),
        programs(pod.getSpec().getInitContainers(), false),
        programs(pod.getSpec().getContainers(), true));
  }

  private static List<Program> programs(@Nullable List<Container> containers, boolean main) {
    return Stream.ofNullable(containers)
        .flatMap(List::stream)
        .map(each ->
            new Program(
                each.getName(),
                Objects.requireNonNullElse(each.getImage(), ""),
                main || "Always".equals(each.getRestartPolicy())))
        .toList();
  }

  /**
   * The Pod as its kubelet reports it once it runs: identity and status only, for a strategic merge
   * patch. The UID makes the API server refuse it for another Pod of the same name.
   */
  public Pod running(FleetAction.PodId pod, String nodeName, Instant now) {
    String uid = pod.uid();
    String at = now.truncatedTo(ChronoUnit.SECONDS).toString();
    String hostAddress = Addresses.ofNode(nodeName);
    String address = hostNetwork ? hostAddress : Addresses.ofPod(uid);
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(pod.namespace())
        .withName(pod.name())
        .withUid(uid)
        .endMetadata()
        .withNewStatus()
        .withPhase("Running")
        .withStartTime(at)
        .withHostIP(hostAddress)
        .withHostIPs(new HostIP(hostAddress))
        .withPodIP(address)
        .withPodIPs(new PodIP(address))
        .withConditions(
            Stream.of("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
                .map(type -> isTrue(type, at))
                .toList())
        .withInitContainerStatuses(before.stream().map(each -> status(each, uid, at)).toList())
        .withContainerStatuses(main.stream().map(each -> status(each, uid, at)).toList())
        .endStatus()
        .build();
  }

  private static PodCondition isTrue(String type, String at) {
    return new PodConditionBuilder()
        .withType(type)
        .withStatus("True")
        .withLastTransitionTime(at)
        .build();
  }

  private static ContainerStatus status(Program program, String uid, String at) {
    return of(program, uid)
        .withReady(true)
        .withStarted(program.stays())
        .withRestartCount(0)
        .withState(program.stays() ? runs(at) : completed(at))
        .build();
  }

  /** The status of a container, but for what becomes of it. */
  static ContainerStatusBuilder of(Program program, String uid) {
    return new ContainerStatusBuilder()
        .withName(program.name())
        .withImage(program.image())
        .withImageID(program.image())
        .withContainerID("containerd://" + uid.replace("-", "") + "-" + program.name());
  }

  static ContainerState runs(String at) {
    return new ContainerStateBuilder().withNewRunning(at).build();
  }

  private static ContainerState completed(String at) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(0)
        .withReason("Completed")
        .withStartedAt(at)
        .withFinishedAt(at)
        .endTerminated()
        .build();
  }
}
