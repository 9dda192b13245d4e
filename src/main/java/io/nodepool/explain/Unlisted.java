package io.nodepool.explain;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What could not be listed, so that what follows from it is unknown. */
public record Unlisted(Set<ListedKind> kinds) {
  /** All was listed. */
  public static final Unlisted NOTHING = new Unlisted(Set.of());

  public Unlisted {
    kinds =
        kinds.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(kinds));
  }

  /** Why something is unknown that follows from these; empty if it is known. */
  Optional<String> why(Set<ListedKind> needed) {
    Set<ListedKind> missing =
        kinds.stream()
            .filter(needed::contains)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(ListedKind.class)));
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            missing.stream().map(ListedKind::text).collect(Collectors.joining(", "))
                + " could not be listed");
  }

  /** The statement that follows from these kinds, or that it is unknown. */
  Statement statement(String what, Set<ListedKind> needed, Supplier<Statement> known) {
    return why(needed)
        .map(why -> new Statement(what, Statement.Answer.UNKNOWN, why))
        .orElseGet(known);
  }
}
