package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.PastRepair;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.kubernetes.api.schema.OneOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The facts of a machine, and its state as the operator desires it. */
@JsonClassDescription("What the machine is, and what the operator wants of it.")
public class HostSpec extends UnknownWords implements ApiPart {
  @JsonPropertyDescription(
      "What the machine is and where it stands. The fleet writes it when it creates the Host; it cannot be changed.")
  @Required
  @ValidationRule(
      value = "self == oldSelf",
      message =
          "spec.machine cannot be changed; a machine that moved or was rebuilt is another Host")
  public MachineSpec machine = new MachineSpec();

  @JsonPropertyDescription(
      "How often the Host has been assigned. Goes up by 1 with each new assignment and never else.")
  @Min(0)
  @Default("0")
  public long tenancy;

  @JsonPropertyDescription(
      "The pool that the Host is given to; absent while it is given to none. It changes to another pool only through absent.")
  public @Nullable AssignmentSpec assignment;

  @JsonPropertyDescription(
      "Identifier of the configuration that the machine is to boot into the next time it boots.")
  @Size(max = 255)
  public @Nullable String configuration;

  @JsonPropertyDescription("Whether the machine is to be powered on.")
  @Default("On")
  public Power power = Power.ON;

  @JsonPropertyDescription(
      "The last request to boot the machine anew. It holds while status.bootId is spec.boot.from, or both are absent and it was made since the machine is assigned: the fleet then boots the machine, once for each try."
          + " It is fulfilled when the fleet reports another boot. spec.power Off takes precedence.")
  public @Nullable BootSpec boot;

  @JsonPropertyDescription(
      "The last requests to repair components of the machine while it runs, by the name of the alert for which each is. The fleet answers each try once, in status.repairs."
          + " A fleet is asked only if its offer says repairsComponents.")
  @Size(max = ComponentRepair.REMEMBERED)
  public Map<String, ComponentRepairSpec> repairs = new TreeMap<>();

  @JsonPropertyDescription(
      "What was done to the machine for alerts of late, oldest first, each written before it is done; the operator counts that of 24 hours, wherever the Host is since. Only the operator writes it, and it stays when the Host is released.")
  @Size(min = 1, max = PastRepair.REMEMBERED)
  public List<PastRepairSpec> pastRepairs = new ArrayList<>();

  @JsonPropertyDescription(
      "Deliveries to pools that came to nothing since the Host last registered as a Node; absent while there are none.")
  public @Nullable DeliveryFailures deliveryFailures;

  @JsonPropertyDescription(
      "Why the Host is not to be assigned. The operator sets it after failures and for alerts; write it to take a Host out of service, remove it"
          + " to put it back. A Host that is assigned stays so.")
  @Size(max = 1024)
  public @Nullable String setAside;

  @JsonPropertyDescription(
      "That a person made sure that the machine, which is Failed and perhaps powered on, runs no more: the operator then deletes its Node and releases it."
          + " Written by kubectl nodepool host fenced.")
  public @Nullable FencedSpec fenced;

  /** A person's statement that a machine no longer runs. */
  public static class FencedSpec implements ApiPart {
    @JsonPropertyDescription("The spec.tenancy in which it failed; it says nothing about another.")
    @Required
    @Min(1)
    public long tenancy;

    @JsonPropertyDescription(
        "The status.since that the person saw, if there was one; a phase that began at another time is not meant.")
    @DateTime
    public @Nullable String since;

    @JsonPropertyDescription("When they said so.")
    @Required
    @DateTime
    public String at = "";
  }

  /** Failed deliveries in a row. */
  public static class DeliveryFailures implements ApiPart {
    @JsonPropertyDescription("How many in a row.")
    @Min(0)
    public int count;

    @JsonPropertyDescription("When the last one was given up.")
    @DateTime
    public @Nullable String lastAt;

    @JsonPropertyDescription("Why the last one was given up.")
    @Size(max = 1024)
    public @Nullable String cause;

    @JsonPropertyDescription("When the Host may be assigned again.")
    @DateTime
    public @Nullable String notBefore;

    @JsonPropertyDescription(
        "Identifier of the configuration that the machine was to boot each time; absent if there were several, or if it failed later. If the pool disables that configuration, the failures are removed, and spec.setAside with them if it was set for them.")
    @Size(max = 255)
    public @Nullable String configuration;

