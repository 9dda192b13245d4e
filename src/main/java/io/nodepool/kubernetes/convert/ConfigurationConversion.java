package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.vocabulary.UpdateStrategy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts what a NodePool says about the configurations of its Nodes, to records and back. */
final class ConfigurationConversion {
  private ConfigurationConversion() {}

  /** What the spec and the annotations of a NodePool ask for. */
  static ConfigurationSpec spec(NodePool object) {
    NodePoolSpec spec = object.getSpec();
    return new ConfigurationSpec(
        new ConfigurationRequest(
            Optional.ofNullable(spec.image).map(ConfigurationConversion::image),
            spec.gpu == null ? "" : orEmpty(spec.gpu.version)),
        strategy(spec.nodeConfigurationUpdateStrategy),
        RolloutSettings.DEFAULTS,
        ConfigurationCommands.NONE);
  }

  private static ConfigurationRequest.ImageRequest image(NodePoolSpec.Image image) {
    return new ConfigurationRequest.ImageRequest(
        orEmpty(image.name),
        switch (image.releaseTrain) {
          case STABLE -> "stable";
          case LATEST -> "latest";
        },
        orEmpty(image.kernel));
  }

  private static UpdateStrategy strategy(
      NodePoolSpec.@Nullable NodeConfigurationUpdateStrategy object) {
    if (object == null || object.type == null) {
      return UpdateStrategy.ON_SPEC_UPDATE;
    }
    return switch (object.type) {
      case MANUAL -> UpdateStrategy.MANUAL;
      case ON_SPEC_UPDATE -> UpdateStrategy.ON_SPEC_UPDATE;
      case ALWAYS -> UpdateStrategy.ALWAYS;
      case ROLLOUT_ON_COMMAND -> UpdateStrategy.ROLLOUT_ON_COMMAND;
    };
  }

  /** The configurations that a status reports. */
  static ConfigurationState state(NodePoolStatus status) {
    return ConfigurationState.ofProfile(orEmpty(status.nodeProfile));
  }

  /** Reports the configurations in a status. */
  static void write(ConfigurationState state, NodePoolStatus object) {
    object.nodeProfile = orAbsent(state.profile());
  }
}
