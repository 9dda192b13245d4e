package io.nodepool.world;

import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;

/**
 * A fault that is put into the operator or into one of its requests.
 *
 * @param number its number in src/test/resources/mutations.md
 * @param name the fault, in the words of that list
 * @param overrides the operator with the fault
 * @param first names of the scenarios that are run first, before all others
 */
record Mutation(int number, String name, OperatorOverrides overrides, List<String> first) {
  Mutation {
    first = List.copyOf(first);
  }

  static Mutation of(int number, String name, OperatorOverrides overrides, String... first) {
    return new Mutation(number, name, overrides, List.of(first));
  }

  @Override
  public String toString() {
    return "%d. %s".formatted(number, name);
  }
}
