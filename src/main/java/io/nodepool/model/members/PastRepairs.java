package io.nodepool.model.members;

import io.nodepool.fleet.PastRepair;
import java.util.List;
import org.pcollections.TreePMap;

/**
 * The past repairs of one pool's machines for alerts, as all Hosts record them, including Hosts
 * that it no longer holds. Some may no longer count.
 *
 * @param byHost by the UID of the Host, the oldest first; Hosts without any are left out
 */
public record PastRepairs(TreePMap<String, List<PastRepair>> byHost) {
  /** Nothing. */
  public static final PastRepairs NONE = new PastRepairs(TreePMap.empty());

  /** These repairs, with the past repairs of the machine of one Host. */
  public PastRepairs with(String hostUid, List<PastRepair> repairs) {
    return new PastRepairs(
        repairs.isEmpty() ? byHost.minus(hostUid) : byHost.plus(hostUid, repairs));
  }
}
