package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.LowerCaseWord;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An entry of the catalogue.
 *
 * @param name the name, unique among the names and aliases of a catalogue; it is also the type of
 *     the condition that Nodes show while the alert is active
 * @param meaning what it indicates; for an entry of the reference, the words of the reference
 * @param subject what it is about
 * @param grade what is done about it
 * @param overridesEviction whether its repair ends the work on a Node even in a pool that protects
 *     work on unhealthy Nodes ({@code disableUnhealthyNodeEviction}, decision D29); only for a
 *     grade that does not wait
 * @param hold how long a signal of it must be active before it counts; zero if it counts at once
 * @param perBoot whether a new boot of the machine ends it
 * @param aliases other names of it
 * @param nodeConditions the types of conditions that other clients write on Nodes and that mean
 *     this alert while they are True
 * @param symptomOf the names of the alerts whose symptom it is, while one of them is active too
 * @param source the origin of the entry
 * @param reason the words of the reference that state the grade, or another reason for the grade
 */
@RecordBuilder
public record Alert(
    String name,
    String meaning,
    AlertSubject subject,
    Grade grade,
    boolean overridesEviction,
    Duration hold,
    boolean perBoot,
    SortedSet<String> aliases,
    SortedSet<String> nodeConditions,
    SortedSet<String> symptomOf,
    Source source,
    String reason)
    implements AlertCopy.With {

  /** The origin of an entry. */
  public enum Source implements LowerCaseWord {
    /** CoreWeave's documentation (seed 000): the meaning is its words. */
    REFERENCE,
    /** This project. */
    OURS,
    /** A user's document added the entry, or changed fields of it. */
    USER,
    /** No origin: no catalogue has it. */
    UNKNOWN
  }

  /** Copies the sets. */
  public Alert {
    aliases = Collections.unmodifiableSortedSet(new TreeSet<>(aliases));
    nodeConditions = Collections.unmodifiableSortedSet(new TreeSet<>(nodeConditions));
    symptomOf = Collections.unmodifiableSortedSet(new TreeSet<>(symptomOf));
  }

  /** The alert of a name that no catalogue has: it is watched. */
  static Alert unknown(String name) {
    return new Alert(
        name,
        "Unknown: the alert catalogue has no entry of this name.",
        AlertSubject.HOST,
        Grade.WATCH,
        false,
        Duration.ZERO,
        false,
        Collections.emptySortedSet(),
        Collections.emptySortedSet(),
        Collections.emptySortedSet(),
        Source.UNKNOWN,
        "an unknown alert is watched; nothing else is done about it");
  }

  /** Whether the catalogue has it. */
  public boolean isKnown() {
    return source != Source.UNKNOWN;
  }
}
