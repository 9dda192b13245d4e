package io.nodepool.kubernetes.convert;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.NodeTaint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Converts the labels, annotations and taints that Nodes must have, to records and back. */
final class NodeTemplates {
  private NodeTemplates() {}

  static NodeTemplate template(HostSpec.@Nullable NodeMetadataSpec metadata) {
    return metadata == null
        ? NodeTemplate.EMPTY
        : NodeTemplate.decided(
            new TreeMap<>(metadata.labels),
            new TreeMap<>(metadata.annotations),
            taints(metadata.taints));
  }

  static NodeTemplate template(
      Map<String, String> labels, Map<String, String> annotations, List<NodeTaint> taints) {
    return new NodeTemplate(new TreeMap<>(labels), new TreeMap<>(annotations), taints(taints));
  }

  private static List<Taint> taints(List<NodeTaint> taints) {
    return taints.stream().map(NodeTemplates::taint).toList();
  }

  private static Taint taint(NodeTaint taint) {
    return new Taint(taint.key, ObjectFacts.orEmpty(taint.value), taint.effect);
  }

  static HostSpec.@Nullable NodeMetadataSpec metadata(NodeTemplate template) {
    if (template.equals(NodeTemplate.EMPTY)) {
      return null;
    }
    HostSpec.NodeMetadataSpec metadata = new HostSpec.NodeMetadataSpec();
    metadata.labels = new TreeMap<>(template.labels());
    metadata.annotations = new TreeMap<>(template.annotations());
    metadata.taints = template.taints().stream().map(NodeTemplates::taint).toList();
    return metadata;
  }

  private static NodeTaint taint(Taint taint) {
    NodeTaint object = new NodeTaint();
    object.key = taint.key();
    object.value = ObjectFacts.orAbsent(taint.value());
    object.effect = taint.effect();
    return object;
  }
}
