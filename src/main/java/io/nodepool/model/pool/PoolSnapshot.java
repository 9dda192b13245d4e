package io.nodepool.model.pool;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * One pool and what it competes for, at one moment: consistent and immutable. A snapshot of a
 * changed state is made from it by the {@code with} methods.
 *
 * @param growth the newest growth request known, published or not yet
 * @param confirmedEmpty whether a live list, made after the deletion was asked for, found no Host
 *     and no Node of it
 * @param ledger what was seen to happen to its Nodes
 */
public record PoolSnapshot(
    Pool pool,
    Optional<Growth> growth,
    Held holding,
    Availability availability,
    boolean confirmedEmpty,
    EventLedger ledger) {

  /**
   * The Hosts that a pool holds.
   *
   * @param members those that were read
   * @param assigning how many are being assigned to it, which is not answered yet
   * @param unread those that were never read, because they cannot be
   */
  public record Held(Members members, int assigning, List<Unread> unread) {
    public Held {
      unread = List.copyOf(unread);
    }

    /** These members, and nothing besides. */
    public static Held of(Collection<Member> members) {
      return new Held(Members.of(members), 0, List.of());
    }

    /** With other members. */
    public Held with(Members next) {
      return new Held(next, assigning, unread);
    }

    /** With so many assignments that are not answered. */
    public Held withAssigning(int next) {
      return new Held(members, next, unread);
    }
  }

  /**
   * A Host of the pool of which nothing is known but that it is there.
   *
   * @param why why it cannot be read
   * @param registered whether a registered Node of its name is known
   */
  public record Unread(String name, String why, boolean registered) {}

  /**
   * What there is for the pool, and who else claims it.
   *
   * @param free the free Hosts of its instance type
   * @param others claims of the other pools of the same type, in their order
   * @param offer the fleet's offer, or why there is none
   */
  public record Availability(Free free, List<Claim> others, Offer offer) {
    public Availability {
      others = List.copyOf(others);
    }

    /** With other claims of the other pools. */
    public Availability withOthers(List<Claim> next) {
      return new Availability(free, next, offer);
    }
  }

  /**
   * A free Host: what is needed to choose and assign it.
   *
   * @param failures deliveries of it to pools that failed in a row
   */
  public record Candidate(HostId host, int tenancy, Machine machine, int failures) {
    /**
     * The order in which free Hosts are given out: those that never failed before those that did,
     * rack by rack, slot by slot.
     */
    public static final Comparator<Candidate> ORDER =
        Comparator.comparingInt(Candidate::failures)
            .thenComparing(candidate -> candidate.machine().rack())
            .thenComparingInt(candidate -> candidate.machine().slot())
            .thenComparing(candidate -> candidate.host().uid());
  }

  /**
   * The free Hosts of an instance type.
   *
   * @param now those that may be assigned now, in the order in which they are given out
   * @param rackHolders UID of the pool that holds Hosts of a rack, by the rack's name; racks that
   *     nobody holds a Host of are left out
   * @param next when the next one may be assigned that is left alone after a failed delivery
   * @param setAside how many may not be assigned until a person clears them
   */
  public record Free(
      TreePSet<Candidate> now,
      TreePMap<String, String> rackHolders,
      Optional<Instant> next,
      int setAside) {
    /** No Host is free. */
    public static final Free NONE =
        new Free(TreePSet.empty(Candidate.ORDER), TreePMap.empty(), Optional.empty(), 0);

    /** These may be assigned now; nobody holds a Host of their racks. */
    public static Free of(Collection<Candidate> now) {
      return new Free(NONE.now.plusAll(now), NONE.rackHolders, NONE.next, 0);
    }

    /** UID of the pool that holds other Hosts of this one's rack; empty text if none does. */
    public String rackHolder(Candidate candidate) {
      return rackHolders.getOrDefault(candidate.machine().rack(), "");
    }
  }

  /** What is known of the fleet's offer. */
  public sealed interface Offer {
    /** It was read. */
    record Known(FleetOffer offer) implements Offer {}

    /** It could not be read. */
    record Lost(String why) implements Offer {}
  }

  /** This snapshot with another state of the pool, and the growth request that stands on it. */
  public PoolSnapshot withPool(Pool next) {
    return new PoolSnapshot(
        next, next.status().growth(), holding, availability, confirmedEmpty, ledger);
  }

  /** This snapshot with other Hosts. */
  public PoolSnapshot withHolding(Held next) {
    return new PoolSnapshot(pool, growth, next, availability, confirmedEmpty, ledger);
  }

  /** This snapshot with other members. */
  public PoolSnapshot withMembers(Members next) {
    return withHolding(holding.with(next));
  }

  /** This snapshot with other free Hosts, claims or offer. */
  public PoolSnapshot withAvailability(Availability next) {
    return new PoolSnapshot(pool, growth, holding, next, confirmedEmpty, ledger);
  }

  /** This snapshot, a live list having found nothing of the pool or not. */
  public PoolSnapshot withConfirmedEmpty(boolean next) {
    return new PoolSnapshot(pool, growth, holding, availability, next, ledger);
  }

  /** The Hosts held that were read. */
  public Members members() {
    return holding.members();
  }

  /** How many Hosts are being assigned to the pool. */
  public int assigning() {
    return holding.assigning();
  }

  /** Hosts held that were never read. */
  public List<Unread> unread() {
    return holding.unread();
  }

  /** Claims of the other pools of the same instance type, in their order. */
  public List<Claim> others() {
    return availability.others();
  }

  /** The free Hosts of the pool's instance type. */
  public Free free() {
    return availability.free();
  }

  /** The fleet's offer, or why there is none. */
  public Offer offer() {
    return availability.offer();
  }

  /** Hosts that the pool holds until it is known that it does not, or will hold. */
  public int held() {
    return assigning() + unread().size() + members().size();
  }

  /** Hosts that the pool will still hold when all that is on its way out is gone. */
  public int staying() {
    return held() - members().count(Members.Trait.LEAVING);
  }
}
