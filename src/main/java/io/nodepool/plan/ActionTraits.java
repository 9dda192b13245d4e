package io.nodepool.plan;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The parts that an action sets, and its texts for messages.
 *
 * @param word what the action does; actions are counted by this word
 * @param effects the parts of its object that it sets, such as a label, a condition or the cordon,
 *     each with its value. Two actions have the same effect if these are equal, whatever the
 *     object's version and the instant of the decision
 * @param undone the text for the change when another client reverts it; empty to use the names of
 *     the parts
 * @param exempt the part that may be set after this action without a wait, however often it was set
 *     before; the reverse does not hold
 * @param removal the step of a machine's removal that fails with the action; empty if it is no such
 *     step
 * @param decision the decision about its machine, which is logged with its reason; empty for a
 *     detail
 * @param regarding the object of the Event that reports a reverted change; empty for no Event
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

  /** A read of this part. */
  static ActionTraits read(String word, String part) {
    return of(word, part, true);
  }

  /** These traits, with this text for a reverted change. */
  ActionTraits undoing(String words) {
    return withUndone(Optional.of(words));
  }

  /** These traits, with this decision. */
  ActionTraits deciding(String words) {
    return withDecision(Optional.of(words));
  }

  /** These traits, with this text for a failed step of a removal. */
  ActionTraits removing(String words) {
    return withRemoval(Optional.of(words));
  }

  /** These traits, with the object on which a reverted change is reported. */
  ActionTraits about(EventDraft.Regarding object) {
    return withRegarding(Optional.of(object));
  }
}
