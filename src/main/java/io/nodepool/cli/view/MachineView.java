package io.nodepool.cli.view;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A machine of the fleet: its place and its state.
 *
 * @param disruption what is done with its Node; empty if that is not disrupted
 */
public record MachineView(Place place, MachineState state, Optional<DisruptionView> disruption) {
  /** A machine whose Node is not disrupted. */
  public MachineView(Place place, MachineState state) {
    this(place, state, Optional.empty());
  }

  /**
   * The place of a machine.
   *
   * @param rack the short name of its rack, or an empty text
   * @param slot the slot in the rack, or an empty text
   * @param name the name of the machine
   */
  public record Place(String instanceType, String zone, String rack, String slot, String name) {
    /** By instance type, zone, rack and slot, with numbers in names compared by value. */
    public static final Comparator<Place> ORDER =
        Comparator.comparing(Place::instanceType)
            .thenComparing(Place::zone)
            .thenComparing(Place::rack, MachineView::byNumbers)
            .thenComparing(Place::slot, MachineView::byNumbers)
            .thenComparing(Place::name);
  }

  /**
   * The facts of a Host that determine a machine's state.
   *
   * @param current whether the phase belongs to the current assignment
   */
  public record HostFacts(
      boolean assigned, boolean setAside, boolean poweredOff, Phase phase, boolean current) {}

  /** The phase of a machine, as its fleet reports it. */
  public enum Phase {
    FREE,
    RUNNING,
    STOPPED,
    CLEANING,
    FAILED,
    UNKNOWN
  }

  /**
   * The facts of a Node that determine a machine's state.
   *
   * @param disruption what is done with it; empty if it is not disrupted
   */
  public record NodeFacts(
      boolean ready,
      boolean registered,
      boolean active,
      boolean cordoned,
      Step step,
      Optional<DisruptionView> disruption) {}

  /** What is being done with a Node. */
  public enum Step {
    /** It is in its pool. */
    STAYING,
    /** Its machine is rebooted or verified. */
    REBOOTING,
    /** It is being removed from its pool. */
    REMOVING
  }

  private static final Pattern PART = Pattern.compile("[0-9]+|[^0-9]+");

  /** The state of a machine. */
  public static MachineState state(HostFacts host, Optional<NodeFacts> node) {
    if (!host.assigned()) {
      return unassigned(host);
    }
    if (host.phase() == Phase.FAILED) {
      return MachineState.FAILED;
    }
    if (host.poweredOff() || host.phase() == Phase.STOPPED) {
      return MachineState.STOPPED;
    }
    if (host.phase() != Phase.RUNNING || !host.current()) {
      return MachineState.BOOTING;
    }
    return node.map(MachineView::running).orElse(MachineState.JOINING);
  }

  private static MachineState unassigned(HostFacts host) {
    return switch (host.phase()) {
      case FAILED -> MachineState.FAILED;
      case RUNNING, STOPPED, CLEANING -> MachineState.CLEANING;
      case FREE -> host.setAside() ? MachineState.SET_ASIDE : MachineState.FREE;
      case UNKNOWN -> host.setAside() ? MachineState.SET_ASIDE : MachineState.UNREPORTED;
    };
  }

  private static MachineState running(NodeFacts node) {
    return switch (node.step()) {
      case REMOVING -> MachineState.DRAINING;
      case REBOOTING -> MachineState.REBOOTING;
      case STAYING -> staying(node);
    };
  }

  private static MachineState staying(NodeFacts node) {
    if (!node.ready()) {
      return MachineState.NOT_READY;
    }
    if (!node.registered()) {
      return MachineState.JOINING;
    }
    if (node.cordoned()) {
      return MachineState.CORDONED;
    }
    return node.active() ? MachineState.BUSY : MachineState.IDLE;
  }

  private static int byNumbers(String one, String other) {
    List<String> left = parts(one);
    List<String> right = parts(other);
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      int order = byValue(left.get(i), right.get(i));
      if (order != 0) {
        return order;
      }
    }
    return left.size() == right.size()
        ? one.compareTo(other)
        : Integer.compare(left.size(), right.size());
  }

  private static int byValue(String left, String right) {
    if (!Character.isDigit(left.charAt(0)) || !Character.isDigit(right.charAt(0))) {
      return left.compareTo(right);
    }
    String one = left.replaceFirst("^0+", "");
    String other = right.replaceFirst("^0+", "");
    return one.length() == other.length()
        ? one.compareTo(other)
        : Integer.compare(one.length(), other.length());
  }

  private static List<String> parts(String text) {
    return PART.matcher(text).results().map(MatchResult::group).toList();
  }
}
