package io.nodepool.fleet.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The contents of a configuration. They determine its identifier: equal contents always have equal
 * identifiers, and a fleet reads from the identifier what a machine must boot.
 *
 * @param image name of the boot image
 * @param kernel version of the kernel
 * @param gpuDriver full version of the GPU driver; empty text for machines without GPUs
 * @param kubernetes version of the kubelet, such as v1.34.4
 */
public record ConfigurationContents(
    String image, String kernel, String gpuDriver, String kubernetes) {
  /** The pattern of a name or version in a configuration. */
  public static final String PART = "[A-Za-z0-9]([A-Za-z0-9.+-]{0,61}[A-Za-z0-9])?";

  private static final Pattern VALID = Pattern.compile(PART);
  private static final String NO_DRIVER = "none";

  public ConfigurationContents {
    requirePart(image);
    requirePart(kernel);
    requirePart(kubernetes);
    if (!gpuDriver.isEmpty()) {
      requirePart(gpuDriver);
    }
  }

  private static void requirePart(String text) {
    if (!isPart(text)) {
      throw new IllegalArgumentException("no part of a configuration: " + text);
    }
  }

  /** Whether a text can be a name or version in a configuration. */
  public static boolean isPart(String text) {
    return VALID.matcher(text).matches();
  }

  /** The contents that an identifier encodes; empty if the fleet chose the identifier. */
  public static Optional<ConfigurationContents> of(String profile) {
    List<String> parts = List.of(profile.split("_", -1));
    return parts.size() == 4 && parts.stream().allMatch(ConfigurationContents::isPart)
        ? Optional.of(
            new ConfigurationContents(
                parts.get(0),
                parts.get(1),
                parts.get(2).equals(NO_DRIVER) ? "" : parts.get(2),
                parts.get(3)))
        : Optional.empty();
  }

  /** The identifier. */
  public String profile() {
    return String.join("_", image, kernel, gpuDriver.isEmpty() ? NO_DRIVER : gpuDriver, kubernetes);
  }

  /** The configuration with these contents. */
  public NodeConfiguration configuration() {
    List<String> summary = new ArrayList<>();
    summary.add("image " + image);
    summary.add("kernel " + kernel);
    if (!gpuDriver.isEmpty()) {
      summary.add("GPU driver " + gpuDriver);
    }
    summary.add("Kubernetes " + kubernetes);
    return new NodeConfiguration(profile(), summary);
  }
}
