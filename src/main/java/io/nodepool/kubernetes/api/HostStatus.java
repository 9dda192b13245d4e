package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.kubernetes.api.schema.OneOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a machine as the fleet reports it. Without defaults, so that a client that applies a
 * part owns that part only.
 */
@JsonClassDescription("What the fleet says about the machine.")
public class HostStatus extends UnknownWords implements ApiPart {
  @JsonPropertyDescription(
      "Free: may be assigned. Booting: being delivered for its assignment, or waiting for that. Running: booted for its assignment."
          + " Stopped: powered off while assigned. Cleaning: between two assignments. Failed: out of service.")
  public @Nullable Phase phase;

  @JsonPropertyDescription(
      "The spec.tenancy that the phase is about. A phase of an earlier tenancy says nothing about the present one.")
  @Min(0)
  public @Nullable Long tenancy;

  @JsonPropertyDescription("Identifier of the last boot; every boot has another one.")
  @Size(max = 253)
  public @Nullable String bootId;

  @JsonPropertyDescription("Identifier of the configuration that the machine booted into.")
  @Size(max = 255)
  public @Nullable String bootedConfiguration;

  @JsonPropertyDescription(
      "When the machine booted anew since its phase began. Without it, the last boot is the one with which the phase began.")
  @DateTime
  public @Nullable String bootedAt;

  @JsonPropertyDescription(
      "How many reboots the fleet has carried out on request, each counted when it begins.")
  @Min(0)
  public @Nullable Integer reboots;

  @JsonPropertyDescription("The reboot that the fleet is carrying out; absent while there is none.")
  public @Nullable BootCycle boot;

  @JsonPropertyDescription(
      "The last verification of the machine. A fleet that verifies does so after each boot that was requested.")
  public @Nullable Verification verification;

  @JsonPropertyDescription(
      "What became of the repairs of components that spec.repairs requests, by the name of the alert; one entry for the last try of each.")
  @Size(max = ComponentRepair.REMEMBERED)
  public Map<String, ComponentRepairStatus> repairs = new TreeMap<>();

  @JsonPropertyDescription("Since when the machine has been in its phase.")
  @DateTime
  public @Nullable String since;

  @JsonPropertyDescription("A sentence for people about the phase.")
  @Size(max = 1024)
  public @Nullable String message;

  @JsonPropertyDescription(
      "What the fleet knows of the machine's power. Without it, a machine that is Failed counts as off.")
  public @Nullable PowerStatus power;

  @JsonPropertyDescription(
      "Whether the owner works on the machine, with the fleet's engine or by hand. While true, it is not assigned, and no boot and no repair is requested.")
  public @Nullable Boolean maintenance;

  @JsonPropertyDescription(
      "What the API server answers to the creation of the machine's Node where it does not allow it. The pool then takes no further Hosts, and this one is not blamed.")
  @Size(max = 1024)
  public @Nullable String joinRefusal;

  @JsonPropertyDescription(
      "Whether the fleet offers the machine to spot pools. Without it, only pools that are not spot may use the machine.")
  public @Nullable Boolean spot;

  @JsonPropertyDescription(
      "The fleet's notice that it wants the machine back from a spot pool. While it stands, no spot pool is given the machine. Without it, the fleet does"
          + " not want the machine back.")
  public @Nullable ReclaimNotice reclaim;

  @JsonPropertyDescription(
      "What the fleet currently reports about the machine's health, one entry for each name. A signal that is over is taken out.")
  @Size(max = 64)
  @KeyedBy("name")
  public List<ReportedSignal> signals = new ArrayList<>();

  @JsonPropertyDescription(
      "The GPUs of the machine about which signals stand, such as gpu3, as far as these name them; absent if there are none.")
  @Size(max = 64)
  public @Nullable List<@Size(max = 40) String> faultyGpus;

  @JsonPropertyDescription(
      "The DPUs of the machine about which signals stand, such as dpu0, as far as these name them; absent if there are none.")
  @Size(max = 64)
  public @Nullable List<@Size(max = 40) String> faultyDpus;

  /** The phases of a machine, as its fleet reports them. */
  public enum Phase {
    @JsonProperty("Free")
    FREE,
    @JsonProperty("Booting")
    BOOTING,
    @JsonProperty("Running")
    RUNNING,
    @JsonProperty("Stopped")
    STOPPED,
    @JsonProperty("Cleaning")
    CLEANING,
    @JsonProperty("Failed")
    FAILED
  }

