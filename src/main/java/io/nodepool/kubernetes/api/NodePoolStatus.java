package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.vocabulary.NotActedOn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of a pool (contract §3). Without defaults, so that a client that applies a
 * part owns that part only.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonClassDescription("What the pool is, as the operator last saw it.")
public class NodePoolStatus {
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

  @JsonPropertyDescription("Identifier of the active configuration: the one that Nodes boot into.")
  @Size(max = 255)
  public @Nullable String nodeProfile;

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
  public @Nullable ConfigurationStatus configuration;

  @JsonPropertyDescription(
      "Specific to this operator: fingerprint of the nodeLabels, nodeAnnotations and nodeTaints that the Nodes are being brought to.")
  @Size(max = 63)
  public @Nullable String nodeMetadata;

  @JsonPropertyDescription(
      "Specific to this operator: the request for growth that this pool last made.")
  public @Nullable GrowthStatus growth;

  @JsonPropertyDescription(
      "Specific to this operator: the Nodes that are being removed, in numbers. A batch begins when the first Node is chosen and ends when none is on its way"
          + " out any more; the last one stays.")
  public @Nullable RemovalStatus removal;

  @JsonPropertyDescription(
      "Specific to this operator: what the Events of the pool depend on and nothing else here says, so that none is emitted twice or forgotten when the operator"
          + " is restarted.")
  public @Nullable EventStateStatus eventState;

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

