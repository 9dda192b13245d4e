package io.nodepool.simulated;

import io.nodepool.fleet.configuration.ConfigurationContents;

/**
 * Configurations into which boots go wrong, for tests and exercises: all configurations that
 * contain the named parts.
 *
 * @param image name of the image; empty text for any
 * @param kernel version of the kernel; empty text for any
 * @param gpuDriver full version of the GPU driver; empty text for any
 * @param fromBoot the number of the first boot that goes wrong, as {@link BrokenBoots} counts; 1
 *     for all boots
 * @param kind what goes wrong with a boot into them
 */
public record BrokenConfiguration(
    String image, String kernel, String gpuDriver, int fromBoot, RebootMishaps.Kind kind) {

  /** Whether a configuration is one of them; never if the fleet chose its identifier. */
  boolean contains(String profile) {
    return ConfigurationContents.of(profile)
        .filter(contents -> isOrAny(image, contents.image()))
        .filter(contents -> isOrAny(kernel, contents.kernel()))
        .filter(contents -> isOrAny(gpuDriver, contents.gpuDriver()))
        .isPresent();
  }

  private static boolean isOrAny(String wanted, String part) {
    return wanted.isEmpty() || wanted.equals(part);
  }
}
