package io.nodepool.kubernetes.api;

import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.DATE;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.INTEGER;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.STRING;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.nodepool.kubernetes.api.schema.ApiText;

/**
 * A group of equal Nodes of declared size (contract §1). Cluster-scoped. The columns have the order
 * of contract §6.
 */
@Group("compute.coreweave.com")
@Version("v1alpha1")
@Plural("nodepools")
@ShortNames("np")
@Categories(ApiText.CATEGORY)
@JsonClassDescription(
    "NodePool is a group of Nodes of one instance type. The operator keeps it at the size that its spec says: it asks the fleet for machines,"
        + " brings labels, annotations and taints to their Nodes, and takes Nodes away when they are idle.")
@AdditionalPrinterColumn(name = "Instance Type", type = STRING, jsonPath = ".spec.instanceType")
@AdditionalPrinterColumn(name = "Target", type = INTEGER, jsonPath = NodePool.TARGET)
@AdditionalPrinterColumn(name = "Queued", type = INTEGER, jsonPath = ".status.queuedNodes")
@AdditionalPrinterColumn(name = "InProgress", type = INTEGER, jsonPath = ".status.inProgress")
@AdditionalPrinterColumn(name = "Current", type = INTEGER, jsonPath = ".status.currentNodes")
@AdditionalPrinterColumn(
    name = "Prefill",
    type = INTEGER,
    jsonPath = ".status.prefillNodes",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Validated",
    type = STRING,
    jsonPath = ".status.conditions[?(@.type==\"Validated\")].reason")
@AdditionalPrinterColumn(
    name = "Capacity",
    type = STRING,
    jsonPath = ".status.conditions[?(@.type==\"Capacity\")].reason")
@AdditionalPrinterColumn(
    name = "Quota",
    type = STRING,
    jsonPath = ".status.conditions[?(@.type==\"Quota\")].reason")
@AdditionalPrinterColumn(
    name = "StagedConfig",
    type = STRING,
    jsonPath = ".status.conditions[?(@.type==\"NodeReconfigurationRequired\")].reason")
@AdditionalPrinterColumn(
    name = "AtTarget",
    type = STRING,
    jsonPath = ".status.conditions[?(@.type==\"AtTarget\")].reason",
    priority = 1)
@AdditionalPrinterColumn(
    name = "NotReady",
    type = INTEGER,
    jsonPath = ".status.nodeStates.notReady.count",
    priority = 1)
@AdditionalPrinterColumn(
    name = "UpToDate",
    type = INTEGER,
    jsonPath = ".status.upToDateNodes",
    priority = 1)
@AdditionalPrinterColumn(
    name = "InDisruption",
    type = INTEGER,
    jsonPath = ".status.nodeStates.inDisruption.count",
    priority = 1)
@AdditionalPrinterColumn(name = "Status", type = STRING, jsonPath = ".status.summary.reason")
@AdditionalPrinterColumn(name = "Age", type = DATE, jsonPath = ".metadata.creationTimestamp")
@ValidationRule(
    value = "oldSelf.hasValue() || self.metadata.name.size() <= 63",
    message =
        "the name of a NodePool has at most 63 characters, since its Nodes carry it as a label",
    optionalOldSelf = true)
public class NodePool extends CustomResource<NodePoolSpec, NodePoolStatus> {
  /**
   * The first that exists of {@code spec.targetNodes} and {@code status.targetNodes}: a new target
   * shows at once, and a pool sized in racks shows Nodes. A JSONPath union at the root of the
   * object must be written with two dots.
   */
  static final String TARGET = "..['spec','status'].targetNodes";

  @Override
  @Required
  public NodePoolSpec getSpec() {
    return super.getSpec();
  }
}
