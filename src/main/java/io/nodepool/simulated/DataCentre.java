package io.nodepool.simulated;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A simulated data centre as described: its zone, racks and quotas, and how long its machines take.
 *
 * @param seed from it come host names and boot times; the same seed gives the same data centre
 * @param quotas Nodes allowed for each type; a rack type without an entry gets as many as it has
 *     machines
 */
public record DataCentre(
    String zone,
    String region,
    String organization,
    long seed,
    List<Rack> racks,
    SortedMap<String, Integer> quotas,
    List<FleetOffer.Configuration> configurations,
    Timings timings) {

  /** A rack of machines of one instance type. */
  public record Rack(String name, String instanceType, int hosts) {}

  /**
   * How long machines take.
   *
   * @param bootMin shortest time from assignment to a running machine
   * @param bootMax longest such time
   * @param clean time from release to free again
   */
  public record Timings(Duration bootMin, Duration bootMax, Duration clean) {
    /** These times, so many times faster. */
    public Timings faster(int speed) {
      return new Timings(
          bootMin.dividedBy(speed), bootMax.dividedBy(speed), clean.dividedBy(speed));
    }
  }

  /** A machine that the data centre has: the name of its Host, and its facts. */
  public record Slot(String host, Machine machine) {}

  public DataCentre {
    racks = List.copyOf(racks);
    quotas = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(quotas));
    configurations = List.copyOf(configurations);
  }

  /** What the data centre offers: its own types, with the quota that it sets for each. */
  public FleetOffer offer() {
    TreeSet<String> types = new TreeSet<>();
    TreeMap<String, Integer> quota = new TreeMap<>();
    for (Rack rack : racks) {
      types.add(rack.instanceType());
      quota.merge(rack.instanceType(), rack.hosts(), Integer::sum);
    }
    quota.putAll(quotas);
    return new FleetOffer(zone, region, organization, types, quota, configurations);
  }

  /**
   * All machines, in racks' and slots' order. Names are {@code g} and six hexadecimal digits
   * (contract §9).
   */
  public List<Slot> slots(InstanceCatalogue catalogue) {
    List<Slot> slots = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (Rack rack : racks) {
      InstanceType type = catalogue.find(rack.instanceType()).orElseThrow();
      for (int slot = 0; slot < rack.hosts(); slot++) {
        String name = name(rack, slot, 0);
        for (int attempt = 1; !names.add(name); attempt++) {
          name = name(rack, slot, attempt);
        }
        slots.add(new Slot(name, machine(rack, slot, type)));
      }
    }
    return slots;
  }

  private String name(Rack rack, int slot, int attempt) {
    long digits = Seeds.mix(seed, "name/" + rack.name() + "/" + slot + "/" + attempt) & 0xffffff;
    return "g%06x".formatted(digits);
  }

  private Machine machine(Rack rack, int slot, InstanceType type) {
    boolean fabric = type.network() != Network.ETHERNET;
    String where = zone.toLowerCase(Locale.ROOT);
    return new Machine(
        type.name(),
        zone,
        region,
        rack.name(),
        "dh1-r%s-%s".formatted(rack.name(), where),
        slot,
        type.isRack() ? "DH1-%s-%s".formatted(rack.name(), zone) : "",
        fabric ? where + "-fabric-1" : "",
        fabric ? where + "-leafgroup-" + rack.name() : "",
        fabric ? "1" : "");
  }
}
