package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.OneOf;
import org.jspecify.annotations.Nullable;

/** A condition in the standard form of Kubernetes APIs. */
public class StatusCondition implements ApiPart {
  @JsonPropertyDescription(
      "Which condition this is. Each type is there once; types of others are left alone.")
  @Required
  @Size(min = 1, max = 316)
  public String type = "";

  @JsonPropertyDescription("Whether the condition holds.")
  @Required
  @OneOf({"True", "False", "Unknown"})
  public String status = "";

  @JsonPropertyDescription(
      "The metadata.generation that the condition was computed from, where its owner says so.")
  @Min(0)
  public @Nullable Long observedGeneration;

  @JsonPropertyDescription("One word that says why the condition has its status.")
  @Size(max = 1024)
  public @Nullable String reason;

  @JsonPropertyDescription("A sentence for people about the reason.")
  @Size(max = 32768)
  public @Nullable String message;

  @JsonPropertyDescription("When the status of the condition last changed.")
  @DateTime
  public @Nullable String lastTransitionTime;
}
