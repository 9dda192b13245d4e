package io.nodepool.whatif;

import io.nodepool.vocabulary.Word;
import java.time.Instant;

/**
 * A change of an object, as a client of the cluster sees it.
 *
 * @param name of the Node, the Host, the Pod with its Namespace, or the NodePool
 * @param why the cause, or where; may be empty text
 */
public record Happening(Instant at, What what, String name, String why) {
  /** What happens. */
  public enum What implements Word {
    /** A pool gets a machine. */
    ASSIGNED,
    /** A machine is given back before it joined. */
    CANCELLED,
    /** A Node joins. */
    JOINED,
    /** A Node takes no new Pods any more. */
    CORDONED,
    /** A Node takes new Pods again. */
    UNCORDONED,
    /** A Pod of a tenant ends. */
    WORK_ENDS,
    /** The kubelet of a Node stops answering. */
    NOT_READY,
    /** The kubelet of a Node answers again. */
    READY,
    /** A machine leaves its boot. */
    BOOTS,
    /** A machine is on another boot. */
    BOOTED,
    /** A machine is powered off. */
    STOPPED,
    /** A Node is deleted. */
    REMOVED,
    /** A Host is set aside. */
    SET_ASIDE,
    /** A pool has reached its target, or has left it. */
    AT_TARGET;

    /** Whether work of a tenant ends with it. */
    boolean isAboutWork() {
      return this == WORK_ENDS;
    }
  }
}