    @JsonPropertyDescription("UID of the pool that held the Host each time.")
    @Size(max = 253)
    public @Nullable String poolUid;
  }

  /** A request to repair a component of a machine. */
  public static class ComponentRepairSpec implements ApiPart {
    @JsonPropertyDescription(
        "The part of the machine, such as dpu0; absent if the alert names none.")
    @Size(min = 1, max = 40)
    public @Nullable String component;

    @JsonProperty("try")
    @JsonPropertyDescription("Number of the try, from 1.")
    @Required
    @Min(1)
    public int attempt;

    @JsonPropertyDescription("When it was requested.")
    @Required
    @DateTime
    public String requestedAt = "";

    @JsonPropertyDescription(
        "When the last tries before it were requested, as RFC 3339 times, the oldest first.")
    @Size(max = ComponentRepair.MOST_EARLIER)
    public List<@Size(max = 40) String> earlier = new ArrayList<>();
  }

  /** A past repair of a machine for an alert. */
  public static class PastRepairSpec implements ApiPart {
    @JsonPropertyDescription("The alert.")
    @Required
    @Size(min = 1, max = 253)
    public String alert = "";

    @JsonPropertyDescription("UID of the NodePool that held the Host.")
    @Required
    @Size(min = 1, max = 63)
    public String poolUid = "";

    @JsonPropertyDescription("When it was decided.")
    @Required
    @DateTime
    public String at = "";

    @JsonPropertyDescription(
        "Whether the Host was set aside; else the machine was booted, reset or verified.")
    public boolean out;

    @JsonPropertyDescription("Whether a verification of the machine had failed for the alert.")
    public boolean proved;

    @JsonPropertyDescription("Whether work of tenants on its Node was ended.")
    public boolean endedWork;

    @JsonPropertyDescription("Whether it was done to learn whether the alert is true.")
    public boolean probe;

    @JsonPropertyDescription(
        "The rack whose machines were repaired together with it; absent for it alone.")
    @Size(max = 253)
    public @Nullable String rack;
  }

  /** A request to boot a machine anew. */
  public static class BootSpec extends BootAttempt implements ApiPart {
    @JsonPropertyDescription(
        "Identifier of what the boot belongs to; all tries for it have the same one.")
    @Size(max = 253)
    public @Nullable String operation;

    @JsonPropertyDescription("The tries before this one, oldest first.")
    @Size(max = 10)
    public List<PastBootSpec> history = new ArrayList<>();
  }

  /** An attempt to boot a machine anew. */
  public static class BootAttempt implements ApiPart {
    @JsonPropertyDescription(
        "The status.bootId that the machine is to leave. Absent if the fleet reported none: the fleet then boots the machine, once for each try, and any boot that it reports fulfils the request.")
    @Size(min = 1, max = 253)
    public @Nullable String from;

    @JsonProperty("try")
    @JsonPropertyDescription("Number of the try, from 1.")
    @Required
    @Min(1)
    public int attempt;

    @JsonPropertyDescription(
        "How: Verification (no boot, only the verification that follows each), Reboot, PowerReset, HostReset (without the DPU), HostAndDpuReset.")
    @Required
    @OneOf({"Verification", "Reboot", "PowerReset", "HostReset", "HostAndDpuReset"})
    public String kind = "";

    @JsonPropertyDescription("When it was requested.")
    @DateTime
    public @Nullable String requestedAt;

    @JsonPropertyDescription(
        "Identifier of the configuration that the machine was to boot into; absent if it boots none, or if that is not known. The fleet boots what spec.configuration names.")
    @Size(max = 255)
    public @Nullable String configuration;

    @JsonPropertyDescription(
        "The alert for which alone the machine is repaired with this, or verified; absent for what a client or a rollout asks for.")
    @Size(max = 253)
    public @Nullable String alert;
  }

  /** An attempt that is over. */
  public static class PastBootSpec extends BootAttempt implements ApiPart {
    @JsonPropertyDescription(
        "What became of it: Verified, NotBooted (no other boot in time) or NotVerified (booted, and not verified in time).")
    @Required
    @OneOf({"Verified", "NotBooted", "NotVerified"})
    public String outcome = "";
  }

