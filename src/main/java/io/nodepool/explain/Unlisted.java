package io.nodepool.explain;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Kinds that could not be listed: conclusions from them are unknown. */
public record Unlisted(Set<ListedKind> kinds) {
  /** All was listed. */
  public static final Unlisted NOTHING = new Unlisted(Set.of());

  public Unlisted {
    kinds = kinds.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(kinds));
  }

  /** The kinds in a sentence; empty if there are none. */
  public Optional<String> text() {
    return why(kinds);
  }

  /** Why a conclusion from these kinds is unknown; empty if it is known. */
  Optional<String> why(Set<ListedKind> needed) {
    return kinds.stream()
        .filter(needed::contains)
        .map(ListedKind::text)
        .reduce("%s, %s"::formatted)
        .map("%s could not be listed"::formatted);
  }

  /** The statement if these kinds are listed; else an unknown one. */
  Statement statement(String what, Set<ListedKind> needed, Supplier<Statement> known) {
    return why(needed)
        .map(why -> new Statement(what, Statement.Whether.UNKNOWN, why))
        .orElseGet(known);
  }
}
