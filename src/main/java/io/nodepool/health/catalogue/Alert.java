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
 *     the condition that Nodes show while the alert stands
 * @param meaning what it indicates: of an entry of the reference its words
 */
@RecordBuilder
public record Alert(
    String name,
    String meaning,
    AlertSubject subject,
    Response response,
    Standing standing,
    Recognition recognition,
    Basis basis)
    implements AlertCopy.With {

  /**
   * What is done about it.
   *
   * @param overridesEviction whether that ends the work on a Node even of a pool that protects work
   *     on unhealthy Nodes ({@code disableUnhealthyNodeEviction}, decision D29); only of a grade
   *     that does not wait
   */
  @RecordBuilder
  public record Response(Grade grade, boolean overridesEviction)
      implements AlertResponseCopy.With {}

  /**
   * When a signal of it counts, and when it ends by itself.
   *
   * @param hold how long the signal must stand before it counts; zero if it counts at once
   * @param perBoot whether a new boot of the machine ends it
   */
  @RecordBuilder
  public record Standing(Duration hold, boolean perBoot) implements AlertStandingCopy.With {}

  /**
   * How else it appears.
   *
   * @param aliases other names of it
   * @param nodeConditions the types of conditions that others write on Nodes and that mean this
   *     alert while they are True
   * @param symptomOf the names of the alerts whose symptom it is, where one of them stands too
   */
  @RecordBuilder
  public record Recognition(
      SortedSet<String> aliases, SortedSet<String> nodeConditions, SortedSet<String> symptomOf)
      implements AlertRecognitionCopy.With {
    /** Neither aliases, nor conditions, nor causes. */
    public static final Recognition NONE =
        new Recognition(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());

    /** Copies the sets. */
    public Recognition {
      aliases = Collections.unmodifiableSortedSet(new TreeSet<>(aliases));
      nodeConditions = Collections.unmodifiableSortedSet(new TreeSet<>(nodeConditions));
      symptomOf = Collections.unmodifiableSortedSet(new TreeSet<>(symptomOf));
    }
  }

  /**
   * What an entry rests on.
   *
   * @param reason the words of the reference that state the grade, or the reason why it is this one
   */
  public record Basis(Source source, String reason) {}

  /** Who an entry is from. */
  public enum Source implements LowerCaseWord {
    /** CoreWeave's documentation (seed 000): the meaning is its words. */
    REFERENCE,
    /** This project. */
    OURS,
    /** A user's document added the entry, or changed fields of it. */
    USER,
    /** Nobody: no catalogue has it. */
    UNKNOWN
  }

  /** The alert of a name that no catalogue has: it is watched. */
  static Alert unknown(String name) {
    return new Alert(
        name,
        "Unknown: the alert catalogue has no entry of this name.",
        AlertSubject.HOST,
        new Response(Grade.WATCH, false),
        new Standing(Duration.ZERO, false),
        Recognition.NONE,
        new Basis(Source.UNKNOWN, "an unknown alert is watched; nothing else is done about it"));
  }

  /** Whether the catalogue has it. */
  public boolean isKnown() {
    return basis.source() != Source.UNKNOWN;
  }

  /** What is done about it. */
  public Grade grade() {
    return response.grade();
  }

  /** Whether that ends work even where a pool protects it. */
  public boolean overridesEviction() {
    return response.overridesEviction();
  }

  /** How long a signal of it must stand before it counts; zero if it counts at once. */
  public Duration hold() {
    return standing.hold();
  }

  /** Whether a new boot of the machine ends it. */
  public boolean perBoot() {
    return standing.perBoot();
  }

  /** Other names of it. */
  public SortedSet<String> aliases() {
    return recognition.aliases();
  }

  /** The types of conditions of Nodes that mean it while they are True. */
  public SortedSet<String> nodeConditions() {
    return recognition.nodeConditions();
  }

  /** The names of the alerts whose symptom it is. */
  public SortedSet<String> symptomOf() {
    return recognition.symptomOf();
  }
}