  /** The desired power state of a machine. */
  public enum Power {
    @JsonProperty("On")
    ON,
    @JsonProperty("Off")
    OFF
  }

  /** The facts of a machine, and its location. */
  public static class MachineSpec implements ApiPart {
    @JsonPropertyDescription("Instance type of the machine, such as gd-8xh100ib-i128.")
    @Required
    @Size(min = 1, max = 63)
    public String instanceType = "";

    @JsonPropertyDescription("Availability zone that the machine stands in.")
    @Required
    @Size(min = 1, max = 63)
    public String zone = "";

    @JsonPropertyDescription("Region that the machine stands in.")
    @Size(max = 63)
    public @Nullable String region;

    @JsonPropertyDescription(
        "Short name of the rack, such as 169. Machines of a type that comes in racks are given out by it.")
    @Size(max = 63)
    public @Nullable String rack;

    @JsonPropertyDescription(
        "Name of the rack that is unique in the data centres, such as dh1-r169-us-east-08a.")
    @Size(max = 63)
    public @Nullable String rackName;

    @JsonPropertyDescription("Slot of the rack.")
    @Size(max = 63)
    public @Nullable String slot;

    @JsonPropertyDescription("NVLink domain of the machine, unique everywhere.")
    @Size(max = 63)
    public @Nullable String nvlinkDomain;

    @JsonPropertyDescription("Fabric of the network between the GPUs.")
    @Size(max = 63)
    public @Nullable String fabric;

    @JsonPropertyDescription("Group of leaf switches in the fabric.")
    @Size(max = 63)
    public @Nullable String leafgroup;

    @JsonPropertyDescription("Name of that group of leaf switches, such as 90.1-DH1.")
    @Size(max = 63)
    public @Nullable String leafgroupName;

    @JsonPropertyDescription("Port of each of those switches that the machine is connected to.")
    @Size(max = 63)
    public @Nullable String leafPort;

    @JsonPropertyDescription("Superpod of the fabric.")
    @Size(max = 63)
    public @Nullable String superpod;
  }

  /** The pool that a machine is assigned to. */
  public static class AssignmentSpec implements ApiPart {
    @JsonPropertyDescription("Name of the NodePool.")
    @Required
    @Size(min = 1, max = 253)
    public String pool = "";

    @JsonPropertyDescription(
        "UID of the NodePool; it, not the name, says which pool the Host belongs to.")
    @Required
    @Size(min = 1, max = 63)
    public String poolUid = "";

    @JsonPropertyDescription(
        "Compute class of the NodePool, which the Node carries as a label; without it, default.")
    @OneOf({"default", "spot"})
    public @Nullable String computeClass;

    @JsonPropertyDescription(
        "Identifier of the request that led to the assignment; the same request has the same identifier.")
    @Size(max = 253)
    public @Nullable String operation;

    @JsonPropertyDescription("When the Host was assigned.")
    @DateTime
    public @Nullable String assignedAt;

    @JsonPropertyDescription(
        "What the Node is to carry from the moment it joins, besides what it has by its machine.")
    public @Nullable NodeMetadataSpec node;

    @JsonPropertyDescription(
        "That the machine is kept for inspection: it runs, and serves the pool no more. The operator sets it for a pool with the annotation nodepool.io/preserve, once a Node that is taken out of service is drained.")
    public @Nullable PreservedSpec preserved;
  }

  /** The record that a machine is kept for inspection. */
  public static class PreservedSpec implements ApiPart {
    @JsonPropertyDescription("The alert for which the machine was taken out of service.")
    @Size(max = 253)
    public @Nullable String alert;

    @JsonPropertyDescription("When the machine is stopped at the latest.")
    @DateTime
    public @Nullable String until;
  }

  /** The metadata that a Node must have when it joins. */
  public static class NodeMetadataSpec implements ApiPart {
    @JsonPropertyDescription("Labels of the Node.")
    @Size(max = 128)
    public Map<String, @Size(max = 63) String> labels = new TreeMap<>();

    @JsonPropertyDescription("Annotations of the Node.")
    @Size(max = 128)
    public Map<String, @Size(max = 16384) String> annotations = new TreeMap<>();

    @JsonPropertyDescription("Taints of the Node.")
    @Size(max = 64)
    @KeyedBy({"key", "effect"})
    public List<NodeTaint> taints = new ArrayList<>();
  }
}
