package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The Nodes whose machines did not come back from their reboots. */
public class FailedRebootsStatus implements ApiPart {
  @JsonPropertyDescription("How many of them wait until they may leave. They stay cordoned.")
  @Min(0)
  public @Nullable Integer waiting;

  @JsonPropertyDescription("The first of these.")
  @Size(max = 5)
  public List<@Size(max = 253) String> nodes = new ArrayList<>();

  @JsonPropertyDescription("What holds them: a sentence.")
  @Size(max = 1024)
  public @Nullable String message;

  @JsonPropertyDescription(
      "Since when none may leave until a person releases that, by the annotation nodepool.io/release-failed-reboots with this value.")
  @DateTime
  public @Nullable String heldSince;

  @JsonPropertyDescription("When the last ones in a row were removed.")
  @Size(max = 3)
  public List<@Size(max = 63) String> row = new ArrayList<>();

  @JsonPropertyDescription("The last one that may leave.")
  public @Nullable AdmittedStatus admitted;

  /** A Node that may leave after its reboot failed. */
  public static class AdmittedStatus extends MemberStatus {
    @JsonPropertyDescription("Number and start of its reboot.")
    @Size(max = 63)
    public @Nullable String reboot;
  }
}
