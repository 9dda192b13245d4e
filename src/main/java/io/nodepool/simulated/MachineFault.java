package io.nodepool.simulated;

import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A fault of machines, for tests and exercises: what they report, when, and what heals it.
 *
 * @param hosts names of the Hosts that have it; if empty, all Hosts have it
 * @param part what they report
 */
public record MachineFault(
    SortedSet<String> hosts, Part part, Begin begin, Course course, Healing heals) {
  /**
   * What a machine reports.
   *
   * @param alert the name of an alert
   * @param component the part of the machine that has the fault, such as {@code gpu3}
   */
  public record Part(String alert, String component) {}

  /** When it begins. */
  public sealed interface Begin {
    /** At this time. */
    record At(Instant time) implements Begin {}

    /** This long after the machine came up for a tenant. */
    record After(Duration time) implements Begin {}

    /**
     * On each machine at random, once in each tenancy, chosen by the seed.
     *
     * @param mean the mean time since the machine booted
     */
    record Chance(Duration mean) implements Begin {}

    private Begin faster(int speed) {
      return switch (this) {
        case At at -> at;
        case After(Duration time) -> new After(time.dividedBy(speed));
        case Chance(Duration mean) -> new Chance(mean.dividedBy(speed));
      };
    }
  }

  /**
   * The course of the fault.
   *
   * @param lasts how long it is active unless it is healed; empty if it does not end by itself
   * @param every the interval at which it returns, longer than it lasts; empty if it does not
   *     return
   * @param leadsTo what the machine also reports later; empty if nothing
   * @param leadsToAfter how much later
   * @param silent whether the kubelet of the machine stops reporting, so that its Node is not Ready
   */
  public record Course(
      Optional<Duration> lasts,
      Optional<Duration> every,
      Optional<Part> leadsTo,
      Duration leadsToAfter,
      boolean silent) {
    /** It is active until it is healed. */
    public static final Course STANDS =
        new Course(Optional.empty(), Optional.empty(), Optional.empty(), Duration.ZERO, false);

    private Course faster(int speed) {
      return new Course(
          lasts.map(each -> each.dividedBy(speed)),
          every.map(each -> each.dividedBy(speed)),
          leadsTo,
          leadsToAfter.dividedBy(speed),
          silent);
    }
  }

  /** What heals it; nothing else does. */
  public enum Healing implements Word {
    /** Nothing; it only ends by itself. */
    NOTHING,
    /** The repair of the component. */
    COMPONENT_REPAIR,
    /** Any boot. */
    REBOOT,
    /** A reset of the host, alone or with its DPU. */
    HOST_RESET,
    /** A reset of host and DPU, which a power reset includes. */
    HOST_AND_DPU_RESET,
    /** The replacement of the machine. */
    REPLACEMENT;

    /** Whether a boot of this kind heals it. */
    boolean isDoneBy(BootKind kind) {
      return switch (this) {
        case NOTHING, COMPONENT_REPAIR, REPLACEMENT -> false;
        case REBOOT -> kind.boots();
        case HOST_RESET ->
            kind == BootKind.HOST_RESET
                || kind == BootKind.HOST_AND_DPU_RESET
                || kind == BootKind.POWER_RESET;
        case HOST_AND_DPU_RESET ->
            kind == BootKind.HOST_AND_DPU_RESET || kind == BootKind.POWER_RESET;
      };
    }
  }

  public MachineFault {
    hosts = Collections.unmodifiableSortedSet(new TreeSet<>(hosts));
  }

  /** Whether this Host may have it. */
  boolean isOf(String host) {
    return hosts.isEmpty() || hosts.contains(host);
  }

  /** This fault with all times divided by {@code speed}. */
  MachineFault faster(int speed) {
    return new MachineFault(hosts, part, begin.faster(speed), course.faster(speed), heals);
  }
}
