package io.nodepool.fleet.affinity;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One requirement of an affinity, with the meaning of a Kubernetes label selector.
 *
 * @param key the label that the machine's Node carries
 * @param operator how the values are compared
 * @param values the values to compare with; empty for {@code EXISTS} and {@code ABSENT}
 */
public record AffinityRequirement(String key, Operator operator, SortedSet<String> values) {
  /** The operators of label selectors. */
  public enum Operator {
    /** The label has one of the values. */
    IN,
    /** The label does not exist or has another value. */
    NOT_IN,
    /** The label exists. */
    EXISTS,
    /** The label does not exist. */
    ABSENT
  }

  public AffinityRequirement {
    values = Collections.unmodifiableSortedSet(new TreeSet<>(values));
  }

  /** Whether a machine meets it. */
  boolean isMetBy(HostId host, Machine machine) {
    return admits(PlacementLabel.valueOf(key, host, machine));
  }

  /** Whether a label with this value meets it; empty text means that the label does not exist. */
  public boolean admits(String value) {
    return switch (operator) {
      case IN -> values.contains(value);
      case NOT_IN -> !values.contains(value);
      case EXISTS -> !value.isEmpty();
      case ABSENT -> value.isEmpty();
    };
  }
}
