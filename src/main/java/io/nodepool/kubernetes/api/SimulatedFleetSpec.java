package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.nodepool.kubernetes.api.schema.ApiPart;
import io.nodepool.kubernetes.api.schema.ApiText;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.kubernetes.api.schema.OneOf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The description of a simulated data centre. */
@JsonClassDescription("What the data centre consists of.")
public class SimulatedFleetSpec implements ApiPart {
  @JsonPropertyDescription(
      "Availability zone of all machines. Pools may ask for instance types that are offered in it.")
  @Required
  @Size(min = 1, max = 63)
  public String zone = "";

  @JsonPropertyDescription("Region of all machines; without it, the zone.")
  @Size(max = 63)
  public @Nullable String region;

  @JsonPropertyDescription(
      "Identifier of the organisation whose Nodes these are; the value of node.coreweave.cloud/reserved.")
  @Size(max = 63)
  @Pattern(ApiText.LABEL_VALUE)
  public @Nullable String organization;

  @JsonPropertyDescription(
      "Name of the cluster that the machines join; the value of cks.coreweave.com/cluster. Without it, the organisation.")
  @Size(max = 63)
  @Pattern(ApiText.LABEL_VALUE)
  public @Nullable String cluster;

  @JsonPropertyDescription(
      "Seed of all that is left to chance. The same seed and the same requests give the same course of events.")
  @Default("0")
  public long seed;

  @JsonPropertyDescription(
      "Version of Kubernetes that the kubelets of whole configurations report, such as v1.34.4.")
  @Size(max = 63)
  public @Nullable String kubernetesVersion;

  @JsonPropertyDescription("The machines, rack by rack.")
  @Size(max = 4096)
  @KeyedBy("name")
  public List<Rack> racks = new ArrayList<>();

  @JsonPropertyDescription(
      "How many Nodes of each instance type the organisation may have. A type that is not listed has no quota set; without the list, each type has as many as it has machines.")
  @Size(max = 256)
  @KeyedBy("instanceType")
  public List<QuotaSpec> quotas = new ArrayList<>();

  @JsonPropertyDescription(
      "Instance types whose requests are not queued: a pool gets the machines that are free, and Capacity says Partial or NoneAvailable.")
  @Size(max = 256)
  public List<@Size(min = 1, max = 63) String> unqueuedInstanceTypes = new ArrayList<>();

  @JsonPropertyDescription(
      "Whole configurations on offer, oldest first; nothing in them can be selected. They are older than all releases.")
  @Size(max = 64)
  @KeyedBy("name")
  public List<Configuration> configurations = new ArrayList<>();

  @JsonPropertyDescription(
      "What machines can boot: releases of images, GPU drivers and Kubernetes, oldest first. Add an entry at the end to publish another one.")
  @Size(max = 64)
  @KeyedBy("name")
  public List<PublishedRelease> releases = new ArrayList<>();

  @JsonPropertyDescription("How long things take.")
  public @Nullable Timings timings;

  @JsonPropertyDescription("What goes wrong with machines, for drills.")
  public @Nullable FleetMishaps mishaps;

  @JsonPropertyDescription(
      "Notices that the data centre wants machines back from spot pools, at fixed times, for drills.")
  @Size(max = 1024)
  @KeyedBy("host")
  public List<ScriptedReclaim> reclaims = new ArrayList<>();

  /** A rack of machines of one type, or several equal racks. */
  public static class Rack implements ApiPart {
    @JsonPropertyDescription(
        "Short name of the rack, such as 169; the value of node.coreweave.cloud/rack.")
    @Required
    @Size(min = 1, max = 63)
    @Pattern(ApiText.LABEL_VALUE)
    public String name = "";

    @JsonPropertyDescription("Instance type of its machines.")
    @Required
    @Size(min = 1, max = 63)
    public String instanceType = "";

    @JsonPropertyDescription("How many machines it holds.")
    @Required
    @Min(0)
    @Max(100_000)
    public int hosts;

    @JsonPropertyDescription(
        "How many machines fit into one rack. With more hosts than that, the entry stands for several racks. A name that is a number is"
            + " counted on from: 169, 170 and so on; another name is numbered: name-1, name-2 and so on. Without it, the entry is one rack.")
    @Min(1)
    @Max(1000)
    public @Nullable Integer slotsPerRack;

