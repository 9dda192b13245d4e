package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.ApiText;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.kubernetes.api.schema.MetadataRules;
import io.nodepool.kubernetes.api.schema.OneOf;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.NotActedOn;
import io.nodepool.vocabulary.metadata.LabelDomains;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The desired state of a pool (contract §2, all generations). No rule compares the target with the
 * minimum, since real clients create pools below it (T26). The operator, not the API server, checks
 * rules that need the instance catalogue (decision D5).
 */
@JsonClassDescription("What the pool is to be.")
@ValidationRule(
    value = "has(self.targetNodes) != has(self.targetRacks)",
    message = "give exactly one of targetNodes and targetRacks")
@ValidationRule(
    value = "!has(self.targetRacks) || !has(self.autoscaling) || !self.autoscaling",
    message = "a pool sized by targetRacks cannot be autoscaled: set autoscaling to false")
@ValidationRule(
    value =
        "!has(self.autoscaling) || !self.autoscaling || !has(self.minNodes) || !has(self.maxNodes)"
            + " || self.maxNodes == 0 || self.minNodes <= self.maxNodes",
    message = "with autoscaling, minNodes has to be at most maxNodes")
@ValidationRule(
    value =
        "!has(self.prefill) || !has(self.prefill.enabled) || !self.prefill.enabled"
            + " || ((!has(self.autoscaling) || !self.autoscaling)"
            + " && (!has(self.computeClass) || self.computeClass == 'default'))",
    message = "prefill works with autoscaling false and computeClass default only")
public class NodePoolSpec implements ApiPart {

  @JsonPropertyDescription(
      "default: reserved and on-demand machines. spot: machines that may be reclaimed with seven"
          + " minutes' notice; Spot means the same. Cannot be changed.")
  @Default("default")
  @OneOf({"default", "spot", "Spot"})
  @ValidationRule(
      value = "self == oldSelf || self.lowerAscii() == oldSelf.lowerAscii()",
      message = "computeClass cannot be changed; create another NodePool for the other class")
  public String computeClass = "default";

  @JsonPropertyDescription(
      "Instance type of all Nodes of the pool, such as gd-8xh100ib-i128. Cannot be changed.")
  @Required
  @Size(min = 1, max = 63)
  @ValidationRule(
      value = "self == oldSelf",
      message = "InstanceType cannot be changed; create another NodePool for the other type")
  public String instanceType = "";

  @JsonPropertyDescription(
      "How many Nodes the pool is to have. A type that comes in racks needs whole racks, a multiple of 18. The Cluster Autoscaler writes"
          + " this field. Exactly one of targetNodes and targetRacks is given.")
  @Min(0)
  @Max(PoolSpec.MOST_NODES)
  public @Nullable Integer targetNodes;

  @JsonPropertyDescription(
      "How many racks of 18 Nodes the pool is to have; for types that come in racks only. Exactly one of targetNodes and targetRacks is"
          + " given.")
  @Min(0)
  @Max(PoolSpec.MOST_RACKS)
  public @Nullable Integer targetRacks;

  @JsonPropertyDescription(
      "Whether the Cluster Autoscaler may change targetNodes. Not for types that come in racks.")
  @Default("false")
  public boolean autoscaling;

  @JsonPropertyDescription(
      "The least targetNodes that the autoscaler goes down to. Without autoscaling it has no effect; the operator never raises a target"
          + " to it. Left out, it stays out.")
  @Min(0)
  @Max(PoolSpec.MOST_NODES)
  public @Nullable Integer minNodes;

  @JsonPropertyDescription(
      "The greatest targetNodes that the autoscaler goes up to. Without autoscaling it has no effect. Left out, it stays"
          + " out.")
  @Min(0)
  @Max(PoolSpec.MOST_NODES)
  public @Nullable Integer maxNodes;

