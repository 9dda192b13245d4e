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
      "Alerts that are in doubt, or about which verifications of machines gave a verdict.")
  @Size(max = 32)
  public List<SuspectedAlertStatus> suspects = new ArrayList<>();

  @JsonPropertyDescription(
      "Whether more alerts are in doubt than have a place: every alert that is not listed is held.")
  public @Nullable Boolean full;

  @JsonPropertyDescription("The last verification or repair that may be carried out.")
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

  /** An alert that is in doubt, or has a verdict. */
  public static class SuspectedAlertStatus implements ApiPart {
    @JsonPropertyDescription("Name of the alert.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("Since when its verdict is this one.")
    @DateTime
    public @Nullable String since;

    @JsonPropertyDescription(
        "Pending while it is in doubt, FalseAlarm once a machine passed, Genuine once three in a row did not, Held if nobody can learn it: then a person releases it. Unless it is genuine, nothing is done for the alert but on a machine that did not pass.")
    @OneOf({"Pending", "FalseAlarm", "Genuine", "Held"})
    public @Nullable String verdict;

    @JsonPropertyDescription(
        "Whether it is in doubt only because work was ended for it; what has begun goes on.")
    public @Nullable Boolean byCount;

    @JsonPropertyDescription("The last machines that were verified for it, oldest first.")
    @Size(max = 3)
    public List<CheckStatus> checks = new ArrayList<>();
  }

  /** A machine that was verified because of an alert. */
  public static class CheckStatus extends MemberStatus {
    @JsonPropertyDescription("When that was requested.")
    @DateTime
    public @Nullable String at;

    @JsonPropertyDescription("Whether it passed; absent if it did not answer in time.")
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
        "When the Nodes were permitted that had been cordoned for a minute by then.")
    @DateTime
    public @Nullable String at;
  }

  /** A verification or repair that may be carried out. */
  public static class AdmittedRepairStatus extends MemberStatus {
    @JsonPropertyDescription("Number of the disruption of the Node.")
    @Min(0)
    public @Nullable Integer disruption;

    @JsonPropertyDescription(
        "The alert; absent for a Node that leaves since its machine does not run.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("Whether the machine is verified; else it is repaired.")
    public @Nullable Boolean verifies;

    @JsonPropertyDescription("Whether work on the Node may be ended for it.")
    public @Nullable Boolean endsWork;

    @JsonPropertyDescription("When it was admitted.")
    @DateTime
    public @Nullable String at;
  }
}
