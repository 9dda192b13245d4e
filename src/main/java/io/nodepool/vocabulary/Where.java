package io.nodepool.vocabulary;

import java.util.Set;

/** Sets of targets, because a field of an enum must be of an immutable type. */
enum Where {
  NODE,
  POOL,
  BOTH,
  ANYWHERE;

  /** The targets; immutable. */
  Set<EventTarget> targets() {
    return switch (this) {
      case NODE -> Set.of(EventTarget.NODE);
      case POOL -> Set.of(EventTarget.POOL);
      case BOTH -> Set.of(EventTarget.NODE, EventTarget.POOL);
      case ANYWHERE -> Set.of(EventTarget.NODE, EventTarget.POOL, EventTarget.NAMESPACE);
    };
  }
}
