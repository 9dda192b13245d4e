package io.nodepool.model.node;

import io.nodepool.vocabulary.BootKind;

/**
 * What a disruption ends in. Of several endings the strongest counts: to leave is stronger than to
 * reboot, and of two reboots the stronger kind counts (decision D65).
 */
public sealed interface DisruptionEnding {
  /** The machine boots anew, or is verified; the Node stays in its pool. */
  record Reboot(BootKind kind) implements DisruptionEnding {}

  /** The machine is stopped and released, and the Node deleted. */
  record Leave() implements DisruptionEnding {}

  /** The stronger one of this and another ending. */
  default DisruptionEnding or(DisruptionEnding other) {
    if (this instanceof Reboot(BootKind kind) && other instanceof Reboot(BootKind otherKind)) {
      return new Reboot(kind.or(otherKind));
    }
    return strength() >= other.strength() ? this : other;
  }

  /** Whether the machine is verified, without a boot. */
  default boolean isVerification() {
    return this instanceof Reboot(BootKind kind) && !kind.boots();
  }

  /** The strength of its class: a stronger ending has a greater number. */
  default int strength() {
    return switch (this) {
      case Reboot _ -> 1;
      case Leave _ -> 2;
    };
  }
}