  @JsonPropertyDescription(
      "Labels of all Nodes of the pool; they survive the replacement of a Node. A key taken out here goes from the Nodes too. Keys under"
          + " coreweave.cloud and coreweave.com are refused, but for cks.coreweave.cloud/system-critical and node.coreweave.cloud/dra-gpu-enabled. Keys"
          + " and values are those that Kubernetes allows for labels.")
  @Size(max = 64)
  @ValidationRule(
      value = MetadataRules.FREE_KEYS,
      message = LabelDomains.REFUSAL,
      messageExpression = MetadataRules.WHICH_RESERVED_KEY)
  @ValidationRule(
      value = MetadataRules.LABEL_KEYS,
      message = MetadataRules.WRONG_KEY,
      messageExpression = MetadataRules.WHICH_LABEL_KEY)
  @ValidationRule(
      value = MetadataRules.LABEL_VALUES,
      message = MetadataRules.WRONG_VALUE,
      messageExpression = MetadataRules.WHICH_LABEL_VALUE)
  public Map<String, @Size(max = 63) String> nodeLabels = new TreeMap<>();

  @JsonPropertyDescription(
      "Annotations of all Nodes of the pool; they survive the replacement of a Node. The same keys are refused as in nodeLabels,"
          + " and those that Kubernetes itself keeps on Nodes. With the record that the operator keeps of them on each Node they have to stay"
          + " below 240 KiB, which is checked by the operator.")
  @Size(max = 64)
  @ValidationRule(
      value = MetadataRules.FREE_KEYS,
      message = LabelDomains.REFUSAL,
      messageExpression = MetadataRules.WHICH_RESERVED_KEY)
  @ValidationRule(
      value = MetadataRules.ANNOTATION_KEYS,
      message = MetadataRules.WRONG_KEY,
      messageExpression = MetadataRules.WHICH_ANNOTATION_KEY)
  @ValidationRule(
      value = MetadataRules.FREE_ANNOTATIONS,
      message = MetadataRules.KEPT_ANNOTATION,
      messageExpression = MetadataRules.WHICH_KEPT_ANNOTATION)
  public Map<String, @Size(max = 16384) String> nodeAnnotations = new TreeMap<>();

  @JsonPropertyDescription(
      "Taints of all Nodes of the pool, beside those that the Nodes have by their kind. Keys under kubernetes.io, k8s.io, coreweave.cloud,"
          + " coreweave.com and nodepool.io, and those of the Cluster Autoscaler, are refused: whoever they belong to sets and removes them by"
          + " itself.")
  @Size(max = 32)
  @KeyedBy({"key", "effect"})
  public List<NodeTaint> nodeTaints = new ArrayList<>();

  @JsonPropertyDescription(
      "Boot image of the Nodes. Leave it out unless support says otherwise. With image given, gpu is ignored. A change reaches a Node when"
          + " it is rebooted for reconfiguration.")
  public @Nullable Image image;

  @JsonPropertyDescription(
      "GPU driver of the Nodes; ignored if image is given. A change reaches a Node when it is rebooted for reconfiguration.")
  public @Nullable Gpu gpu;

  @JsonPropertyDescription("How Nodes leave the pool.")
  @Default("{}")
  public Lifecycle lifecycle = new Lifecycle();

  @JsonPropertyDescription("When a new configuration of the Nodes becomes the active one.")
  @Default("{}")
  public NodeConfigurationUpdateStrategy nodeConfigurationUpdateStrategy =
      new NodeConfigurationUpdateStrategy();

  @JsonPropertyDescription("Whether a Node that is to be replaced is replaced before it goes.")
  @NotActedOn
  public @Nullable Prefill prefill;

  @JsonPropertyDescription("Rank of the pool among those that wait for machines of the same kind.")
  public @Nullable SchedulingPriority schedulingPriority;

  @JsonPropertyDescription("Accepted and kept: a cluster is in one zone.")
  @Size(max = 63)
  @NotActedOn
  public @Nullable String region;

  /** The boot image of a pool's Nodes. */
  @ValidationRule(
      value =
          "!has(self.name) || self.name == '' || ((!has(self.kernel) || self.kernel == '')"
              + " && (!has(self.releaseTrain) || self.releaseTrain == 'stable'))",
      message =
          "image.name stands alone: with it, leave image.kernel empty and image.releaseTrain at stable")
  public static class Image extends UnknownWords implements ApiPart {
    @JsonPropertyDescription("Version of the kernel. Empty if name is given.")
    @Size(max = 253)
    public @Nullable String kernel;

