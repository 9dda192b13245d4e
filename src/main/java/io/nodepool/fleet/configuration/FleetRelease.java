package io.nodepool.fleet.configuration;

import java.util.List;

/**
 * Configurations that a fleet offers from some time on. A later release replaces an earlier one.
 */
public sealed interface FleetRelease {
  /** The train of releases that pools take images from unless they select another one. */
  String STABLE = "stable";

  /** The train of releases that are newer than stable ones. */
  String LATEST = "latest";

  /** Its name, unique in the fleet. */
  String name();

  /** Whether the configuration with this identifier can be built from it. */
  boolean offers(String profile);

  /**
   * One configuration with an identifier that the fleet chose; nothing in it can be selected.
   *
   * @param configuration the configuration; its identifier is also the name of the release
   */
  record Whole(NodeConfiguration configuration) implements FleetRelease {
    @Override
    public String name() {
      return configuration.profile();
    }

    @Override
    public boolean offers(String profile) {
      return profile.equals(configuration.profile());
    }
  }

  /**
   * Images, GPU drivers and a version of Kubernetes, from which a pool's spec selects.
   *
   * @param images the images, oldest first
   * @param gpuDrivers full versions, oldest first; empty if no machine of the fleet has GPUs
   * @param kubernetes version of the kubelet
   */
  record Parts(String name, List<Image> images, List<String> gpuDrivers, String kubernetes)
      implements FleetRelease {
    public Parts {
      images = List.copyOf(images);
      gpuDrivers = List.copyOf(gpuDrivers);
    }

    @Override
    public boolean offers(String profile) {
      return ConfigurationContents.of(profile).filter(this::offers).isPresent();
    }

    private boolean offers(ConfigurationContents contents) {
      return contents.kubernetes().equals(kubernetes)
          && (contents.gpuDriver().isEmpty() || gpuDrivers.contains(contents.gpuDriver()))
          && images.stream()
              .anyMatch(image ->
                  image.name().equals(contents.image())
                      && image.kernels().contains(contents.kernel()));
    }
  }

  /**
   * A boot image.
   *
   * @param train the train of releases that it belongs to; {@link #isTrain} accepts it
   * @param kernels the versions of the kernel that it can boot with, oldest first; at least one
   * @param source where its fleet gets it; the operator does not use this
   */
  record Image(String name, String train, List<String> kernels, Source source) {
    /** An image whose fleet does not report its source. */
    public Image(String name, String train, List<String> kernels) {
      this(name, train, kernels, Source.UNSAID);
    }

    public Image {
      kernels = List.copyOf(kernels);
      if (kernels.isEmpty()) {
        throw new IllegalArgumentException("image " + name + " has no kernel");
      }
    }

    /**
     * Where a fleet gets an image from; each part may be empty text.
     *
     * @param image its URL
     * @param checksum the checksum of the image at that URL
     * @param template name of the fleet's Secret with the template of the user data
     */
    public record Source(String image, String checksum, String template) {
      /** The source is not reported. */
      public static final Source UNSAID = new Source("", "", "");
    }
  }

  /** Whether there is a train of releases with this name. */
  static boolean isTrain(String name) {
    return name.equals(STABLE) || name.equals(LATEST);
  }

  /** A release of one configuration with this identifier. */
  static FleetRelease whole(String profile, List<String> summary) {
    return new Whole(new NodeConfiguration(profile, summary));
  }
}
