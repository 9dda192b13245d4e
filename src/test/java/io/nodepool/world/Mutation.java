package io.nodepool.world;

import java.util.List;

/**
 * An operator, or a request of it, with one fault.
 *
 * @param number its number in docs/testing.md
 * @param name what is wrong, in the words of that list
 * @param overrides the operator with the fault
 * @param first names of the scenarios that are played first; after them all others are
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