  /** The fleet's reading of the power of a machine. */
  public static class PowerStatus implements ApiPart {
    @JsonPropertyDescription(
        "On or Off, as it was last read from the machine; Unknown if it cannot be read now.")
    @Required
    @OneOf({"On", "Off", "Unknown"})
    public String state = "";

    @JsonPropertyDescription(
        "When it was last read from the machine; absent if it never was. What is older than 30 minutes says nothing."
            + " The fleet writes it with each change of the state, and else every 10 minutes.")
    @DateTime
    public @Nullable String checkedAt;
  }

  /** A reboot under way. */
  public static class BootCycle implements ApiPart {
    @JsonPropertyDescription("The bootId that the machine leaves; absent if it was not known.")
    @Size(min = 1, max = 253)
    public @Nullable String from;

    @JsonProperty("try")
    @JsonPropertyDescription("The spec.boot.try that it carries out.")
    @Required
    @Min(1)
    public int attempt;

    @JsonPropertyDescription("When it began.")
    @Required
    @DateTime
    public String startedAt = "";

    @JsonPropertyDescription(
        "Identifier of the configuration that the machine boots into, as spec.configuration was when it began.")
    @Size(max = 255)
    public @Nullable String configuration;

    @JsonPropertyDescription("A sentence for people about it, such as why it does not end.")
    @Size(max = 1024)
    public @Nullable String message;
  }

  /** The verification of a boot. */
  public static class Verification implements ApiPart {
    @JsonPropertyDescription("The boot that was verified.")
    @Required
    @Size(min = 1, max = 253)
    public String bootId = "";

    @JsonPropertyDescription("The spec.boot.operation that it answers.")
    @Size(max = 253)
    public @Nullable String operation;

    @JsonProperty("try")
    @JsonPropertyDescription("The spec.boot.try that it answers.")
    @Min(0)
    public @Nullable Integer attempt;

    @JsonPropertyDescription("Whether the machine passed.")
    @Required
    public @Nullable VerificationOutcome outcome;

    @JsonPropertyDescription("When it ended.")
    @Required
    @DateTime
    public String at = "";

    @JsonPropertyDescription("A sentence for people about what was found.")
    @Size(max = 1024)
    public @Nullable String message;
  }

  /** The outcome of the repair of a component. */
  public static class ComponentRepairStatus implements ApiPart {
    @JsonProperty("try")
    @JsonPropertyDescription("The try that it answers.")
    @Required
    @Min(1)
    public int attempt;

    @JsonPropertyDescription(
        "Whether the component was repaired: Succeeded or Failed. Whether that helps, the alert shows.")
    @Required
    @OneOf({"Succeeded", "Failed"})
    public String outcome = "";

    @JsonPropertyDescription("When it ended.")
    @Required
    @DateTime
    public String at = "";

    @JsonPropertyDescription("A sentence for people about what was done.")
    @Size(max = 1024)
    public @Nullable String message;
  }

  /** The outcome of a verification. */
  public enum VerificationOutcome {
    @JsonProperty("Passed")
    PASSED,
    @JsonProperty("Failed")
    FAILED
  }

  /** A notice that the fleet wants a machine back. */
  public static class ReclaimNotice implements ApiPart {
    @JsonPropertyDescription(
        "When the fleet announced it. The timeline of the preemption counts from here.")
    @Required
    @DateTime
    public String announcedAt = "";

    @JsonPropertyDescription(
        "When the fleet takes the machine, whether or not its Node has left the pool.")
    @Required
    @DateTime
    public String reclaimAt = "";

    @JsonPropertyDescription("A sentence for people about why the fleet wants it back.")
    @Size(max = 1024)
    public @Nullable String reason;
  }

  /** A signal that the fleet reports about a machine. */
  public static class ReportedSignal implements ApiPart {
    @JsonPropertyDescription("Name of the alert, such as GPUFallenOffBus.")
    @Required
    @Size(min = 1, max = 253)
    public String name = "";

    @JsonPropertyDescription(
        "The part of the machine that it is about, such as gpu3. Without it, the whole machine.")
    @Size(max = 40)
    public @Nullable String component;

    @JsonPropertyDescription("Since when it has been observed.")
    @Required
    @DateTime
    public String observedAt = "";

    @JsonPropertyDescription(
        "The boot during which it was observed. A signal of an earlier boot is stale.")
    @Size(max = 253)
    public @Nullable String bootId;

    @JsonPropertyDescription("How severe monitoring calls it.")
    @Size(max = 63)
    public @Nullable String severity;

    @JsonPropertyDescription("A sentence for people about it.")
    @Size(max = 1024)
    public @Nullable String message;
  }
}
