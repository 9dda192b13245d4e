package io.nodepool.control.state;

import io.nodepool.health.HealthSettings;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.InstantSource;

/** States of clusters of which nothing was observed yet. */
public final class ClusterStates {
  private ClusterStates() {}

  /** One with the defaults of all settings. */
  public static ClusterState empty(InstantSource clock) {
    return new ClusterState(
        ControlPlaneNamespaces.DEFAULTS, HealthSettings.DEFAULTS, KeyExceptions.NONE, clock);
  }
}
