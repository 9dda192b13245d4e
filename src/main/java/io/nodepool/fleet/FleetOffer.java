package io.nodepool.fleet;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a fleet offers in its zone, besides the Hosts themselves.
 *
 * @param organization the organization whose Nodes these become (contract §9, {@code
 *     node.coreweave.cloud/reserved})
 * @param instanceTypes the types that the zone has
 * @param unqueued those of them that no requests are queued for: a pool gets what there is now, and
 *     the rest when it comes free, without a place in a queue
 * @param quota Nodes allowed for each instance type; a type without an entry has no quota set
 * @param configurations configurations that can be booted, oldest first
 */
public record FleetOffer(
    String zone,
    String region,
    String organization,
    SortedSet<String> instanceTypes,
    SortedSet<String> unqueued,
    SortedMap<String, Integer> quota,
    List<Configuration> configurations) {

  /** A bootable configuration: its identifier and what it holds, in words. */
  public record Configuration(String profile, List<String> summary) {
    public Configuration {
      summary = List.copyOf(summary);
    }
  }

  public FleetOffer {
    instanceTypes = Collections.unmodifiableSortedSet(new TreeSet<>(instanceTypes));
    unqueued = Collections.unmodifiableSortedSet(new TreeSet<>(unqueued));
    quota = Collections.unmodifiableSortedMap(new TreeMap<>(quota));
    configurations = List.copyOf(configurations);
  }

  /** The quota of an instance type, in Nodes; empty where none is set. */
  public OptionalInt quotaOf(String instanceType) {
    Integer nodes = quota.get(instanceType);
    return nodes == null ? OptionalInt.empty() : OptionalInt.of(nodes);
  }

  /** The newest configuration on offer. */
  public Optional<Configuration> newest() {
    return configurations.isEmpty() ? Optional.empty() : Optional.of(configurations.getLast());
  }
}
