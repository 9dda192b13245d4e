package io.nodepool.model.pool;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.vocabulary.UpdateStrategy;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The configuration that a pool's Nodes boot, and how a change of it reaches them.
 *
 * @param request which configuration is selected from a release
 * @param strategy when another configuration becomes the active one
 * @param rollout how Nodes take on the active configuration; read from annotations
 * @param commands the commands of users; read from annotations
 */
@RecordBuilder
public record ConfigurationSpec(
    ConfigurationRequest request,
    UpdateStrategy strategy,
    RolloutSettings rollout,
    ConfigurationCommands commands)
    implements ConfigurationSpecCopy.With {
  /** Nothing is selected; the default strategy. */
  public static final ConfigurationSpec DEFAULT =
      new ConfigurationSpec(
          ConfigurationRequest.NONE,
          UpdateStrategy.ON_SPEC_UPDATE,
          RolloutSettings.DEFAULTS,
          ConfigurationCommands.NONE);
}
