package io.nodepool.plan.pool;

import io.nodepool.model.pool.Claim;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.FreeHosts.FreeHost;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The free Hosts of one instance type that are allocated to one claim. Claims are served in their
 * order, and each takes the first Hosts that it admits (decision D10). A spot claim admits only
 * Hosts that are available to spot pools (decision D134). A rack type is allocated in whole racks;
 * single Hosts of a rack type go only to the pool that holds the rest of their rack (decision D5).
 */
final class Allocation {
  private final FreeHosts free;
  private final int rackSize;
  private final Claim own;

  /** The claims that are served earlier, in their order. */
  private final List<Claim> before;

  /** UIDs of the Hosts that the earlier claims take; null until a Host had to be examined. */
  private @Nullable Set<String> taken;

  /**
   * The Hosts that are left for a claim after all earlier claims.
   *
   * @param rackSize how many Hosts of a rack are allocated together; 1 or less if Hosts are
   *     allocated singly
   */
  Allocation(FreeHosts free, int rackSize, Claim own, List<Claim> others) {
    this.free = free;
    this.rackSize = rackSize;
    this.own = own;
    this.before =
        others.stream()
            .filter(other -> Claim.ORDER.compare(other, own) < 0)
            .sorted(Claim.ORDER)
            .toList();
  }

  /** The number of Hosts available to the claim, at most {@code wanted}. */
  int count(int wanted) {
    return admitsAny()
        ? Math.clamp(free.now().of(own.isSpot()).size() - takenBefore(), 0, wanted)
        : share(wanted).size();
  }

  /** The Hosts for the claim, at most {@code wanted}. */
  List<FreeHost> share(int wanted) {
    if (wanted <= 0) {
      return List.of();
    }
    return admitsAny()
        ? free.now().of(own.isSpot()).stream().skip(takenBefore()).limit(wanted).toList()
        : chosen(own, wanted, taken());
  }

  private Set<String> taken() {
    Set<String> known = taken;
    if (known == null) {
      known = new TreeSet<>();
      for (Claim claim : before) {
        for (FreeHost host : chosen(claim, claim.outstanding(), known)) {
          known.add(host.id().uid());
        }
      }
      taken = known;
    }
    return known;
  }

  /** Whether every claim admits every Host, so that Hosts need not be examined one by one. */
  private boolean admitsAny() {
    return rackSize <= 1
        && !own.affinity().isSelective()
        && before.stream().noneMatch(claim -> claim.affinity().isSelective());
  }

  /**
   * The number of Hosts that earlier claims take from the Hosts that the claim may take. On-demand
   * claims come first, and may take any Host.
   */
  private long takenBefore() {
    long onDemand = outstanding(false);
    return own.isSpot() ? free.now().spotAmongFirst(onDemand) + outstanding(true) : onDemand;
  }

  private long outstanding(boolean spot) {
    return before.stream()
        .filter(claim -> claim.isSpot() == spot)
        .mapToLong(Claim::outstanding)
        .sum();
  }

  /** The Hosts that a claim chooses from those that are not taken. */
  private List<FreeHost> chosen(Claim claim, int wanted, Set<String> without) {
    if (wanted <= 0) {
      return List.of();
    }
    Stream<FreeHost> admitted =
        free.now().of(claim.isSpot()).stream()
            .filter(host -> !without.contains(host.id().uid()))
            .filter(host -> claim.affinity().admits(host.id(), host.machine()));
    return rackSize <= 1
        ? admitted.limit(wanted).toList()
        : wholeRacks(admitted.toList(), claim, wanted);
  }

  /**
   * Takes first the Hosts that complete racks that the pool partly holds, then whole free racks.
   */
  private List<FreeHost> wholeRacks(List<FreeHost> admitted, Claim claim, int wanted) {
    Map<String, List<FreeHost>> racks = new LinkedHashMap<>();
    List<FreeHost> share = new ArrayList<>();
    for (FreeHost host : admitted) {
      String holder = free.rackHolder(host);
      if (holder.equals(claim.pool().uid())) {
        share.add(host);
      } else if (holder.isEmpty()) {
        racks.computeIfAbsent(host.machine().rack(), rack -> new ArrayList<>()).add(host);
      }
    }
    for (List<FreeHost> rack : racks.values()) {
      if (rack.size() >= rackSize && share.size() + rackSize <= wanted) {
        share.addAll(rack.subList(0, rackSize));
      }
    }
    return List.copyOf(share.subList(0, Math.min(wanted, share.size())));
  }
}
