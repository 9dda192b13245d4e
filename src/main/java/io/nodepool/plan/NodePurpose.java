package io.nodepool.plan;

import io.nodepool.model.node.Disruption;
import io.nodepool.vocabulary.EventTarget;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The purpose of a write of a Node. Writes with one purpose fail for the same cause. The effect of
 * a write that records a disruption is its purpose, and the causes if it changes them.
 */
public enum NodePurpose {
  /** A client's request for the removal is recorded. */
  NOTE("note request", "the note of a removal request", "marking"),
  /** A disruption is admitted; the Node is cordoned unless it already is. */
  ADMIT("mark Node", "the removal mark", "marking"),
  /** Causes join or leave a disruption under way, or its labels change. */
  UPDATE("update mark", "the causes of its disruption", "marking"),
  /** The machine did not come back from its reboot, and its Node waits until it may leave. */
  LOSE("mark failed reboot", "the mark of a failed reboot", ""),
  /** The disruption ends without effect, and with it the operator's own cordon. */
  WITHDRAW("unmark Node", NodePurpose.WITHDRAWN, ""),
  /** The Node is cordoned again, because another client uncordoned it. */
  CORDON_AGAIN("cordon Node", "the cordon", "cordoning"),
  /** The machine was rebooted: the disruption ends, and with it the operator's own cordon. */
  END("end reboot", NodePurpose.WITHDRAWN, ""),
  /** The disruption is committed, or its limits move earlier; after this it only ends. */
  COMMIT("begin removal", "the record of its drain", "draining"),
  /** CWNodeRemoval follows the stage of the removal. */
  REPORT_REMOVAL("report removal", "", "reporting the removal of"),
  /** CWActive follows the work on the Node; CWRegistered is set once. */
  REPORT_ACTIVITY("report Node", "", ""),
  /** The lifecycle conditions follow the lifecycle of the Node. */
  REPORT_LIFECYCLE("report lifecycle", "", ""),
  /** The health conditions follow the health of the machine. */
  REPORT_HEALTH("report health", "", ""),
  /** The metadata follows the pool's spec and its other sources. */
  APPLY_METADATA("apply metadata", "", ""),
  /** Its machine was asked to stop, and the Node shows the state in which it leaves. */
  SHOW_STATE("show state", "", ""),
  /** The policy of a reboot request is removed. */
  DROP_REBOOT_POLICY("drop reboot policy", "", "");

  private static final String WITHDRAWN = "no removal mark";

  private final String word;
  private final String effect;
  private final String fails;

  NodePurpose(String word, String effect, String fails) {
    this.word = word;
    this.effect = effect;
    this.fails = fails;
  }

  /** Whether it is a step of a disruption, which changes the record. */
  public boolean isOfDisruption() {
    return !effect.isEmpty();
  }

  /** The parts that a write with this purpose sets, and its texts for messages. */
  ActionTraits traits(Action.WriteNode write) {
    ActionTraits traits =
        ActionTraits.of(word, isOfDisruption() ? part(write) : write.change().parts())
            .withExempt(exempt())
            .withRemoval(removal(write))
            .withDecision(decision(write.next()));
    return effect.equals(WITHDRAWN)
        ? traits
        : traits.about(new EventDraft.Regarding(EventTarget.NODE, write.node(), write.nodeUid()));
  }

  private SortedMap<String, Object> part(Action.WriteNode write) {
    Object value =
        this == UPDATE || this == COMMIT
            ? write.next().flatMap(Disruption::active).map(Disruption.Active::words)
            : true;
    return new TreeMap<>(Map.of(effect, value));
  }

  /** The step of a removal that fails; empty if the write is no such step, or reports the end. */
  private Optional<String> removal(Action.WriteNode write) {
    boolean isOver =
        this == REPORT_REMOVAL
            && write.change().conditionsSet().noneMatch(ConditionChange.Set::status);
    return fails.isEmpty() || isOver
        ? Optional.empty()
        : Optional.of("%s Node %s".formatted(fails, write.node()));
  }

  /**
   * The part that may be set without a wait after the write: an admission that was just written may
   * always be withdrawn, and a drain that has just begun needs a Pod list of its own. The reverse
   * does not hold: an admission that is withdrawn repeatedly, because another client uncordons the
   * Node, is written again with growing waits.
   */
  private Optional<String> exempt() {
    if (this == ADMIT) {
      return Optional.of(WITHDRAWN);
    }
    return this == COMMIT ? Optional.of(ActionText.PODS) : Optional.empty();
  }

  /**
   * The decision about its Node that the log names; empty for a detail.
   *
   * @param next the disruption that is recorded
   */
  private Optional<String> decision(Optional<Disruption> next) {
    boolean leaves = next.flatMap(Disruption::active).filter(Disruption.Active::leaves).isPresent();
    return switch (this) {
      case ADMIT -> Optional.of(leaves ? "is to leave" : "is to be rebooted");
      case UPDATE ->
          Optional.of(leaves ? "is to leave for other causes" : "is still to be rebooted");
      case LOSE -> Optional.of("waits until it may leave");
      case WITHDRAW -> Optional.of("stays");
      case END -> Optional.of("is back in production");
      case CORDON_AGAIN -> Optional.of("is cordoned again");
      case COMMIT -> Optional.of("is drained");
      case NOTE,
          REPORT_REMOVAL,
          REPORT_ACTIVITY,
          REPORT_LIFECYCLE,
          REPORT_HEALTH,
          APPLY_METADATA,
          SHOW_STATE,
          DROP_REBOOT_POLICY ->
          Optional.empty();
    };
  }
}