    @JsonPropertyDescription(
        "Name of one image. With it, kernel stays empty and releaseTrain stable.")
    @Size(max = 253)
    public @Nullable String name;

    @JsonPropertyDescription("The train of releases that images are taken from.")
    @Default("stable")
    public ReleaseTrain releaseTrain = ReleaseTrain.STABLE;
  }

  /** The trains of image releases. */
  public enum ReleaseTrain {
    @JsonProperty("stable")
    STABLE,
    @JsonProperty("latest")
    LATEST
  }

  /** The GPU driver of a pool's Nodes. */
  public static class Gpu implements ApiPart {
    @JsonPropertyDescription("Major version of the driver, as text of digits, such as \"580\".")
    @Size(max = 63)
    @ValidationRule(
        value = "self.matches('^[0-9]*$')",
        message = "gpu.version is the major version of the driver, digits only, such as 580")
    public @Nullable String version;
  }

  /** How Nodes of a pool are removed. */
  public static class Lifecycle extends UnknownWords implements ApiPart {
    @JsonPropertyDescription(
        "Which Nodes go when the pool shrinks. IdleOnly: idle ones only, so shrinking waits for work to end. PreferIdle: idle ones first,"
            + " then active ones, which are drained.")
    @Default("IdleOnly")
    public ScaleDownStrategy scaleDownStrategy = ScaleDownStrategy.IDLE_ONLY;

    @JsonPropertyDescription(
        "With true, live tenant Pods are not evicted because their Node is unhealthy, except for faults that demand it at once.")
    @Default("true")
    public boolean disableUnhealthyNodeEviction = true;
  }

  /** Which Nodes are removed when a pool shrinks. */
  public enum ScaleDownStrategy {
    @JsonProperty("IdleOnly")
    IDLE_ONLY,
    @JsonProperty("PreferIdle")
    PREFER_IDLE
  }

  /** When a new configuration becomes the active one. */
  public static class NodeConfigurationUpdateStrategy extends UnknownWords implements ApiPart {
    @JsonPropertyDescription(
        "Manual: only when a user promotes it. OnSpecUpdate: when the spec of the pool changes. Always: then, and when a new release"
            + " appears. RolloutOnCommand: as OnSpecUpdate, and Nodes take it on once a rollout is started.")
    @Default("OnSpecUpdate")
    public UpdateStrategyType type = UpdateStrategyType.ON_SPEC_UPDATE;
  }

  /** When a new configuration becomes the active one. */
  public enum UpdateStrategyType {
    @JsonProperty("Manual")
    MANUAL,
    @JsonProperty("OnSpecUpdate")
    ON_SPEC_UPDATE,
    @JsonProperty("Always")
    ALWAYS,
    @JsonProperty("RolloutOnCommand")
    ROLLOUT_ON_COMMAND
  }

  /** How Nodes are replaced before they are removed. */
  public static class Prefill implements ApiPart {
    @JsonPropertyDescription(
        "Whether the new Node comes before the old one goes. Needs autoscaling false and computeClass default.")
    @Default("false")
    public boolean enabled;

    @JsonPropertyDescription(
        "How long to wait at most for the old Node to become idle, such as 24h or 1h30m.")
    @Default("24h")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public String timeout = "24h";

    @JsonPropertyDescription("How many Nodes may be replaced at once.")
    @Min(1)
    @Max(4)
    @Default("3")
    public int maxNodes = 3;
  }

  /** The priority of a pool. */
  public static class SchedulingPriority implements ApiPart {
    @JsonPropertyDescription(
        "A higher value goes first among requests for the same instance type, zone, network fabric and compute class; may be negative."
            + " Left out it is 0. Equal values go by when they asked.")
    @Min(Integer.MIN_VALUE)
    @Max(Integer.MAX_VALUE)
    public @Nullable Integer value;
  }
}
