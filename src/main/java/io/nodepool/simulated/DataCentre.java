package io.nodepool.simulated;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.configuration.FleetRelease;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The description of a simulated data centre: its zone, racks and quotas, and the durations of its
 * machines.
 *
 * @param seed determines host names and boot times; the same seed gives the same data centre
 * @param terms what it provides: quotas and queues
 */
@RecordBuilder
public record DataCentre(
    Site site, long seed, List<Rack> racks, Terms terms, Timings timings, Mishaps mishaps)
    implements DataCentreCopy.With {

  /**
   * Its location, and the organization that its Nodes are for.
   *
   * @param cluster name of the cluster that its machines join
   */
  public record Site(String zone, String region, String organization, String cluster) {
    /** A site whose machines join a cluster with the name of its organization. */
    public Site(String zone, String region, String organization) {
      this(zone, region, organization, organization);
    }
  }

  /**
   * What a data centre provides.
   *
   * @param quotas the quota of Nodes by type; if empty, the quota of each type is its number of
   *     machines
   * @param unqueued types for which no requests are queued
   * @param releases the releases that its machines can boot, oldest first
   * @param schedule the time from the creation of the data centre to the publication of a release,
   *     by the release's name; a release without an entry is there from the start
   */
  @RecordBuilder
  public record Terms(
      SortedMap<String, Integer> quotas,
      SortedSet<String> unqueued,
      List<FleetRelease> releases,
      SortedMap<String, Duration> schedule)
      implements DataCentreTermsCopy.With {
    public Terms {
      schedule = Collections.unmodifiableSortedMap(new TreeMap<>(schedule));
      quotas = Collections.unmodifiableSortedMap(new TreeMap<>(quotas));
      unqueued = Collections.unmodifiableSortedSet(new TreeSet<>(unqueued));
      releases = List.copyOf(releases);
    }

    /** The releases that are published in a data centre of this age. */
    public List<FleetRelease> published(Duration age) {
      return releases.stream().filter(each -> after(each).compareTo(age) <= 0).toList();
    }

    /** The age at which the next release is published. */
    public Optional<Duration> nextPublication(Duration age) {
      return releases.stream()
          .map(this::after)
          .filter(after -> after.compareTo(age) > 0)
          .min(Duration::compareTo);
    }

    private Duration after(FleetRelease release) {
      return schedule.getOrDefault(release.name(), Duration.ZERO);
    }

    private Terms faster(int speed) {
      TreeMap<String, Duration> sooner = new TreeMap<>(schedule);
      sooner.replaceAll((name, after) -> after.dividedBy(speed));
      return withSchedule(sooner);
    }
  }

  /**
   * A rack of machines of one instance type.
   *
   * @param spot whether its machines are offered to spot pools; machines of a Superchip type never
   *     are
   */
  public record Rack(String name, String instanceType, int hosts, boolean spot) {
    /** A rack whose machines are offered to spot pools. */
    public Rack(String name, String instanceType, int hosts) {
      this(name, instanceType, hosts, true);
    }
  }

  /**
   * The durations of machines.
   *
   * @param bootMin shortest time from assignment to a running machine
   * @param bootMax longest such time
   * @param clean time from release to free again
   * @param reclaimWindow time from the notice that the data centre wants a machine back until it
   *     takes the machine
   * @param reboot time that a reboot takes
   * @param verification time that a verification takes
   */
  @RecordBuilder
  public record Timings(
      Duration bootMin,
      Duration bootMax,
      Duration clean,
      Duration reclaimWindow,
      Duration reboot,
      Duration verification)
      implements DataCentreTimingsCopy.With {
    /** The documented time of a preemption. */
    public static final Duration RECLAIM_WINDOW = Duration.ofMinutes(7);

    /** The time of a reboot unless another one is set. */
    public static final Duration REBOOT = Duration.ofMinutes(3);

    /** The time of a verification unless another one is set. */
    public static final Duration VERIFICATION = Duration.ofMinutes(10);

    /** These durations, with the documented time of a preemption. */
    public Timings(Duration bootMin, Duration bootMax, Duration clean) {
      this(bootMin, bootMax, clean, RECLAIM_WINDOW, REBOOT, VERIFICATION);
    }

    private Timings faster(int speed) {
      return new Timings(
          bootMin.dividedBy(speed),
          bootMax.dividedBy(speed),
          clean.dividedBy(speed),
          reclaimWindow.dividedBy(speed),
          reboot.dividedBy(speed),
          verification.dividedBy(speed));
    }
  }

  /**
   * A machine that the data centre wants back at a fixed time.
   *
   * @param host name of its Host
   * @param after the time from the creation of the data centre to the notice
   * @param withdrawAfter the time from the notice to its withdrawal; empty if it is not withdrawn
   *     before the machine was returned
   */
  public record ScriptedReclaim(String host, Duration after, Optional<Duration> withdrawAfter) {
    private ScriptedReclaim faster(int speed) {
      return new ScriptedReclaim(
          host, after.dividedBy(speed), withdrawAfter.map(each -> each.dividedBy(speed)));
    }
  }

  /**
   * Failures of machines and notices that the data centre wants them back, for tests and exercises.
   *
   * @param neverBoot names of Hosts that never boot
   * @param neverJoin names of Hosts that boot and never join
   * @param bootFailurePercent the percentage of boots that fail, chosen by the seed
   * @param reclaims the notices at fixed times, at most one for each machine
   * @param reclaimsPerDay the average number of notices a day for a machine that runs for a spot
   *     pool; the seed chooses when
   * @param reboots the reboots that go wrong
   * @param configurations the configurations into which boots go wrong
   * @param faults what machines report about their health
   */
  @RecordBuilder
  public record Mishaps(
      SortedSet<String> neverBoot,
      SortedSet<String> neverJoin,
      int bootFailurePercent,
      List<ScriptedReclaim> reclaims,
      int reclaimsPerDay,
      RebootMishaps reboots,
      List<BrokenConfiguration> configurations,
      List<MachineFault> faults)
      implements DataCentreMishapsCopy.With {
    /** No failures. */
    public static final Mishaps NONE =
        new Mishaps(
            new TreeSet<>(),
            new TreeSet<>(),
            0,
            List.of(),
            0,
            RebootMishaps.NONE,
            List.of(),
            List.of());

    private Mishaps faster(int speed) {
      return withReclaims(reclaims.stream().map(each -> each.faster(speed)).toList())
          .withReclaimsPerDay(reclaimsPerDay * speed)
          .withFaults(faults.stream().map(each -> each.faster(speed)).toList());
    }

    public Mishaps {
      neverBoot = Collections.unmodifiableSortedSet(new TreeSet<>(neverBoot));
      neverJoin = Collections.unmodifiableSortedSet(new TreeSet<>(neverJoin));
      reclaims = List.copyOf(reclaims);
      configurations = List.copyOf(configurations);
      faults = List.copyOf(faults);
    }
  }

  /** Returns this data centre with all durations divided by the speed. */
  public DataCentre faster(int speed) {
    return withTimings(timings.faster(speed))
        .withMishaps(mishaps.faster(speed))
        .withTerms(terms.faster(speed));
  }

  /** Returns this data centre with other quotas. */
  public DataCentre withQuotas(SortedMap<String, Integer> next) {
    return withTerms(terms.withQuotas(next));
  }

  /**
   * A machine of the data centre: the name of its Host, and its facts.
   *
   * @param spot whether it is offered to spot pools
   */
  public record Slot(String host, Machine machine, boolean spot) {}

  public DataCentre {
    racks = List.copyOf(racks);
  }

  /** The data centre's offer at its creation. */
  public FleetOffer offer() {
    return offer(Duration.ZERO);
  }

  /** The data centre's offer at this age: its instance types, their quotas and its releases. */
  public FleetOffer offer(Duration age) {
    TreeSet<String> types = new TreeSet<>();
    TreeMap<String, Integer> quota = new TreeMap<>();
    for (Rack rack : racks) {
      types.add(rack.instanceType());
      quota.merge(rack.instanceType(), rack.hosts(), Integer::sum);
    }
    return new FleetOffer(
        site.zone(),
        site.region(),
        site.organization(),
        types,
        terms.unqueued(),
        terms.quotas().isEmpty() ? quota : terms.quotas(),
        terms.published(age),
        FleetOffer.Capabilities.ALL);
  }

  /** All machines, in order of racks and slots. */
  public List<Slot> slots(InstanceCatalogue catalogue) {
    List<Slot> slots = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    Topology topology = new Topology(site, seed);
    for (Rack rack : racks) {
      InstanceType type = catalogue.find(rack.instanceType()).orElseThrow();
      for (int slot = 0; slot < rack.hosts(); slot++) {
        String name = topology.host(rack, type, slot, 0);
        for (int attempt = 1; !names.add(name); attempt++) {
          name = topology.host(rack, type, slot, attempt);
        }
        slots.add(
            new Slot(name, topology.machine(rack, type, slot), rack.spot() && !type.superchip()));
      }
    }
    return slots;
  }
}
