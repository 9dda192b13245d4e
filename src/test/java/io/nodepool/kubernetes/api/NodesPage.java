package io.nodepool.kubernetes.api;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.simulated.cluster.node.SampleNodes;

/** One complete Node of every instance type. */
final class NodesPage {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  private NodesPage() {}

  static String text() {
    Markdown page =
        new Markdown("Nodes")
            .paragraph(
                "The first Node of each instance type as it joins from the simulated data centre, in a data centre with one rack of each type and a pool"
                    + " with the name of each. UIDs and times are samples. What other parties add is not here: the operator its conditions"
                    + " [CWActive, CWRegistered, CWNodeRemoval and PendingPhaseState](conditions.md), Kubernetes the Pods' network range and its own"
                    + " annotations, users their [labels, annotations and taints](labels-annotations-taints.md)."
                    + " [The contract](../contract.md#20-found-since-2026-11-22) says which public clients read which of these values.");
    for (Node node : SampleNodes.all()) {
      page.heading(
              node.getMetadata().getLabels().getOrDefault("node.kubernetes.io/instance-type", ""))
          .block("yaml", YAML.asYaml(node));
    }
    return page.text();
  }
}
