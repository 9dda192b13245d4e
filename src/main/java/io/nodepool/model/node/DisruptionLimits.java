package io.nodepool.model.node;

import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits of a committed disruption; an instant is never moved to a later one.
 *
 * @param ending how the disruption ends
 * @param forceAt when the remaining Pods are deleted regardless of PodDisruptionBudgets
 * @param stopAt when the drain ends with Pods still on the machine; empty if it waits for the Pods
 */
public record DisruptionLimits(DisruptionEnding ending, Instant forceAt, Optional<Instant> stopAt) {
  /** These limits with the earlier of each instant. */
  public DisruptionLimits tightenedTo(DisruptionLimits other) {
    return new DisruptionLimits(
        ending,
        other.forceAt.isBefore(forceAt) ? other.forceAt : forceAt,
        Stream.concat(stopAt.stream(), other.stopAt.stream()).min(Instant::compareTo));
  }

  /** Whether the drain ends now, even with Pods still on the machine. */
  public boolean isStopDue(Instant now) {
    return stopAt.filter(stop -> !now.isBefore(stop)).isPresent();
  }

  /** How the machine is booted anew; empty if the Node leaves. */
  public Optional<BootKind> boot() {
    return ending instanceof DisruptionEnding.Reboot(BootKind kind)
        ? Optional.of(kind)
        : Optional.empty();
  }

  /** The limits of a Node that leaves when it is drained. */
  public static DisruptionLimits leaving(Instant forceAt) {
    return new DisruptionLimits(new DisruptionEnding.Leave(), forceAt, Optional.empty());
  }
}
