package io.nodepool.cli.view;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A machine of the fleet: its place and its state.
 *
 * @param disruption its Node's disruption; empty if the Node is not disrupted
 * @param notes the alerts and the pending request of its Node
 */
public record MachineView(
    Place place, MachineState state, Optional<DisruptionView> disruption, List<String> notes) {
  public MachineView {
    notes = List.copyOf(notes);
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

  private static final Pattern PART = Pattern.compile("[0-9]+|[^0-9]+");

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
