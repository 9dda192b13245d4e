package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.ConfigurationSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The inputs of the state machine of configurations.
 *
 * @param spec what the pool asks for
 * @param hasGpus whether its machines have GPUs
 * @param releases the releases of the fleet that it may use, oldest first; none while the fleet's
 *     offer cannot be read
 * @param kubernetes the version of the API server
 * @param members the Hosts that the pool holds
 * @param deliveryTime how long the delivery of a Node may take
 */
record ConfigurationInputs(
    ConfigurationSpec spec,
    boolean hasGpus,
    List<FleetRelease> releases,
    KubernetesSkew kubernetes,
    Members members,
    Duration deliveryTime,
    Instant now) {
  ConfigurationInputs {
    releases = List.copyOf(releases);
  }

  /** What the spec selects. */
  Selections selections() {
    return new Selections(spec.request(), hasGpus, releases);
  }

  /** Whether a Host is in delivery that was assigned at this instant or before. */
  boolean deliveringSince(Instant since) {
    return members
        .having(Members.Trait.IN_PROGRESS)
        .filter(member -> !member.isTerminating())
        .flatMap(member -> member.host().assignment().stream())
        .anyMatch(assignment -> !assignment.at().isAfter(since));
  }
}
