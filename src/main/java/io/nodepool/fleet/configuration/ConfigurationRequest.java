package io.nodepool.fleet.configuration;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The part of a pool's spec that selects a configuration (contract §2).
 *
 * @param image the requested image; empty if the spec has none
 * @param gpuVersion the requested major version of the GPU driver; empty text for the newest.
 *     Ignored if an image is requested
 */
@RecordBuilder
public record ConfigurationRequest(Optional<ImageRequest> image, String gpuVersion)
    implements ConfigurationRequestCopy.With {
  /** Nothing is selected. */
  public static final ConfigurationRequest NONE = new ConfigurationRequest(Optional.empty(), "");

  /**
   * A requested image.
   *
   * @param name its name; empty text for the newest of the train
   * @param train stable or latest
   * @param kernel version of the kernel; empty text for the newest that the image has
   */
  public record ImageRequest(String name, String train, String kernel) {
    private String text() {
      return name.isEmpty()
          ? train + (kernel.isEmpty() ? "" : " with kernel " + kernel)
          : "image " + name;
    }
  }

  /** What a request selects from a release. */
  public sealed interface Selection {
    /** A configuration. */
    record Found(NodeConfiguration configuration) implements Selection {}

    /** No configuration: one clause that names the field and what the release offers. */
    record Missing(String why) implements Selection {}
  }

  /** The request in one line; equal requests have equal text. */
  public String text() {
    return image
        .map(ImageRequest::text)
        .orElseGet(() ->
            gpuVersion.isEmpty()
                ? FleetRelease.STABLE
                : FleetRelease.STABLE + ", GPU driver " + gpuVersion);
  }

  /** Whether a GPU driver is requested that is ignored, because an image is requested too. */
  public boolean ignoresDriver() {
    return image.isPresent() && !gpuVersion.isEmpty();
  }

  /**
   * Selects from a release.
   *
   * @param hasGpus whether the machines have GPUs; without GPUs they get no driver
   */
  public Selection select(FleetRelease release, boolean hasGpus) {
    return switch (release) {
      // Such a fleet does not report what its configurations contain, so nothing can be missing.
      case FleetRelease.Whole whole -> new Selection.Found(whole.configuration());
      case FleetRelease.Parts parts -> select(parts, hasGpus);
    };
  }

  /** Whether it names an image or a kernel; a train alone does not count. */
  public boolean namesConfiguration() {
    return image.filter(each -> !each.name().isEmpty() || !each.kernel().isEmpty()).isPresent();
  }

  /** Whether it accepts any image and kernel of the stable train, and any driver. */
  public boolean selectsNothing() {
    return gpuVersion.isEmpty()
        && image
            .filter(each -> !each.equals(new ImageRequest("", FleetRelease.STABLE, "")))
            .isEmpty();
  }

  private Selection select(FleetRelease.Parts release, boolean hasGpus) {
    ImageRequest wanted = image.orElse(new ImageRequest("", FleetRelease.STABLE, ""));
    List<FleetRelease.Image> named =
        release.images().stream()
            .filter(each ->
                wanted.name().isEmpty()
                    ? each.train().equals(wanted.train())
                    : each.name().equals(wanted.name()))
            .toList();
    if (named.isEmpty()) {
      return new Selection.Missing(
          wanted.name().isEmpty()
              ? "spec.image.releaseTrain is %s, and release %s has no image of that train"
                  .formatted(wanted.train(), release.name())
              : "spec.image.name is %s, and release %s has %s"
                  .formatted(wanted.name(), release.name(), names(release)));
    }
    Optional<FleetRelease.Image> found =
        named.reversed().stream()
            .filter(each -> wanted.kernel().isEmpty() || each.kernels().contains(wanted.kernel()))
            .findFirst();
    if (found.isEmpty()) {
      return new Selection.Missing(
          "spec.image.kernel is %s, and release %s has %s"
              .formatted(
                  wanted.kernel(),
                  release.name(),
                  named.stream()
                      .flatMap(each -> each.kernels().stream())
                      .distinct()
                      .collect(Collectors.joining(", "))));
    }
    Optional<String> driver = driver(release, hasGpus);
    if (driver.isEmpty()) {
      return new Selection.Missing(
          "spec.gpu.version is %s, and release %s has the drivers %s"
              .formatted(gpuVersion, release.name(), String.join(", ", release.gpuDrivers())));
    }
    String kernel = wanted.kernel().isEmpty() ? found.get().kernels().getLast() : wanted.kernel();
    return new Selection.Found(
        new ConfigurationContents(found.get().name(), kernel, driver.get(), release.kubernetes())
            .configuration());
  }

  private static String names(FleetRelease.Parts release) {
    return release.images().stream()
        .map(FleetRelease.Image::name)
        .collect(Collectors.joining(", "));
  }

  /** The newest driver of the requested major version; empty text where none is needed. */
  private Optional<String> driver(FleetRelease.Parts release, boolean hasGpus) {
    String major = image.isPresent() ? "" : gpuVersion;
    if (!hasGpus || (major.isEmpty() && release.gpuDrivers().isEmpty())) {
      return Optional.of("");
    }
    return release.gpuDrivers().reversed().stream()
        .filter(each -> major.isEmpty() || each.equals(major) || each.startsWith(major + "."))
        .findFirst();
  }
}
