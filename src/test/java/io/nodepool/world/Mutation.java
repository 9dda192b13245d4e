package io.nodepool.world;

import java.util.List;

/**
 * An operator, or a request of it, with one fault.
 *
 * @param number its number in docs/testing.md
 * @param name what is wrong, in the words of that list
 * @param parts the operator with the fault
 * @param first names of the scenarios that are played first; after them all others are
 */
record Mutation(int number, String name, Parts parts, List<String> first) {
  Mutation {
    first = List.copyOf(first);
  }

  static Mutation of(int number, String name, Parts parts, String... first) {
    return new Mutation(number, name, parts, List.of(first));
  }

  @Override
  public String toString() {
    return "%d. %s".formatted(number, name);
  }
}
