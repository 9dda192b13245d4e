package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import org.jspecify.annotations.Nullable;

/** The report about a Node of a pool and its machine. */
public abstract class MemberStatus implements ApiPart {
  @JsonPropertyDescription("Name of the Node.")
  @Size(max = 253)
  public @Nullable String node;

  @JsonPropertyDescription("UID of its Host.")
  @Size(max = 63)
  public @Nullable String hostUid;
}
