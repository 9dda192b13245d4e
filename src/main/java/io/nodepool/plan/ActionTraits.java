package io.nodepool.plan;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What an action sets, and how it is said.
 *
 * @param word what it does, by which actions are counted
 * @param effects the parts of its object that it sets, as a label, a condition or the cordon, each
 *     with its value. Two actions have the same effect if these are equal, independently of the
 *     object's version and of the instant at which each was decided
 * @param undone what is undone if another client changes it back; empty if the names of its parts
 *     say that
 * @param exempt the part that may be set without a wait after it, however often it was set before;
 *     the reverse does not hold
 * @param removal what fails with it of the removal of a machine; empty if it is no part of that
 * @param decision the decision about its machine, which is logged with its reason; empty for a
 *     detail
 * @param regarding what the Event is about that reports that its change does not stay; empty for
 *     none
 */
@RecordBuilder
public record ActionTraits(
    String word,
    SortedMap<String, Object> effects,
    Optional<String> undone,
    Optional<String> exempt,
    Optional<String> removal,
    Optional<String> decision,
    Optional<EventDraft.Regarding> regarding)
    implements ActionTraitsCopy.With {
  /** An action that sets these parts. */
  static ActionTraits of(String word, SortedMap<String, Object> effects) {
    return new ActionTraits(
        word,
        effects,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** An action that sets this part. */
  static ActionTraits of(String word, String part, Object value) {
    return of(word, new TreeMap<>(Map.of(part, value)));
  }

  /** A read of this. */
  static ActionTraits read(String word, String part) {
    return of(word, part, true);
  }

  /** These traits of an action of which this is undone. */
  ActionTraits undoing(String words) {
    return withUndone(Optional.of(words));
  }

  /** These traits of a decision. */
  ActionTraits deciding(String words) {
    return withDecision(Optional.of(words));
  }

  /** These traits of a part of a removal that fails with these words. */
  ActionTraits removing(String words) {
    return withRemoval(Optional.of(words));
  }

  /** These traits of an action whose undoing is reported on this object. */
  ActionTraits about(EventDraft.Regarding object) {
    return withRegarding(Optional.of(object));
  }
}
