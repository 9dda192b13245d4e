package io.nodepool.model.pool;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.vocabulary.UpdateStrategy;

/**
 * What a pool's Nodes boot, and how a change of that reaches them.
 *
 * @param request which configuration is selected from a release
 * @param strategy when another configuration becomes the active one
 * @param rollout how Nodes take on the active configuration; read from annotations
 * @param commands what a user asks for; read from annotations
 */
public record ConfigurationSpec(
    ConfigurationRequest request,
    UpdateStrategy strategy,
    RolloutSettings rollout,
    ConfigurationCommands commands) {
  /** Nothing is selected; the default strategy. */
  public static final ConfigurationSpec DEFAULT =
      new ConfigurationSpec(
          ConfigurationRequest.NONE,
          UpdateStrategy.ON_SPEC_UPDATE,
          RolloutSettings.DEFAULTS,
          ConfigurationCommands.NONE);

  /** This spec with another selection. */
  public ConfigurationSpec withRequest(ConfigurationRequest next) {
    return new ConfigurationSpec(next, strategy, rollout, commands);
  }

  /** This spec with another strategy. */
  public ConfigurationSpec withStrategy(UpdateStrategy next) {
    return new ConfigurationSpec(request, next, rollout, commands);
  }

  /** This spec with other settings of a rollout. */
  public ConfigurationSpec withRollout(RolloutSettings next) {
    return new ConfigurationSpec(request, strategy, next, commands);
  }

  /** This spec with other commands. */
  public ConfigurationSpec withCommands(ConfigurationCommands next) {
    return new ConfigurationSpec(request, strategy, rollout, next);
  }
}
