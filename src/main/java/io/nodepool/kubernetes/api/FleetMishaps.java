package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.OneOf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The faults of machines. */
public class FleetMishaps implements ApiPart {
  private static final String NAME = "^[A-Za-z0-9_][-_A-Za-z0-9]*$";

  @JsonPropertyDescription("Names of Hosts that never come up.")
  @Size(max = 1024)
  public List<@Size(min = 1, max = 253) String> neverBoot = new ArrayList<>();

  @JsonPropertyDescription("Names of Hosts that come up and never join as Nodes.")
  @Size(max = 1024)
  public List<@Size(min = 1, max = 253) String> neverJoin = new ArrayList<>();

  @JsonPropertyDescription("How many of a hundred boots come to nothing, by chance of the seed.")
  @Min(0)
  @Max(100)
  @Default("0")
  public int bootFailurePercent;

  @JsonPropertyDescription(
      "How often a day, on average, the data centre wants a machine back that runs for a spot pool, by chance of the seed. --speed multiplies it.")
  @Min(0)
  @Max(100_000)
  @Default("0")
  public int reclaimsPerDay;

  @JsonPropertyDescription("Configurations into which boots go wrong.")
  @Size(max = 64)
  public List<BrokenParts> configurations = new ArrayList<>();

  @JsonPropertyDescription("Reboots of certain machines that go wrong.")
  @Size(max = 1024)
  public List<ScriptedReboot> reboots = new ArrayList<>();

  @JsonPropertyDescription(
      "How many of a hundred reboots never end, by chance of the seed. Another try may end.")
  @Min(0)
  @Max(100)
  @Default("0")
  public int rebootHangPercent;

  @JsonPropertyDescription(
      "How many of a hundred reboots leave the machine failed, by chance of the seed; with rebootHangPercent at most 100.")
  @Min(0)
  @Max(100)
  @Default("0")
  public int rebootFailurePercent;

  @JsonPropertyDescription("How many of a hundred verifications fail, by chance of the seed.")
  @Min(0)
  @Max(100)
  @Default("0")
  public int verificationFailurePercent;

  @JsonPropertyDescription(
      "How many of a hundred resets of the host alone make its DPU punt routes (DPUUnexpectedPuntedRoutes), by chance of the seed.")
  @Min(0)
  @Max(100)
  @Default("0")
  public int puntedRoutesPercent;

  @JsonPropertyDescription(
      "What machines report about their health, in status.signals of their Hosts.")
  @Size(max = 1024)
  public List<FaultOfMachines> faults = new ArrayList<>();

  /** A fault of machines. */
  public static class FaultOfMachines implements ApiPart {
    @JsonPropertyDescription(
        "Name of the Host that has it. Without host and rack, all machines have it.")
    @Size(min = 1, max = 253)
    public @Nullable String host;

    @JsonPropertyDescription(
        "Name of the rack, all machines of which have it at once, as when its power fails. Not beside host.")
    @Size(min = 1, max = 63)
    public @Nullable String rack;

    @JsonPropertyDescription("The name of the alert that is reported, such as GPUFallenOffBus.")
    @Required
    @Size(min = 1, max = 100)
    @Pattern(NAME)
    public String alert = "";

    @JsonPropertyDescription(
        "The part of the machine that has it, such as gpu3. Without it, the whole machine.")
    @Size(min = 1, max = 40)
    @Pattern(NAME)
    public @Nullable String component;

    @JsonPropertyDescription(
        "When it begins: an instant. The next tenant gets the machine in order. One of at, after and meanTime.")
    @DateTime
    public @Nullable String at;

    @JsonPropertyDescription(
        "When it begins: the time since the machine came up for a tenant, so that each tenant of it has the fault. --speed divides it.")
    @Size(max = 32)
    public @Nullable String after;

    @JsonPropertyDescription(
        "Begins by chance of the seed on each of the machines, once for each tenant, on average so long after it came up. --speed divides it.")
    @Size(max = 32)
    public @Nullable String meanTime;

    @JsonPropertyDescription("How long it stands by itself. Without it, until it is healed.")
    @Size(max = 32)
    public @Nullable String lasts;

    @JsonPropertyDescription(
        "How often it comes back; longer than lasts, which it needs. At least 10s.")
    @Size(max = 32)
    public @Nullable String every;

    @JsonPropertyDescription(
        "The alert that is reported too some time later, as of a fault that has a precursor.")
    @Size(min = 1, max = 100)
    @Pattern(NAME)
    public @Nullable String leadsTo;

    @JsonPropertyDescription("How much later that is. Without it, at once.")
    @Size(max = 32)
    public @Nullable String leadsToAfter;

    @JsonPropertyDescription(
        "Whether the kubelet reports nothing any more, until a boot that heals it. Only with a healedBy that boots, and without lasts.")
    @Default("false")
    public boolean silent;

    @JsonPropertyDescription(
        "What heals it; all others leave it. Reboot: any boot; the default. HostReset: a reset of the host, alone or with its DPU. HostAndDpuReset: a reset of both, as a power reset is one."
            + " ComponentRepair: the repair of the component. Replacement: another machine. Nothing: only its own end.")
    @OneOf({"Nothing", "ComponentRepair", "Reboot", "HostReset", "HostAndDpuReset", "Replacement"})
    public @Nullable String healedBy;
  }

  /** Configurations into which boots go wrong. */
  public static class BrokenParts implements ApiPart {
    @JsonPropertyDescription(
        "Name of the image. At least one of image, kernel and gpuDriver; configurations that have all that are given are meant.")
    @Size(max = 63)
    public @Nullable String image;

    @JsonPropertyDescription("Version of the kernel.")
    @Size(max = 63)
    public @Nullable String kernel;

    @JsonPropertyDescription("Full version of the GPU driver.")
    @Size(max = 63)
    public @Nullable String gpuDriver;

    @JsonPropertyDescription(
        "The first boot that goes wrong, of all machines together; without it, each does. Counted are the machines that have booted into these configurations"
            + " and run with them, and those on their way that began before.")
    @Min(1)
    @Max(100_000)
    public @Nullable Integer fromBoot;

    @JsonPropertyDescription(
        "What happens, at deliveries and reboots. Hang: the machine does not come up; the default. Fail: it has failed, until it was released. NotReady: it boots, and no Node joins or it does not become Ready."
            + " VerificationFailure: it boots, and does not pass its verification.")
    @OneOf({"Hang", "Fail", "NotReady", "VerificationFailure"})
    public @Nullable String mishap;
  }

  /** A reboot that goes wrong. */
  public static class ScriptedReboot implements ApiPart {
    @JsonPropertyDescription("Name of the Host.")
    @Required
    @Size(min = 1, max = 253)
    public String host = "";

    @JsonPropertyDescription(
        "Which reboot, as status.reboots of the Host counts them, from 1. Without it, each.")
    @Min(1)
    public @Nullable Integer reboot;

    @JsonPropertyDescription(
        "What happens. Hang: it never ends, and another try begins anew. Fail: the machine has failed. NotReady: the machine boots, and its Node does not become Ready."
            + " VerificationFailure: the machine boots, and does not pass its verification.")
    @Required
    @OneOf({"Hang", "Fail", "NotReady", "VerificationFailure"})
    public String mishap = "";
  }
}
