package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/** A taint that Nodes are to carry. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public class NodeTaint {
  @JsonPropertyDescription("Key of the taint. One key may come once with each effect.")
  @Required
  @Size(min = 1, max = 317)
  public String key = "";

  @JsonPropertyDescription("Value of the taint; may be left out.")
  @Size(max = 63)
  public @Nullable String value;

  @JsonPropertyDescription("What happens to Pods that do not tolerate the taint.")
  @Required
  @OneOf({"NoSchedule", "PreferNoSchedule", "NoExecute"})
  public String effect = "";
}
