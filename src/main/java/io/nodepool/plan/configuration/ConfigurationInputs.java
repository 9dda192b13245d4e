package io.nodepool.plan.configuration;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.Pool;
import java.time.Duration;
import java.time.Instant;

/**
 * The inputs of the state machine of configurations.
 *
 * @param pool the pool, without regard to what it publishes
 * @param selections what the spec selects from the releases of the fleet; there are none while its
 *     offer cannot be read
 * @param kubernetes the version of the API server
 * @param members the Hosts that the pool holds
 * @param deliveryTime how long the delivery of a Node may take
 */
record ConfigurationInputs(
    Pool pool,
    Selections selections,
    KubernetesSkew kubernetes,
    Members members,
    Duration deliveryTime,
    Instant now) {
  /** What the pool asks for. */
  ConfigurationSpec spec() {
    return pool.spec().configuration();
  }

  /**
   * Whether a Host that was assigned at this instant or before is in delivery. A Host whose stored
   * state cannot be read does not count: its delivery does not go on.
   */
  boolean deliveringSince(Instant since) {
    return members
        .having(Members.Trait.IN_PROGRESS)
        .filter(member -> !member.isTerminating() && !member.isFrozen())
        .flatMap(member -> member.host().assignment().stream())
        .anyMatch(assignment -> !assignment.at().isAfter(since));
  }
}
