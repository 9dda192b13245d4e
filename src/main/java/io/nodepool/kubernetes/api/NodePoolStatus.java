package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.PoolConfigurationStatus.NodeConfigurationRevision;
import io.nodepool.kubernetes.api.PoolConfigurationStatus.NodeConfigurationStatus;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.vocabulary.NotActedOn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of a pool (contract §3). Without defaults, so that a client that applies a
 * part owns that part only.
 */
@JsonClassDescription("What the pool is, as the operator last saw it.")
public class NodePoolStatus implements ApiPart {
  @JsonPropertyDescription(
      "What the spec asks for, in Nodes: targetNodes, or 18 for each of targetRacks.")
  @Min(0)
  public @Nullable Integer targetNodes;

  @JsonPropertyDescription(
      "Nodes of the pool in the cluster: registered, and counted until the Node object is gone, also while they reboot, drain or are not"
          + " ready.")
  @Min(0)
  public @Nullable Integer currentNodes;

  @JsonPropertyDescription("Machines assigned to the pool whose Nodes have not registered yet.")
  @Min(0)
  public @Nullable Integer inProgress;

  @JsonPropertyDescription("The same number as inProgress, for clients that look for it here.")
  @Min(0)
  public @Nullable Integer inProgressNodes;

  @JsonPropertyDescription("Nodes that are asked for and wait for a machine.")
  @Min(0)
  public @Nullable Integer queuedNodes;

  @JsonPropertyDescription(
      "Replacements that are there or on their way before the Nodes that they replace have gone; none, as long as prefill is not acted on.")
  @Min(0)
  @NotActedOn
  public @Nullable Integer prefillNodes;

  @JsonPropertyDescription("The same counts in racks; for types that come in racks only.")
  public @Nullable RackStatus rackStatus;

  @JsonPropertyDescription(
      "Specific to this operator: Nodes that are not Ready, not in service or in disruption. A Node may be in several of these, and counts in currentNodes"
          + " all the same.")
  public @Nullable NodeStatesStatus nodeStates;

  @JsonPropertyDescription("Identifier of the active configuration: the one that Nodes boot into.")
  @Size(max = 255)
  public @Nullable String nodeProfile;

  @JsonPropertyDescription(
      "Specific to this operator: Nodes that are booted into the active configuration.")
  @Min(0)
  public @Nullable Integer upToDateNodes;

  @JsonPropertyDescription(
      "The configuration that a user may promote to the active one; absent if there is none.")
  public @Nullable NodeConfigurationStatus pendingNodeConfiguration;

  @JsonPropertyDescription(
      "The configurations that are or were active, oldest first. One of them may be gone back to.")
  @Size(max = 256)
  @KeyedBy("nodeProfile")
  public List<NodeConfigurationRevision> nodeConfigurationRevisions = new ArrayList<>();

  @JsonPropertyDescription(
      "Specific to this operator: which inputs the configurations above take into account, and the rollout of the active one.")
  public @Nullable PoolConfigurationStatus configuration;

  @JsonPropertyDescription(
      "Written by earlier versions only: fingerprint of the nodeLabels, nodeAnnotations and nodeTaints that the Nodes are being brought to.")
  @Size(max = 63)
  public @Nullable String nodeMetadata;

  @JsonPropertyDescription(
      "Written by earlier versions only: the request for growth that this pool last made.")
  public @Nullable GrowthStatus growth;

  @JsonPropertyDescription(
      "Written by earlier versions only: the Nodes that are being removed, in numbers. A batch begins when the first Node is chosen and ends when none is on its way"
          + " out any more; the last one stays.")
  public @Nullable RemovalStatus removal;

  @JsonPropertyDescription(
      "Specific to this operator: the Nodes whose machines did not come back from their reboots, and what holds them back from leaving.")
  public @Nullable FailedRebootsStatus failedReboots;

  @JsonPropertyDescription(
      "Specific to this operator: the repairs of machines with alerts, and what holds them back.")
  public @Nullable RepairsStatus repairs;

  @JsonPropertyDescription(
      "Specific to this operator: says that workingMemory has it, so that an earlier version reads nothing of this status instead of half of it. Earlier"
          + " versions wrote here what the Events of the pool depend on.")
  public @Nullable Object eventState;

  @JsonPropertyDescription(
      "Specific to this operator: the metadata.generation that this status was computed from.")
  @Min(0)
  public @Nullable Long observedGeneration;