    @JsonPropertyDescription(
        "Whether spot pools may use its machines. Machines of Superchip types are never offered to them.")
    @Default("true")
    public boolean spot = true;
  }

  /** The quota of an instance type. */
  public static class QuotaSpec implements ApiPart {
    @JsonPropertyDescription("The instance type.")
    @Required
    @Size(min = 1, max = 63)
    public String instanceType = "";

    @JsonPropertyDescription("How many Nodes of it the organisation may have, all pools together.")
    @Required
    @Min(0)
    public int nodes;
  }

  /** A configuration on offer. */
  public static class Configuration implements ApiPart {
    @JsonPropertyDescription("Name of the configuration.")
    @Required
    @Size(min = 1, max = 253)
    public String name = "";

    @JsonPropertyDescription(
        "What it contains, such as versions of image, GPU driver and Kubernetes.")
    @Size(max = 32)
    public List<@Size(max = 1024) String> summary = new ArrayList<>();
  }

  /** A release that machines can boot from some time on. */
  public static class PublishedRelease implements ApiPart {
    @JsonPropertyDescription("Name of the release.")
    @Required
    @Size(min = 1, max = 253)
    public String name = "";

    @JsonPropertyDescription(
        "The time from the creation of the SimulatedFleet to the publication, such as 2h. Without it, the release is on offer at once.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String after;

    @JsonPropertyDescription("The images, oldest first.")
    @Required
    @Size(min = 1, max = 64)
    @KeyedBy("name")
    public List<ReleasedImage> images = new ArrayList<>();

    @JsonPropertyDescription(
        "Versions of the GPU driver, oldest first; machines without GPUs get none. A pool selects a major version, and gets the newest driver of it.")
    @Size(max = 64)
    public List<@Size(min = 1, max = 63) String> gpuDrivers = new ArrayList<>();

    @JsonPropertyDescription("Version of Kubernetes that the kubelets report, such as v1.34.4.")
    @Required
    @Size(min = 1, max = 63)
    public String kubernetesVersion = "";
  }

  /** An image in a release. */
  public static class ReleasedImage implements ApiPart {
    @JsonPropertyDescription("Name of the image; Nodes report it as their osImage.")
    @Required
    @Size(min = 1, max = 63)
    public String name = "";

    @JsonPropertyDescription("The train of releases that it belongs to: stable or latest.")
    @Required
    @OneOf({"stable", "latest"})
    public String train = "";

    @JsonPropertyDescription("Versions of the kernel that it can boot with, oldest first.")
    @Required
    @Size(min = 1, max = 16)
    public List<@Size(min = 1, max = 63) String> kernels = new ArrayList<>();
  }

  /** A machine that the data centre wants back at a fixed time. */
  public static class ScriptedReclaim implements ApiPart {
    @JsonPropertyDescription("Name of the Host.")
    @Required
    @Size(min = 1, max = 253)
    public String host = "";

    @JsonPropertyDescription(
        "The time from the creation of the SimulatedFleet to the notice, such as 20m.")
    @Required
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public String after = "";

    @JsonPropertyDescription(
        "The time from the notice to its withdrawal, such as 3m. Without it, the notice ends one reclaimWindow after the data centre was to take the machine,"
            + " once no spot pool holds it.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String withdrawAfter;
  }

  /** How long things take in a simulated data centre. */
  public static class Timings implements ApiPart {
    @JsonPropertyDescription(
        "The least time from the assignment of a machine to its Node, such as 5m.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String bootMin;

    @JsonPropertyDescription(
        "The greatest time from the assignment of a machine to its Node, such as 15m.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String bootMax;

    @JsonPropertyDescription("How long a machine is cleaned after its assignment is cleared.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String clean;

    @JsonPropertyDescription(
        "The time from the notice that the data centre wants a machine back until it takes the machine; without it, 7m.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String reclaimWindow;

    @JsonPropertyDescription("How long a reboot takes; without it, 3m.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String reboot;

    @JsonPropertyDescription(
        "How long the verification after a requested boot takes; without it, 10m.")
    @Size(max = 32)
    @Pattern(ApiText.DURATION)
    public @Nullable String verification;
  }
}