  /** A pool's counts in racks. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class RackStatus {
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

  /** A configuration that Nodes can boot into. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class NodeConfigurationStatus {
    @JsonPropertyDescription("When the configuration was made.")
    @DateTime
    public @Nullable String createdAt;

    @JsonPropertyDescription("Identifier of the configuration.")
    @Required
    @Size(min = 1, max = 255)
    public String nodeProfile = "";

    @JsonPropertyDescription(
        "What the configuration contains, such as versions of image, GPU driver and Kubernetes.")
    @Size(max = 32)
    public List<@Size(max = 1024) String> summary = new ArrayList<>();

    @JsonPropertyDescription(
        "Specific to this operator: the release of the fleet that it was selected from.")
    @Size(max = 253)
    public @Nullable String release;
  }

  /** A configuration that is or was active. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class NodeConfigurationRevision extends NodeConfigurationStatus {
    @JsonPropertyDescription("Nodes of the pool that are booted into the configuration now.")
    @Min(0)
    public @Nullable Integer activeNodes;

    @JsonPropertyDescription(
        "Whether no further Node is given the configuration, because several machines in a row failed to boot with it.")
    public @Nullable Boolean disabled;

    @JsonPropertyDescription(
        "Specific to this operator: when it last became the active configuration.")
    @DateTime
    public @Nullable String activatedAt;

    @JsonPropertyDescription(
        "Specific to this operator: whether it was rolled back from. It does not become active again by itself until the spec changes.")
    public @Nullable Boolean abandoned;

    @JsonPropertyDescription(
        "Specific to this operator: when the last boot into it began that succeeded, as far as that is needed to judge failures.")
    @DateTime
    public @Nullable String provenAt;

    @JsonPropertyDescription(
        "Specific to this operator: the boots into it that failed in a row, the newest ones of the first Hosts. If the machines of three Hosts did not boot, it is disabled.")
    @Size(max = 32)
    public List<FailedBootStatus> failedBoots = new ArrayList<>();

    @JsonPropertyDescription(
        "Specific to this operator: since when failures count, after a user continued a rollout that had paused for them.")
    @DateTime
    public @Nullable String failuresCountedSince;

    @JsonPropertyDescription(
        "Specific to this operator: whether a rollout of it needs no canary, because one has soaked, or because most Nodes ran it when another configuration became active.")
    public @Nullable Boolean trusted;
  }

  /** A boot that failed. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class FailedBootStatus {
    @JsonPropertyDescription("Name of the Host.")
    @Size(max = 253)
    public @Nullable String host;

    @JsonPropertyDescription("When the boot was requested.")
    @DateTime
    public @Nullable String begunAt;

    @JsonPropertyDescription(
        "Whether the machine booted, into another configuration than it was asked to.")
    public @Nullable Boolean booted;
  }

  /** What the configurations of a pool take into account. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class ConfigurationStatus {
    @JsonPropertyDescription(
        "UID of the NodePool that the configurations belong to; a copy in another NodePool is void.")
    @Size(max = 63)
    public @Nullable String poolUid;

    @JsonPropertyDescription("What spec.image and spec.gpu selected.")
    @Size(max = 1024)
    public @Nullable String request;

    @JsonPropertyDescription("The strategy.")
    @Size(max = 63)
    public @Nullable String strategy;

    @JsonPropertyDescription("The newest release of the fleet.")
    @Size(max = 253)
    public @Nullable String release;

    @JsonPropertyDescription(
        "Number of the last command of a user that was carried out; nodepool.io/accepted-command has the last accepted one.")
    @Min(0)
    public @Nullable Integer command;

    @JsonPropertyDescription(
        "Until when a change of the active configuration waits at most for Nodes in delivery; absent if none waits.")
    @DateTime
    public @Nullable String waitingUntil;

    @JsonPropertyDescription("The last rollout.")
    public @Nullable RolloutStatus rollout;
  }

  /** A rollout. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class RolloutStatus {
    @JsonPropertyDescription("Number of the rollout, from 1.")
    @Min(0)
    public @Nullable Integer number;

    @JsonPropertyDescription(
        "Running, Stopped by a user, or Paused by itself; absent once it is complete.")
    @Size(max = 63)
    public @Nullable String phase;

    @JsonPropertyDescription("Why it paused, or was stopped, without a command.")
    @Size(max = 1024)
    public @Nullable String reason;

    @JsonPropertyDescription(
        "Since when the Nodes of its canary have been up to date, later by the time in which no operator watched.")
    @DateTime
    public @Nullable String canarySince;

    @JsonPropertyDescription(
        "Up to when an operator watched the canary; brought up to date ten times during the soak.")
    @DateTime
    public @Nullable String canarySeen;

    @JsonPropertyDescription(
        "Whether it evicts work on busy Nodes, as its start asked for; absent if it does not.")
    public @Nullable Boolean evicts;
  }

  /**
   * A growth request. A pool makes a new one for each increase of its target, and keeps it when the
   * target falls.
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class GrowthStatus {
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
  }

  /** The Nodes that a pool is removing. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class RemovalStatus {
    @JsonPropertyDescription("Number of the batch, from 1.")
    @Min(0)
    public @Nullable Integer batch;

    @JsonPropertyDescription("Nodes chosen in the batch so far.")
    @Min(0)
    public @Nullable Integer chosen;

    @JsonPropertyDescription("Nodes of the batch that the operator cordoned.")
    @Min(0)
    public @Nullable Integer cordoned;

    @JsonPropertyDescription(
        "Nodes of the batch that the operator uncordoned again, because they are not to be removed any more.")
    @Min(0)
    public @Nullable Integer uncordoned;

    @JsonPropertyDescription("Drains of the batch that have begun: of Nodes with Pods to evict.")
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

  /** The rest of the state that Events depend on. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class EventStateStatus {
    @JsonPropertyDescription("The target in Nodes that the pool reached last.")
    @Min(0)
    public @Nullable Integer reachedTarget;

    @JsonPropertyDescription(
        "The reasons of conditions that are Unknown now, from before they became so.")
    public @Nullable LastKnown lastKnown;

    @JsonPropertyDescription("How many Nodes have been registered in the pool's life.")
    @Min(0)
    public @Nullable Integer registrations;

    @JsonPropertyDescription(
        "How many registered Nodes have gone in the pool's life that it did not remove, such as by kubectl delete node.")
    @Min(0)
    public @Nullable Integer vanishedNodes;

    @JsonPropertyDescription(
        "How often in the pool's life a Node was tainted by what it is or whom it is reserved for.")
    @Min(0)
    public @Nullable Integer taintings;

    @JsonPropertyDescription(
        "How often such a taint was taken off because it was not due any more.")
    @Min(0)
    public @Nullable Integer untaintings;
  }

  /** Reasons from before conditions became Unknown. */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class LastKnown {
    @JsonPropertyDescription("The reason of Validated.")
    @Size(max = 63)
    public @Nullable String validated;

    @JsonPropertyDescription("The reason of Capacity.")
    @Size(max = 63)
    public @Nullable String capacity;

    @JsonPropertyDescription("The reason of Quota.")
    @Size(max = 63)
    public @Nullable String quota;
  }
}
