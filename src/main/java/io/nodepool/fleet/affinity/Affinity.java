package io.nodepool.fleet.affinity;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import java.util.List;

/**
 * Which machines of its instance type a pool takes, as its annotation {@code
 * nodepool.io/node-affinity} says: a label selector over what is fixed about a machine.
 */
public sealed interface Affinity {

  /** The affinity to which every machine will do. */
  static Affinity any() {
    return new Selector(List.of());
  }

  /** Whether the machine may be given to the pool. */
  boolean admits(HostId host, Machine machine);

  /** A selector that was understood; a machine has to meet all of its requirements. */
  record Selector(List<AffinityRequirement> requirements) implements Affinity {
    public Selector {
      requirements = List.copyOf(requirements);
    }

    @Override
    public boolean admits(HostId host, Machine machine) {
      return requirements.stream().allMatch(each -> each.isMetBy(host, machine));
    }
  }

  /**
   * Text that is no selector; it admits no machine.
   *
   * @param why what is wrong, and what would be right
   */
  record Unreadable(String why) implements Affinity {
    @Override
    public boolean admits(HostId host, Machine machine) {
      return false;
    }
  }

  /** Whether it leaves any machine out. */
  default boolean isSelective() {
    return !equals(any());
  }
}
