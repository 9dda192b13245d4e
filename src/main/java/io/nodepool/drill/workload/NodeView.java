package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.Quantity;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.node.Node;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A Node as a scheduler knows it.
 *
 * @param allocatable by resource, in thousandths of its unit
 */
record NodeView(
    String name,
    SortedMap<String, String> labels,
    List<Taint> taints,
    Map<String, Long> allocatable) {
  private static final Taint CORDONED =
      new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");
  private static final Taint NOT_READY =
      new Taint("node.kubernetes.io/not-ready", "", "NoSchedule");

  NodeView {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
  }

  /** The Node of a machine of this type. */
  static NodeView of(Node node, Host host, InstanceType type, NodeBlueprint blueprint) {
    var joined = blueprint.of(host, type, Instant.EPOCH);
    TreeMap<String, String> labels = new TreeMap<>(joined.getMetadata().getLabels());
    labels.putAll(node.metadata().labels());
    return new NodeView(
        node.name(),
        labels,
        Stream.of(
                node.metadata().taints().stream(),
                node.cordoned() ? Stream.of(CORDONED) : Stream.<Taint>empty(),
                node.ready() ? Stream.<Taint>empty() : Stream.of(NOT_READY))
            .flatMap(each -> each)
            .toList(),
        allocatable(joined));
  }

  /** The Node of a real cluster. */
  static NodeView of(io.fabric8.kubernetes.api.model.Node node) {
    return new NodeView(
        node.getMetadata().getName(),
        new TreeMap<>(node.getMetadata().getLabels()),
        node.getSpec().getTaints().stream()
            .map(each ->
                new Taint(
                    each.getKey(),
                    Objects.requireNonNullElse(each.getValue(), ""),
                    each.getEffect()))
            .toList(),
        allocatable(node));
  }

  /** The Node that such a machine would be in a pool with these labels and taints. */
  static NodeView template(
      Host host,
      InstanceType type,
      NodeBlueprint blueprint,
      Map<String, String> labels,
      List<Taint> taints) {
    var joined = blueprint.of(host, type, Instant.EPOCH);
    TreeMap<String, String> all = new TreeMap<>(joined.getMetadata().getLabels());
    all.putAll(labels);
    return new NodeView(
        "",
        all,
        Stream.concat(Stream.of(type.kindTaint()), taints.stream()).toList(),
        allocatable(joined));
  }

  /** A copy with another name that accepts Pods. */
  NodeView named(String next) {
    return new NodeView(
        next,
        labels,
        taints.stream()
            .filter(taint -> !taint.isSame(CORDONED) && !taint.isSame(NOT_READY))
            .toList(),
        allocatable);
  }

  /** The allocatable amounts of a Node, by resource, in thousandths of its unit. */
  static Map<String, Long> allocatable(io.fabric8.kubernetes.api.model.Node joined) {
    TreeMap<String, Long> allocatable = new TreeMap<>();
    joined
        .getStatus()
        .getAllocatable()
        .forEach((resource, amount) -> allocatable.put(resource, thousandths(amount)));
    return allocatable;
  }

  /** An amount in thousandths of the unit of its resource. */
  static long thousandths(Quantity amount) {
    return amount.getNumericalAmount().movePointRight(3).longValue();
  }
}
