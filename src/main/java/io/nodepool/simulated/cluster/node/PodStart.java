package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a Pod's spec that its status shows: the names and images of its containers. Kept
 * until the Pod runs, and then only if its containers will end.
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
}
