package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The Nodes of a pool that are not as they should be, in numbers and first names. */
public class NodeStatesStatus implements ApiPart {
  @JsonPropertyDescription(
      "Registered Nodes whose Ready condition is not True. Those whose machine is asked to stop, to leave the pool, do not count.")
  public @Nullable NodesInStateStatus notReady;

  @JsonPropertyDescription(
      "Registered Nodes whose machine does not run, as its fleet reports: it failed, stopped, or is cleaned, whatever the Node says of itself. Those whose machine is asked to stop do not count.")
  public @Nullable NodesInStateStatus notInService;

  @JsonPropertyDescription(
      "Registered Nodes that show an alert about their machine, each as a condition of its name. Those whose machine is asked to stop do not count.")
  public @Nullable NodesInStateStatus alerting;

  @JsonPropertyDescription(
      "Nodes that are chosen to leave the pool or to be rebooted, or drained for that, for whatever cause.")
  public @Nullable NodesInStateStatus inDisruption;

  /** The Nodes in one state. */
  public static class NodesInStateStatus implements ApiPart {
    @JsonPropertyDescription("How many there are.")
    @Min(0)
    public @Nullable Integer count;

    @JsonPropertyDescription(
        "The first of them: five at most, those that are for the longest time.")
    @Size(max = 5)
    public List<@Size(max = 253) String> names = new ArrayList<>();

    @JsonPropertyDescription("Since when the first of them is.")
    @DateTime
    public @Nullable String since;
  }
}
