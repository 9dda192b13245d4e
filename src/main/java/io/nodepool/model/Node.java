package io.nodepool.model;

import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.Optional;

/**
 * A Node that a Host of the fleet joined as: the facts that decisions use.
 *
 * @param hostUid the Host that joined as it
 * @param tenancy the tenancy of its Host that it belongs to
 * @param poolUid the pool that it carries the label of
 * @param ready whether its Ready condition is True
 * @param registered whether CWRegistered is True
 * @param locked whether SUNK holds it for a Slurm job, as its lock taint says
 * @param activity what CWActive says; empty while it is not set
 * @param cordoned whether it is unschedulable
 */
public record Node(
    String name,
    String uid,
    long version,
    String hostUid,
    int tenancy,
    String poolUid,
    Instant createdAt,
    boolean ready,
    boolean registered,
    boolean locked,
    Optional<Activity> activity,
    boolean cordoned) {

  /** Whether a Node has tenant work, and in words which. */
  public record Activity(boolean active, String message) {}

  /** Whether it belongs to this Host's present tenancy. */
  public boolean isOf(Host host) {
    return host.assignment().isPresent()
        && tenancy == host.tenancy()
        && hostUid.equals(host.id().uid());
  }
}
