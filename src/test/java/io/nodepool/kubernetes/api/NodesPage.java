package io.nodepool.kubernetes.api;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.simulated.cluster.node.SampleNodes;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One complete Node of every instance type. */
final class NodesPage {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final String SHOWN = "gd-8xh100ib-i128";

  private NodesPage() {}

  /** The page, with one Node as a whole. */
  static String text() {
    Markdown page =
        new Markdown("Nodes")
            .paragraph(
                "The first Node of an instance type as it joins from the simulated data centre, in a data centre with one rack of each type and a pool"
                    + " with the name of each. UIDs and times are samples. What other parties add is not here: the operator its conditions"
                    + " [CWActive, CWRegistered, CWNodeRemoval and PendingPhaseState](conditions.md), Kubernetes the Pods' network range and its own"
                    + " annotations, users their [labels, annotations and taints](labels-annotations-taints.md)."
                    + " [The contract](../contract.md#20-found-since-2026-11-22-from-logs-incident-reports-and-newer-code-of-public-clients) says which public clients read which of these values.");
    SampleNodes.all().stream()
        .filter(node -> type(node).equals(SHOWN))
        .forEach(node -> page.heading(SHOWN).block("yaml", YAML.asYaml(node)));
    return page.heading("The other instance types")
        .points(
            SampleNodes.all().stream()
                .map(node -> "[%s](%s)".formatted(type(node), "../../" + file(node)))
                .toList())
        .text();
  }

  /** The Node of each instance type, by the file in which it stands. */
  static Map<Path, String> nodes() {
    return SampleNodes.all().stream()
        .collect(Collectors.toMap(NodesPage::file, YAML::asYaml, (one, _) -> one, TreeMap::new));
  }

  private static Path file(Node node) {
    return Path.of("src", "test", "resources", "nodes", type(node) + ".yaml");
  }

  private static String type(Node node) {
    return node.getMetadata().getLabels().getOrDefault("node.kubernetes.io/instance-type", "");
  }
}
