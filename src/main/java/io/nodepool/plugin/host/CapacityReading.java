package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.plugin.request.PoolReading;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The Hosts of an instance type by use, the queue and the quota. */
final class CapacityReading {
  private static final String UNKNOWN = Host.PowerReading.State.UNKNOWN.word();
  private static final String SPOT = "spot";

  private final String type;
  private final Map<Use, Integer> hosts = new HashMap<>();
  private int queued;
  private int claimed;
  private Optional<Integer> quota = Optional.empty();

  private CapacityReading(String type) {
    this.type = type;
  }

  /** The name of the instance type; empty text for machines without one. */
  String type() {
    return type;
  }

  /** How many Hosts have this use. */
  int hosts(Use use) {
    return hosts.getOrDefault(use, 0);
  }

  /** How many Hosts there are. */
  int all() {
    return hosts.values().stream().mapToInt(count -> count).sum();
  }

  /** How many Nodes of this type wait for a Host. */
  int queued() {
    return queued;
  }

  /** The quota; empty if there is none, or it is not known. */
  Optional<Integer> quota() {
    return quota;
  }

  /** The rest of the quota: below 0 if the quota was lowered after it was used. */
  Optional<Integer> left() {
    return quota.map(all -> all - claimed);
  }

  /** What a Host is used for. */
  enum Use {
    /** It may be assigned. */
    FREE,
    /** A pool of another class than spot has it. */
    ON_DEMAND,
    /** A spot pool has it; other pools may take it. */
    SPOT,
    /** It is not assigned until it is put back into service. */
    SET_ASIDE,
    /** Its fleet is cleaning it, or it failed. */
    NOT_READY
  }

  /**
   * The reading of each instance type, by name.
   *
   * @param offer the fleet's offer; empty if it cannot be read
   */
  static List<CapacityReading> byType(
      List<JsonNode> hosts, List<PoolReading> pools, Optional<FleetOffer> offer) {
    SortedMap<String, CapacityReading> types = new TreeMap<>();
    offer.ifPresent(known -> {
      known.instanceTypes().forEach(type -> of(types, type));
      known.quota().forEach((type, quota) -> of(types, type).quota = Optional.of(quota));
    });
    for (PoolReading pool : pools) {
      CapacityReading type = of(types, pool.instanceType());
      type.queued += pool.queued();
      type.claimed +=
          Math.max(
              pool.json().at("/status/growth/granted").asInt(0),
              pool.currentNodes() + pool.inProgress());
    }
    hosts.forEach(host ->
        of(types, host.at("/spec/machine/instanceType").asText(""))
            .hosts
            .merge(use(host), 1, Integer::sum));
    return List.copyOf(types.values());
  }

  private static CapacityReading of(Map<String, CapacityReading> types, String type) {
    return types.computeIfAbsent(type, CapacityReading::new);
  }

  private static Use use(JsonNode host) {
    JsonNode assignment = host.at("/spec/assignment");
    if (assignment.isObject()) {
      boolean isSpot = assignment.path("computeClass").asText("").equalsIgnoreCase(SPOT);
      return isSpot ? Use.SPOT : Use.ON_DEMAND;
    }
    if (host.path("spec").hasNonNull("setAside")) {
      return Use.SET_ASIDE;
    }
    boolean isHeld =
        host.at("/status/maintenance").asBoolean()
            || host.at("/status/power/state").asText("").equals(UNKNOWN);
    return !isHeld && host.at("/status/phase").asText("").equals(HostPhase.FREE.word())
        ? Use.FREE
        : Use.NOT_READY;
  }
}
