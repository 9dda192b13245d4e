package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.OneOf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The repairs of a pool's machines. */
public class RepairsStatus implements ApiPart {
  @JsonPropertyDescription(
      "How many Nodes wait for a limit, to be repaired or to leave since their machines stopped, or are only observed.")
  @Min(0)
  public @Nullable Integer waiting;

  @JsonPropertyDescription("The first of these.")
  @Size(max = 5)
  public List<@Size(max = 253) String> nodes = new ArrayList<>();

  @JsonPropertyDescription("What holds the first of them: a sentence.")
  @Size(max = 1024)
  public @Nullable String message;

  @JsonPropertyDescription(
      "Alerts that stand on so many Nodes that their source is suspected, and what verifications of idle Nodes show.")
  @Size(max = 5)
  public List<SuspectedAlertStatus> suspects = new ArrayList<>();

  @JsonPropertyDescription("The last repair that may be carried out.")
  public @Nullable AdmittedRepairStatus admitted;

  @JsonPropertyDescription(
      "The rack whose Nodes are repaired together for one alert, as one repair; absent if there is none.")
  public @Nullable RackRepairStatus rack;

  @JsonPropertyDescription(
      "Alerts that the operator itself finds about racks in which the pool has machines, and for which a person has to act.")
  @Size(max = 5)
  public List<RackAlertStatus> racks = new ArrayList<>();

  /** An alert about a rack. */
  public static class RackAlertStatus implements ApiPart {
    @JsonPropertyDescription("Name of the rack.")
    @Size(max = 253)
    public @Nullable String rack;

    @JsonPropertyDescription("Name of the alert.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("When it was found first.")
    @DateTime
    public @Nullable String since;
  }

  /** An alert that stands on so many Nodes that its source is suspected. */
  public static class SuspectedAlertStatus implements ApiPart {
    @JsonPropertyDescription("Name of the alert.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("When it was first suspected.")
    @DateTime
    public @Nullable String since;

    @JsonPropertyDescription(
        "Pending while nothing is known, FalseAlarm once all verified Nodes passed, Genuine once one did not. Nothing is done for the alert but if it is genuine.")
    @OneOf({"Pending", "FalseAlarm", "Genuine"})
    public @Nullable String verdict;

    @JsonPropertyDescription("The Nodes that are verified for it, without a reboot.")
    @Size(max = 3)
    public List<CheckStatus> checks = new ArrayList<>();
  }

  /** A Node that is verified because an alert is suspected. */
  public static class CheckStatus implements ApiPart {
    @JsonPropertyDescription("Name of the Node.")
    @Size(max = 253)
    public @Nullable String node;

    @JsonPropertyDescription("UID of its Host.")
    @Size(max = 63)
    public @Nullable String hostUid;

    @JsonPropertyDescription("Whether it passed; absent while that is not known.")
    public @Nullable Boolean passed;
  }

  /** A rack whose Nodes are repaired together. */
  public static class RackRepairStatus implements ApiPart {
    @JsonPropertyDescription("Name of the rack.")
    @Size(max = 253)
    public @Nullable String rack;

    @JsonPropertyDescription(
        "Name of the alert; absent if the machines do not run any more, for which the Nodes leave.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription(
        "When those Nodes were let go that had been cordoned for a minute by then.")
    @DateTime
    public @Nullable String at;
  }

  /** A repair that may be carried out. */
  public static class AdmittedRepairStatus implements ApiPart {
    @JsonPropertyDescription("Name of the Node.")
    @Size(max = 253)
    public @Nullable String node;

    @JsonPropertyDescription("UID of its Host.")
    @Size(max = 63)
    public @Nullable String hostUid;

    @JsonPropertyDescription("Number of the disruption of the Node.")
    @Min(0)
    public @Nullable Integer disruption;

    @JsonPropertyDescription(
        "Name of the alert for which it may be; absent if its machine does not run any more.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("When it was admitted.")
    @DateTime
    public @Nullable String at;
  }
}
