package io.nodepool.plan;

import io.nodepool.fleet.PoolId;
import io.nodepool.vocabulary.EventReason;
import java.util.List;

/**
 * What is said of an object that is there and cannot be read. It counts as present, and nothing is
 * done about it or about what depends on it.
 */
public final class Unreadable {
  private Unreadable() {}

  /** The step for a pool; its read shows whether it is still so. */
  public static Step pool(PoolId pool, String why) {
    return new Step(
        List.of(
            notice(
                new Notice.Regarding(Notice.Kind.NODE_POOL, pool.name(), pool.uid()),
                "NodePool %s".formatted(pool.name()),
                why)),
        new Action.Confirm(new Action.Subject.OfPool(pool)),
        "it cannot be read");
  }

  /**
   * The step for a machine.
   *
   * @param uid the UID of its Node, or empty text if none was ever read
   * @param subject what cannot be read
   */
  public static Step machine(String name, String uid, Action.Subject subject, String why) {
    return new Step(
        List.of(
            notice(
                new Notice.Regarding(Notice.Kind.NODE, name, uid),
                "Machine %s".formatted(name),
                why)),
        new Action.Confirm(subject),
        "it cannot be read");
  }

  private static Notice notice(Notice.Regarding regarding, String what, String why) {
    return new Notice(
        EventReason.OBJECT_UNREADABLE,
        regarding,
        why,
        "%s is left as it is, because it cannot be read: %s. Put right what is stored, or take it away."
            .formatted(what, why),
        1);
  }
}
