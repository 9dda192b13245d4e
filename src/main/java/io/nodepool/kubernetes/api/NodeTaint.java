package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.MetadataRules;
import io.nodepool.kubernetes.api.schema.OneOf;
import org.jspecify.annotations.Nullable;

/** A taint that Nodes must have. */
@ValidationRule(
    value = MetadataRules.FREE_TAINT,
    message = MetadataRules.RESERVED_TAINT,
    messageExpression = MetadataRules.WHICH_RESERVED_TAINT)
@ValidationRule(
    value = MetadataRules.TAINT_KEY,
    message = MetadataRules.WRONG_KEY,
    messageExpression = MetadataRules.WHICH_TAINT_KEY)
@ValidationRule(
    value = MetadataRules.TAINT_VALUE,
    message = MetadataRules.WRONG_VALUE,
    messageExpression = MetadataRules.WHICH_TAINT_VALUE)
public class NodeTaint implements ApiPart {
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
