package io.nodepool.plan.pool;

import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.report.HeldMachines;
import io.nodepool.plan.report.NodesWithoutHost;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Determines whether there are enough Hosts for the pool, and which of them it may take. Hosts are
 * allocated in one order over all claims of a type; a pool takes only its share of that order
 * (decision D10).
 *
 * @param own the claim of the pool
 * @param rackSize how many Hosts of a rack are allocated together; 1 or less if Hosts are allocated
 *     singly
 * @param queues whether requests for its type are queued
 */
record Capacity(PoolSnapshot seen, Claim own, int rackSize, boolean queues) {
  /** A part of a request can be served. */
  private static final Set<PoolReason> PARTLY =
      Set.of(CapacityReason.PARTIAL, CapacityReason.PARTIAL_NODE_AFFINITY);

  /**
   * The supply of a pool.
   *
   * @param share the Hosts allocated to this pool, at most the number that it may take now
   * @param available the number of Hosts that it could take now if everything that it wants were
   *     granted
   * @param queues whether the missing Nodes keep a place in the queue
   * @param wakeup when more may become available without another observation
   */
  record Supply(
      Finding finding,
      List<FreeHosts.FreeHost> share,
      int available,
      boolean queues,
      Optional<Instant> wakeup) {}

  /**
   * The supply of a pool whose spec is invalid: it takes no Host, so the capacity is not checked.
   */
  static Supply notComputed() {
    return unknown(Finding.of(CapacityReason.NOT_CHECKED));
  }

  private static Supply unknown(Finding why) {
    return new Supply(why, List.of(), 0, true, Optional.empty());
  }

  /**
   * The supply for a claim whose granted size is already decided. The condition is computed as if
   * the whole target were granted (D11).
   *
   * @param rackSize how many Hosts of a rack are allocated together; 1 or less if Hosts are
   *     allocated singly
   */
  static Supply check(PoolSnapshot seen, Claim own, int rackSize) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          unknown(
              new Finding(
                  CapacityReason.INTERNAL_ERROR, "The capacity could not be read: " + lost.why()));
      case PoolSnapshot.Offer.Known known ->
          new Capacity(
                  seen,
                  own,
                  rackSize,
                  !known.offer().unqueued().contains(seen.pool().spec().instanceType()))
              .supply();
    };
  }

  private Supply supply() {
    int wanted = Math.max(0, own.target() - own.held());
    Allocation allocation = allocation(own);
    int available = Math.min(wanted, allocation.count(Math.max(wanted, own.outstanding())));
    // Racks are allocated whole, so their share is not limited by the number of assignments that
    // may be under way.
    int atOnce = rackSize <= 1 ? HostScaling.UNDER_WAY : Integer.MAX_VALUE;
    return new Supply(
        available == wanted ? Finding.of(CapacityReason.SUFFICIENT) : shortage(wanted, available),
        allocation.share(Math.min(own.outstanding(), atOnce)),
        available,
        queues,
        available < own.outstanding() ? seen.free().next() : Optional.empty());
  }

  private Allocation allocation(Claim claim) {
    return new Allocation(seen.free(), rackSize, claim, seen.others());
  }

  private Finding shortage(int wanted, int available) {
    String spot = own.isSpot() ? " offered as spot" : "";
    String type = seen.pool().spec().instanceType() + spot;
    String missing = Messages.count(wanted - available, "Node");
    boolean partly = available > 0 || isPartlyServed();
    if (own.affinity().isSelective()
        && allocation(own.withAffinity(Affinity.any())).count(wanted) == wanted) {
      return new Finding(
          partly
              ? CapacityReason.PARTIAL_NODE_AFFINITY
              : CapacityReason.NONE_AVAILABLE_NODE_AFFINITY,
          "There are enough free machines of type %s, but its affinity admits only %d of the %d that it wants."
              .formatted(type, available, wanted));
    }
    if (queues) {
      return new Finding(
          CapacityReason.QUEUED_AWAITING_CAPACITY,
          "%s of type %s %s queued until capacity%s becomes available; %s.%s%s"
              .formatted(
                  missing,
                  seen.pool().spec().instanceType(),
                  wanted - available == 1 ? "is" : "are",
                  spot,
                  position(),
                  own.affinity().isSelective() ? " Only what its affinity admits counts." : "",
                  notGiven()));
    }
    if (available == 0) {
      return new Finding(
          partly ? CapacityReason.PARTIAL : CapacityReason.NONE_AVAILABLE,
          "No %smachine of type %s is available for %s. Requests for this type are not queued.%s"
              .formatted(partly ? "further " : "", type, missing, notGiven()));
    }
    return new Finding(
        CapacityReason.PARTIAL,
        "Machines of type %s are available for %d of %s. Requests for this type are not queued.%s"
            .formatted(type, available, Messages.count(wanted, "Node"), notGiven()));
  }

  /** Whether a part of the present request was served and the rest still waits. */
  private boolean isPartlyServed() {
    PoolStatus last = seen.pool().status();
    return own.held() > 0
        && last.growth().filter(growth -> growth.askedAt().equals(own.rank().askedAt())).isPresent()
        && last.known(PoolCondition.CAPACITY).filter(PARTLY::contains).isPresent();
  }

  /** The Hosts of the type that no pool can get at present, and why, as text to append. */
  private String notGiven() {
    int hosts = seen.free().setAside();
    String setAside = hosts == 0 ? "" : " Set aside: %s.".formatted(Messages.count(hosts, "Host"));
    return setAside + NodesWithoutHost.nameTaken(seen.free()) + HeldMachines.free(seen.free());
  }

  /** The pool's position in the queue for Hosts of the type, as text for messages. */
  private String position() {
    List<Claim> others = seen.others();
    int waiting = (int) others.stream().filter(other -> other.outstanding() > 0).count();
    List<Claim> ahead = others.stream().filter(other -> other.isAheadOf(own)).toList();
    int nodes =
        (int) Math.min(Integer.MAX_VALUE, ahead.stream().mapToLong(Claim::outstanding).sum());
    return "position %d of %d in the queue%s"
        .formatted(
            ahead.size() + 1,
            waiting + 1,
            nodes == 0
                ? ""
                : ", behind %s of %s"
                    .formatted(
                        Messages.count(nodes, "Node"), Messages.count(ahead.size(), "other pool")));
  }
}
