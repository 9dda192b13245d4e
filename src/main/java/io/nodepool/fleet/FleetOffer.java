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
 * The offer of a fleet in its zone, in addition to its Hosts.
 *
 * @param organization the organization that the Nodes are reserved for (contract §9, {@code
 *     node.coreweave.cloud/reserved})
 * @param instanceTypes the instance types that the zone has
 * @param unqueued the instance types without a queue: a pool gets the machines that are free now,
 *     and further ones when they become free, without a position in a queue
 * @param quota the number of Nodes allowed for each instance type; a type without an entry has no
 *     quota
 * @param configurations the bootable configurations, oldest first
 */
public record FleetOffer(
    String zone,
    String region,
    String organization,
    SortedSet<String> instanceTypes,
    SortedSet<String> unqueued,
    SortedMap<String, Integer> quota,
    List<Configuration> configurations) {

  /** A bootable configuration: its identifier and a description of its contents. */
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

  /** The newest configuration of the offer. */
  public Optional<Configuration> newest() {
    return configurations.isEmpty() ? Optional.empty() : Optional.of(configurations.getLast());
  }
}
