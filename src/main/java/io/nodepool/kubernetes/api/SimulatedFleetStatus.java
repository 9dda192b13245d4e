package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The observed state of a simulated data centre. */
@JsonClassDescription("How the data centre is doing.")
public class SimulatedFleetStatus implements ApiPart {
  @JsonPropertyDescription("Hosts that the data centre has.")
  @Min(0)
  public @Nullable Integer hosts;

  @JsonPropertyDescription("Hosts that may be assigned now.")
  @Min(0)
  public @Nullable Integer free;

  @JsonPropertyDescription("A sentence for people: what of the spec is not carried out, and why.")
  @Size(max = 1024)
  public @Nullable String message;

  @JsonPropertyDescription("The metadata.generation that this status was computed from.")
  @Min(0)
  public @Nullable Long observedGeneration;

  @JsonPropertyDescription("Conditions of the data centre.")
  @Size(max = 64)
  @KeyedBy("type")
  public List<StatusCondition> conditions = new ArrayList<>();
}
