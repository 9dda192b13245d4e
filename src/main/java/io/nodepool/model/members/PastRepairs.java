package io.nodepool.model.members;

import io.nodepool.fleet.PastRepair;
import java.util.List;
import org.pcollections.TreePMap;

/**
 * What was done for alerts to the machines of one pool, as all Hosts have it: also those that it
 * does not hold any more. What counts no more may be among it.
 *
 * @param byHost by the UID of the Host, the oldest first; Hosts without any are left out
 */
public record PastRepairs(TreePMap<String, List<PastRepair>> byHost) {
  /** Nothing. */
  public static final PastRepairs NONE = new PastRepairs(TreePMap.empty());

  /** This with what was done to the machine of one Host. */
  public PastRepairs with(String hostUid, List<PastRepair> repairs) {
    return new PastRepairs(
        repairs.isEmpty() ? byHost.minus(hostUid) : byHost.plus(hostUid, repairs));
  }
}
