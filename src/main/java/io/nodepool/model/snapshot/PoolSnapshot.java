package io.nodepool.model.snapshot;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.PastRepairs;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pcollections.TreePMap;

/**
 * An immutable, consistent snapshot of one pool, the Hosts available to it, and the competing
 * claims. The {@code with} methods return changed snapshots.
 *
 * @param growth the latest growth request, whether or not it is published
 * @param confirmedEmpty whether a live list, made after the deletion was requested, found no Host
 *     and no Node of it
 * @param ledger the observed occurrences on its Nodes
 * @param refusals the writes for it that the API server refuses
 * @param watched since when the cluster is observed
 * @param racks the findings of the operator itself about the racks of its machines
 */
@RecordBuilder
public record PoolSnapshot(
    Pool pool,
    Optional<Growth> growth,
    Held holding,
    Availability availability,
    boolean confirmedEmpty,
    EventLedger ledger,
    Refusals refusals,
    Watched watched,
    List<RackAlert.Found> racks)
    implements PoolSnapshotCopy.With {
  public PoolSnapshot {
    racks = List.copyOf(racks);
  }

  /**
   * Since when the cluster is observed.
   *
   * @param since since when, by its own clock, this operator has observed it; later than now if it
   *     has not observed it yet
   * @param resumed since when an operator observes it again after a long interruption; empty if
   *     there was no such time
   * @param ungraded why the user's changes of the alert catalogue were not read since then, so that
   *     the grades of alerts are not known; empty if they were read, or there are no changes
   */
  public record Watched(Instant since, Optional<Instant> resumed, Optional<String> ungraded) {
    /** An operator that has not observed the cluster yet. */
    public static final Watched NOT_YET =
        new Watched(Instant.MAX, Optional.empty(), Optional.empty());

    /** This operator observes it from now on. */
    public Watched from(Instant now) {
      return new Watched(now, resumed, ungraded);
    }

    /** It is observed again from then on. */
    public Watched resumed(Instant at) {
      return new Watched(since, Optional.of(at), ungraded);
    }

    /** This state with the reason why the grades of alerts are not known. */
    public Watched withUngraded(Optional<String> next) {
      return new Watched(since, resumed, next);
    }
  }

  /**
   * The writes for a pool that the API server refuses.
   *
   * @param status the last refusal of its status
   * @param assignments the last refusal to assign a Host to it, if no Host was assigned after it
   */
  public record Refusals(Optional<RefusedStatus> status, Optional<RefusedAssignments> assignments) {
    /** Nothing is refused. */
    public static final Refusals NONE = new Refusals(Optional.empty(), Optional.empty());
  }

  /**
   * A refusal to assign Hosts.
   *
   * @param why the server's error
   * @param notBefore when another assignment may be tried
   */
  public record RefusedAssignments(String why, Instant notBefore) {
    private static final String MESSAGE_START =
        "The API server refuses to assign Hosts to the NodePool; it is tried again. ";

    /** The message of Capacity that reports this refusal. */
    public String message() {
      return MESSAGE_START + why;
    }

    /**
     * The refusal that an operator process published with this {@link #message}. The message of
     * AtTarget may contain more.
     */
    public static Optional<RefusedAssignments> published(PoolStatus status) {
      return status
          .condition(PoolCondition.CAPACITY)
          .filter(condition -> condition.reason() == CapacityReason.INTERNAL_ERROR)
          .map(Condition::message)
          .filter(message -> message.startsWith(MESSAGE_START))
          .map(message ->
              new RefusedAssignments(message.substring(MESSAGE_START.length()), Instant.MIN));
    }
  }

  /**
   * A refusal of a status because of its content.
   *
   * @param why the server's error
   * @param texts the messages of conditions that are left out of the next status
   * @param until when they are published again
   */
  public record RefusedStatus(String why, Set<String> texts, Instant until) {
    public RefusedStatus {
      texts = Collections.unmodifiableSortedSet(new TreeSet<>(texts));
    }
  }

  /**
   * The Hosts that a pool holds.
   *
   * @param members the Hosts that were read
   * @param assigning the number of assignments to it that are not answered yet
   * @param unread the Hosts that were never read, because they cannot be read
   * @param withoutHost the pool's Nodes with tenant work whose Host does not exist: their UIDs, by
   *     name. They are no members and count nowhere
   * @param past the past repairs of its machines for alerts, including machines that it gave back
   */
  @RecordBuilder
  public record Held(
      Members members,
      int assigning,
      List<Unread> unread,
      TreePMap<String, String> withoutHost,
      PastRepairs past)
      implements PoolSnapshotHeldCopy.With {
    public Held {
      unread = List.copyOf(unread);
    }
  }

  /**
   * A Host of the pool that exists and was never read.
   *
   * @param why why it cannot be read
   * @param registered whether a registered Node of its name was observed
   */
  public record Unread(String name, String why, boolean registered) {}

  /**
   * The Hosts available to the pool, and the competing claims.
   *
   * @param free the free Hosts of its instance type
   * @param others claims of the other pools of the same type, in their order
   * @param offer the fleet's offer, or why it cannot be read
   * @param apiServer the version of the API server; empty while it is not known
   * @param verdicts the published verdicts of the other pools of the same type on configurations
   * @param inFlightElsewhere the Nodes of other pools that are repaired, or leave because their
   *     machines did not come back from reboots; counted only for a pool with a Node that waits for
   *     either
   * @param ofType all Hosts of its instance type, held or free
   */
  @RecordBuilder
  public record Availability(
      FreeHosts free,
      List<Claim> others,
      Offer offer,
      Optional<String> apiServer,
      ConfigurationVerdicts verdicts,
      InFlight inFlightElsewhere,
      TypeHosts ofType)
      implements PoolSnapshotAvailabilityCopy.With {
    public Availability {
      others = List.copyOf(others);
    }
  }

  /**
   * The numbers of repairs that are carried out at the same time.
   *
   * @param all the number of Nodes; Nodes of a rack that are repaired together count as one
   * @param racks the number of such racks
   */
  public record InFlight(int all, int racks) {
    /** Nothing. */
    public static final InFlight NONE = new InFlight(0, 0);

    /** The sum of this and another. */
    public InFlight and(InFlight other) {
      return new InFlight(all + other.all, racks + other.racks);
    }

    /** The number of Nodes, without racks that are repaired together. */
    public int single() {
      return all - racks;
    }
  }

  /** The fleet's offer, if it could be read. */
  public sealed interface Offer {
    /** It was read. */
    record Known(FleetOffer offer) implements Offer {}

    /**
     * It could not be read.
     *
     * @param withHosts whether the Hosts cannot be read either, since their definition is missing
     */
    record Lost(String why, boolean withHosts) implements Offer {
      /** An offer that cannot be read, of a fleet whose Hosts can. */
      public Lost(String why) {
        this(why, false);
      }
    }

    /** The offer; empty if it could not be read. */
    default Optional<FleetOffer> known() {
      return switch (this) {
        case Known(FleetOffer offer) -> Optional.of(offer);
        case Lost _ -> Optional.empty();
      };
    }
  }

  /** This snapshot with other members. */
  public PoolSnapshot withMembers(Members next) {
    return withHolding(holding.withMembers(next));
  }

  /** The held Hosts that were read. */
  public Members members() {
    return holding.members();
  }

  /** The number of Hosts being assigned to the pool. */
  public int assigning() {
    return holding.assigning();
  }

  /** This snapshot with this number of further Hosts being assigned. */
  public PoolSnapshot assigning(int more) {
    return more == 0 ? this : withHolding(holding.withAssigning(assigning() + more));
  }

  /** The held Hosts that were never read. */
  public List<Unread> unread() {
    return holding.unread();
  }

  /** Claims of the other pools of the same instance type, in their order. */
  public List<Claim> others() {
    return availability.others();
  }

  /** The free Hosts of the pool's instance type. */
  public FreeHosts free() {
    return availability.free();
  }

  /** The fleet's offer, or why it cannot be read. */
  public Offer offer() {
    return availability.offer();
  }

  /** The number of Hosts that the pool holds, may still hold, or is being assigned. */
  public int held() {
    return assigning() + unread().size() + members().size();
  }

  /** The number of Nodes that the pool had and wants, and for which it holds no Host (D155). */
  public int missing() {
    int reached = growth.map(Growth::reached).orElse(0);
    return Math.max(0, Math.min(reached, pool.spec().target()) - held());
  }

  /** The number of Hosts that the pool will hold when all current removals are complete. */
  public int staying() {
    return held() - members().count(Members.Trait.LEAVING);
  }
}
