package io.nodepool.model;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One pool and what it competes for, at one moment: a consistent, immutable picture.
 *
 * @param growth the newest growth request known, published or not yet
 * @param members Hosts held, in order of UID
 * @param assigning Hosts whose assignment to this pool is not answered yet
 * @param unread Hosts held that were never read, because they cannot be
 * @param others claims of the other pools of the same instance type, in their order
 * @param free the free Hosts of the type
 * @param offer the fleet's offer, or why there is none
 * @param confirmedEmpty whether a live list, made after the deletion was asked for, found no Host
 *     and no Node of it
 * @param ledger what was seen to happen to its Nodes
 */
public record PoolSnapshot(
    Pool pool,
    Optional<Growth> growth,
    List<Member> members,
    int assigning,
    List<Unread> unread,
    List<Claim> others,
    Free free,
    Offer offer,
    boolean confirmedEmpty,
    EventLedger ledger) {

  /**
   * A free Host: what is needed to choose and assign it.
   *
   * @param rackHolder UID of the pool that holds other Hosts of its rack; empty text if none does
   */
  public record Candidate(HostId host, int tenancy, Machine machine, String rackHolder) {}

  /**
   * A Host of the pool of which nothing is known but that it is there.
   *
   * @param why why it cannot be read
   * @param registered whether a registered Node of its name is known
   */
  public record Unread(String name, String why, boolean registered) {}

  /**
   * The free Hosts of an instance type.
   *
   * @param now those that may be assigned now, in the order in which they are given out; all of
   *     them, or enough for all claims where any Host is as good as the next
   * @param next when the next one may be assigned that is left alone after a failed delivery
   * @param setAside how many may not be assigned until a person clears them
   */
  public record Free(List<Candidate> now, Optional<Instant> next, int setAside) {
    public Free {
      now = List.copyOf(now);
    }
  }

  /** What is known of the fleet's offer. */
  public sealed interface Offer {
    /** It was read. */
    record Known(FleetOffer offer) implements Offer {}

    /** It could not be read. */
    record Lost(String why) implements Offer {}
  }

  public PoolSnapshot {
    members = List.copyOf(members);
    unread = List.copyOf(unread);
    others = List.copyOf(others);
  }

  /** This picture with another state of the pool, and the growth request that stands on it. */
  public PoolSnapshot withPool(Pool next) {
    return with(next, next.status().growth(), members, assigning, others);
  }

  /** This picture with other members. */
  public PoolSnapshot withMembers(List<Member> next) {
    return with(pool, growth, next, assigning, others);
  }

  /** This picture with another number of assignments under way. */
  public PoolSnapshot withAssigning(int next) {
    return with(pool, growth, members, next, others);
  }

  /** This picture with other claims of the other pools. */
  public PoolSnapshot withOthers(List<Claim> next) {
    return with(pool, growth, members, assigning, next);
  }

  private PoolSnapshot with(
      Pool nextPool,
      Optional<Growth> nextGrowth,
      List<Member> nextMembers,
      int nextAssigning,
      List<Claim> nextOthers) {
    return new PoolSnapshot(
        nextPool,
        nextGrowth,
        nextMembers,
        nextAssigning,
        unread,
        nextOthers,
        free,
        offer,
        confirmedEmpty,
        ledger);
  }

  /** Hosts that the pool holds until it is known that it does not, or will hold. */
  public int held() {
    return assigning + unread.size() + members.size();
  }

  /** Hosts that the pool will still hold when all that is on its way out is gone. */
  public int staying() {
    return assigning
        + unread.size()
        + (int) members.stream().filter(member -> !member.isLeaving()).count();
  }
}
