package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;

/** When a source of signals was last heard of. */
@JsonClassDescription("When the source was last heard of.")
public class SignalSourceSpec implements ApiPart {
  @JsonPropertyDescription(
      "When the source last confirmed that what it reports still stands. It writes this at least every half of the time after which it counts as"
          + " silent, 12 hours by default, and at most every 10 minutes.")
  @Required
  @DateTime
  public String heartbeatAt = "";
}
