package io.nodepool.explain;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** What could not be listed, so that what follows from it is unknown. */
public record Unlisted(Set<ListedKind> kinds) {
  /** All was listed. */
  public static final Unlisted NOTHING = new Unlisted(Set.of());

  public Unlisted {
    kinds = kinds.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(kinds));
  }

  /** What could not be listed, in a sentence; empty if all was. */
  public Optional<String> text() {
    return why(kinds);
  }

  /** Why something is unknown that follows from these; empty if it is known. */
  Optional<String> why(Set<ListedKind> needed) {
    return kinds.stream()
        .filter(needed::contains)
        .map(ListedKind::text)
        .reduce("%s, %s"::formatted)
        .map("%s could not be listed"::formatted);
  }

  /** The statement that follows from these kinds, or that it is unknown. */
  Statement statement(String what, Set<ListedKind> needed, Supplier<Statement> known) {
    return why(needed)
        .map(why -> new Statement(what, Statement.Whether.UNKNOWN, why))
        .orElseGet(known);
  }
}
