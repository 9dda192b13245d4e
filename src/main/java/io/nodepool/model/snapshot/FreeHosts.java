package io.nodepool.model.snapshot;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The free Hosts of an instance type.
 *
 * @param now the Hosts that may be assigned now
 * @param rackHolders UID of the pool that holds Hosts of a rack, by the rack's name; racks without
 *     such a pool are left out
 * @param next when the next Host that waits after a failed delivery may be assigned
 * @param setAside the number of Hosts that may not be assigned until a person clears them
 * @param reclaimed the number of Hosts of the type, free or not, that the fleet wants back
 * @param nameTaken names of the free Hosts that are not assigned while a Node of an earlier Host
 *     has their name
 * @param held the holds of free Hosts that are held, by the names of the Hosts
 * @param suspected the first Hosts that failed because of a configuration that the pool has
 *     disabled
 */
@RecordBuilder
public record FreeHosts(
    Assignable now,
    TreePMap<String, String> rackHolders,
    Optional<Instant> next,
    int setAside,
    int reclaimed,
    TreePSet<String> nameTaken,
    TreePMap<String, Host.Hold> held,
    List<Suspected> suspected)
    implements FreeHostsCopy.With {
  public FreeHosts {
    suspected = List.copyOf(suspected);
  }

  /** No Host is free. */
  public static final FreeHosts NONE =
      new FreeHosts(
          Assignable.NONE,
          TreePMap.empty(),
          Optional.empty(),
          0,
          0,
          TreePSet.empty(),
          TreePMap.empty(),
          List.of());

  /** UID of the pool that holds other Hosts of the Host's rack; empty text if none does. */
  public String rackHolder(FreeHost host) {
    return rackHolders.getOrDefault(host.machine().rack(), "");
  }

  /**
   * A free Host, with the facts that its choice and its assignment need.
   *
   * @param failures its consecutive failed deliveries
   * @param spot whether it is available to spot pools
   */
  public record FreeHost(HostId id, int tenancy, Machine machine, int failures, boolean spot) {
    /**
     * The order in which free Hosts are allocated: by failures, then Hosts that spot pools cannot
     * use, then by rack and slot. So on-demand pools leave Hosts to spot pools as far as they can.
     */
    public static final Comparator<FreeHost> ORDER =
        Comparator.comparingInt(FreeHost::failures)
            .thenComparing(FreeHost::spot)
            .thenComparing(host -> host.machine().rack())
            .thenComparingInt(host -> host.machine().slot())
            .thenComparing(host -> host.id().uid());
  }

  /**
   * A Host that no pool holds and that failed in one configuration only.
   *
   * @param setAside why it is set aside for that; empty text if it is not
   */
  public record Suspected(HostId host, int tenancy, String configuration, String setAside) {}

  /**
   * The Hosts of an instance type that may be assigned now. A plan that does not choose among them
   * reads only counts; a change returns another instance in logarithmic time.
   *
   * @param all in the order of allocation
   * @param spot the Hosts among them that are available to spot pools, in the same order
   * @param levels the number of Hosts with each number of failed deliveries
   */
  public record Assignable(
      TreePSet<FreeHost> all, TreePSet<FreeHost> spot, TreePMap<Integer, Level> levels) {
    /** No Host. */
    public static final Assignable NONE =
        new Assignable(
            TreePSet.empty(FreeHost.ORDER), TreePSet.empty(FreeHost.ORDER), TreePMap.empty());

    /**
     * The numbers of Hosts that have the same number of failed deliveries.
     *
     * @param spot the number that is available to spot pools
     */
    public record Level(int onDemandOnly, int spot) {
      private static final Level EMPTY = new Level(0, 0);

      private Level changed(FreeHost host, int by) {
        return host.spot()
            ? new Level(onDemandOnly, spot + by)
            : new Level(onDemandOnly + by, spot);
      }
    }

    /** With this Host. */
    public Assignable plus(FreeHost host) {
      return all.contains(host)
          ? this
          : new Assignable(all.plus(host), host.spot() ? spot.plus(host) : spot, counted(host, 1));
    }

    /** Without this Host. */
    public Assignable minus(FreeHost host) {
      return all.contains(host)
          ? new Assignable(
              all.minus(host), host.spot() ? spot.minus(host) : spot, counted(host, -1))
          : this;
    }

    private TreePMap<Integer, Level> counted(FreeHost host, int by) {
      Level next = levels.getOrDefault(host.failures(), Level.EMPTY).changed(host, by);
      return next.equals(Level.EMPTY)
          ? levels.minus(host.failures())
          : levels.plus(host.failures(), next);
    }

    /** The Hosts that a claim of this compute class may take, in the order of allocation. */
    public TreePSet<FreeHost> of(boolean spotClaim) {
      return spotClaim ? spot : all;
    }

    /** How many of the first Hosts are available to spot pools. */
    public int spotAmongFirst(long hosts) {
      long left = hosts;
      long found = 0;
      for (Map.Entry<Integer, Level> entry : levels.entrySet()) {
        Level level = entry.getValue();
        left -= Math.min(left, level.onDemandOnly());
        long taken = Math.min(left, level.spot());
        found += taken;
        left -= taken;
      }
      return Math.toIntExact(found);
    }
  }
}
