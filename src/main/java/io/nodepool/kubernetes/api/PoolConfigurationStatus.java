package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The inputs of a pool's configurations, and their rollout. */
public class PoolConfigurationStatus implements ApiPart {
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

  /** A configuration that Nodes can boot into. */
  public static class NodeConfigurationStatus implements ApiPart {
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
  public static class FailedBootStatus implements ApiPart {
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

  /** A rollout. */
  public static class RolloutStatus implements ApiPart {
    @JsonPropertyDescription("Number of the rollout, from 1.")
    @Min(0)
    public @Nullable Integer number;

    @JsonPropertyDescription(
        "Running, Stopped by a user, or Paused by itself; absent once it is complete.")
    @Size(max = 63)
    public @Nullable String phase;

    @JsonPropertyDescription("Since when it is in its phase, or complete.")
    @DateTime
    public @Nullable String since;

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
}