  @JsonPropertyDescription(
      "Validated, Capacity, Quota, AtTarget and NodeReconfigurationRequired, and NodesRemoved while the pool is being deleted. Conditions of"
          + " other owners are kept.")
  @Size(max = 64)
  @KeyedBy("type")
  public List<StatusCondition> conditions = new ArrayList<>();

  @JsonPropertyDescription(
      "Specific to this operator: what matters most about the pool, as the column STATUS shows it.")
  public @Nullable SummaryStatus summary;

  @JsonPropertyDescription(
      "Specific to this operator, for it alone: what it has to remember about the pool and nothing else here says, such as its place in the line for machines, and"
          + " which Events were emitted.")
  @Size(max = 8192)
  public @Nullable String workingMemory;

  /** The most important fact about a pool. */
  public static class SummaryStatus implements ApiPart {
    @JsonPropertyDescription(
        "One word, such as OverQuota: the first that holds of those in docs/reference/conditions.md.")
    @Size(max = 63)
    public @Nullable String reason;

    @JsonPropertyDescription("A sentence about it.")
    @Size(max = 1024)
    public @Nullable String message;
  }

  /** A pool's counts in racks. */
  public static class RackStatus implements ApiPart {
    @JsonPropertyDescription("Racks that the pool is to have.")
    @Min(0)
    public @Nullable Integer target;

    @JsonPropertyDescription("Racks all of whose Nodes are in the cluster.")
    @Min(0)
    public @Nullable Integer current;

    @JsonPropertyDescription("Racks that are asked for and wait for machines.")
    @Min(0)
    public @Nullable Integer queued;
  }

  /**
   * A growth request. A pool makes a new one for each increase of its target, and keeps it when the
   * target falls.
   */
  public static class GrowthStatus implements ApiPart {
    @JsonPropertyDescription(
        "When the pool asked; among equal priorities the earlier is served first.")
    @DateTime
    public @Nullable String askedAt;

    @JsonPropertyDescription("The target in Nodes that the pool asked for.")
    @Min(0)
    public @Nullable Integer target;

    @JsonPropertyDescription(
        "The target in Nodes that the quota was granted for; kept when the quota is lowered later.")
    @Min(0)
    public @Nullable Integer granted;

    @JsonPropertyDescription(
        "The most Nodes that the pool had of its present target; those missing of them are being replaced, and a rollout counts them as unavailable.")
    @Min(0)
    public @Nullable Integer reached;
  }

  /** The Nodes that a pool is removing. */
  public static class RemovalStatus implements ApiPart {
    @JsonPropertyDescription("Number of the batch, from 1.")
    @Min(0)
    public @Nullable Integer batch;

    @JsonPropertyDescription("How often a Node was chosen in the batch.")
    @Min(0)
    public @Nullable Integer chosen;

    @JsonPropertyDescription("How often the operator cordoned a Node of the batch.")
    @Min(0)
    public @Nullable Integer cordoned;

    @JsonPropertyDescription("How often the operator uncordoned a Node of the batch.")
    @Min(0)
    public @Nullable Integer uncordoned;

    @JsonPropertyDescription("Drains of the batch that began to evict Pods.")
    @Min(0)
    public @Nullable Integer drains;

    @JsonPropertyDescription("How often PodDisruptionBudgets blocked drains of the batch.")
    @Min(0)
    public @Nullable Integer blocks;

    @JsonPropertyDescription("Drains of the batch whose deadline has passed.")
    @Min(0)
    public @Nullable Integer forcedDrains;

    @JsonPropertyDescription("Nodes of the batch that are gone.")
    @Min(0)
    public @Nullable Integer removed;

    @JsonPropertyDescription("Nodes on their way out now.")
    @Min(0)
    public @Nullable Integer leaving;

    @JsonPropertyDescription("Nodes whose Pods are being evicted.")
    @Min(0)
    public @Nullable Integer draining;

    @JsonPropertyDescription("Nodes whose drain a PodDisruptionBudget blocks.")
    @Min(0)
    public @Nullable Integer blocked;

    @JsonPropertyDescription(
        "Nodes whose Pods are being deleted because the drain's deadline has passed.")
    @Min(0)
    public @Nullable Integer forced;

    @JsonPropertyDescription(
        "Nodes and machines whose removal fails again and again at present; an Event has the error.")
    @Min(0)
    public @Nullable Integer failing;
  }
}
