package io.nodepool.fleet;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.vocabulary.BootKind;
import io.soabase.recordbuilder.core.RecordBuilder;
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
 * @param releases the releases that can be booted, oldest first
 * @param capabilities what the fleet can do with a machine that a pool holds
 */
@RecordBuilder
public record FleetOffer(
    String zone,
    String region,
    String organization,
    SortedSet<String> instanceTypes,
    SortedSet<String> unqueued,
    SortedMap<String, Integer> quota,
    List<FleetRelease> releases,
    Capabilities capabilities)
    implements FleetOfferCopy.With {

  /**
   * What a fleet can do with a machine that a pool holds.
   *
   * @param boots the kinds of boot that it carries out on request
   * @param verifies whether it verifies a machine after each boot that was requested, and reports
   *     the outcome; else a machine counts as verified once its Node is Ready
   * @param repairsComponents whether it repairs components of a machine that runs, on request
   */
  @RecordBuilder
  public record Capabilities(SortedSet<BootKind> boots, boolean verifies, boolean repairsComponents)
      implements FleetOfferCapabilitiesCopy.With {
    /** No boots on request: the capabilities of a fleet that names none. */
    public static final Capabilities NONE = new Capabilities(new TreeSet<>(), false, false);

    /** All that a fleet can do. */
    public static final Capabilities ALL =
        new Capabilities(new TreeSet<>(List.of(BootKind.values())), true, true);

    public Capabilities {
      boots = Collections.unmodifiableSortedSet(new TreeSet<>(boots));
    }

    /** Whether the fleet does this on request. */
    public boolean offers(BootKind kind) {
      return kind.boots() ? boots.contains(kind) : verifies;
    }
  }

  public FleetOffer {
    instanceTypes = Collections.unmodifiableSortedSet(new TreeSet<>(instanceTypes));
    unqueued = Collections.unmodifiableSortedSet(new TreeSet<>(unqueued));
    quota = Collections.unmodifiableSortedMap(new TreeMap<>(quota));
    releases = List.copyOf(releases);
  }

  /** The quota of an instance type, in Nodes; empty where none is set. */
  public OptionalInt quotaOf(String instanceType) {
    Integer nodes = quota.get(instanceType);
    return nodes == null ? OptionalInt.empty() : OptionalInt.of(nodes);
  }

  /** Whether the configuration with this identifier can be built from a release. */
  public boolean offersConfiguration(String profile) {
    return releases.stream().anyMatch(release -> release.offers(profile));
  }

  /** The release with this name. */
  public Optional<FleetRelease> release(String name) {
    return releases.stream().filter(each -> each.name().equals(name)).findFirst();
  }
}
