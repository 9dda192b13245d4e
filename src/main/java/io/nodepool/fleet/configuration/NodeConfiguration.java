package io.nodepool.fleet.configuration;

import java.util.List;

/**
 * A bootable configuration.
 *
 * @param profile its identifier; {@link ConfigurationContents} reads the contents from it, unless
 *     the fleet chose the identifier itself
 * @param summary what it contains, for people
 */
public record NodeConfiguration(String profile, List<String> summary) {
  public NodeConfiguration {
    summary = List.copyOf(summary);
  }
}
