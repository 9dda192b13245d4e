package io.nodepool.fleet.affinity;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import java.util.List;

/**
 * Which machines of its instance type a pool admits, as its annotation {@code
 * nodepool.io/node-affinity} defines: a label selector over the fixed properties of a machine.
 */
public sealed interface Affinity {

  /** The affinity that admits every machine. */
  static Affinity any() {
    return new Selector(List.of());
  }

  /** Whether the machine may be assigned to the pool. */
  boolean admits(HostId host, Machine machine);

  /** A valid selector; a machine must meet all of its requirements. */
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
   * Text that is not a selector; it admits no machine.
   *
   * @param why what is wrong, and what would be valid
   */
  record Unreadable(String why) implements Affinity {
    @Override
    public boolean admits(HostId host, Machine machine) {
      return false;
    }
  }

  /** Whether it excludes any machine. */
  default boolean isSelective() {
    return !equals(any());
  }
}
