package io.nodepool.model.snapshot;

import io.nodepool.fleet.PastRepair;
import java.util.List;
import org.pcollections.TreePMap;

/**
 * All Hosts of an instance type, free or not.
 *
 * @param byZone the Hosts by their zone
 */
public record TypeHosts(TreePMap<String, ZoneHosts> byZone) {
  /** No Host. */
  public static final TypeHosts NONE = new TypeHosts(TreePMap.empty());

  /**
   * The Hosts of the type in one zone.
   *
   * @param hosts the number of Hosts
   * @param outs the repairs for which Hosts were set aside, for any pool, by the UID of the Host,
   *     the oldest first; some may no longer count
   */
  public record ZoneHosts(int hosts, TreePMap<String, List<PastRepair>> outs) {
    /** No Host. */
    public static final ZoneHosts NONE = new ZoneHosts(0, TreePMap.empty());
  }

  /** The Hosts of a zone. */
  public ZoneHosts in(String zone) {
    return byZone.getOrDefault(zone, ZoneHosts.NONE);
  }

  /** With one Host more. */
  public TypeHosts plus(String zone, String hostUid, List<PastRepair> outs) {
    ZoneHosts last = in(zone);
    return with(
        zone,
        new ZoneHosts(
            last.hosts() + 1, outs.isEmpty() ? last.outs() : last.outs().plus(hostUid, outs)));
  }

  /** With one Host less. */
  public TypeHosts minus(String zone, String hostUid) {
    ZoneHosts last = in(zone);
    return with(zone, new ZoneHosts(last.hosts() - 1, last.outs().minus(hostUid)));
  }

  private TypeHosts with(String zone, ZoneHosts next) {
    return new TypeHosts(next.hosts() == 0 ? byZone.minus(zone) : byZone.plus(zone, next));
  }
}
