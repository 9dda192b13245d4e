package io.nodepool.cli.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jline.utils.AttributedString;

/**
 * Lays out the view of a cluster on a screen: the pools, the data centre, the Events. If the height
 * is not sufficient, Events are left out first, then racks are summarised, then pools.
 */
public final class Layout {
  /** The width that the view needs. */
  public static final int NARROW = 80;

  /** The levels of detail, tried in order until everything fits. */
  private static final List<Plan> PLANS =
      List.of(
          new Plan(PoolsSection.Detail.ALL, MachinesSection.Detail.RACKS, 5, 8),
          new Plan(PoolsSection.Detail.ALL, MachinesSection.Detail.RACKS, 5, 5),
          new Plan(PoolsSection.Detail.ALL, MachinesSection.Detail.TYPES, 5, 5),
          new Plan(PoolsSection.Detail.TROUBLE, MachinesSection.Detail.TYPES, 3, 5),
          new Plan(PoolsSection.Detail.TROUBLE, MachinesSection.Detail.TOTAL, 3, 5),
          new Plan(PoolsSection.Detail.TROUBLE, MachinesSection.Detail.TOTAL, 1, 3),
          new Plan(PoolsSection.Detail.TROUBLE, MachinesSection.Detail.TOTAL, 0, 0),
          new Plan(PoolsSection.Detail.REASONS, MachinesSection.Detail.TOTAL, 0, 0));

  private final Theme theme;

  /** Creates a layout for a theme. */
  public Layout(Theme theme) {
    this.theme = theme;
  }

  /**
   * The lines above the view.
   *
   * @param pinned lines that stay for the whole run
   * @param notices the last printed lines
   * @param keys what the user chose to see
   */
  public record Head(List<String> pinned, List<String> notices, Keys keys) {
    /** The lines above a view without a choice of the user. */
    public Head(List<String> pinned, List<String> notices) {
      this(pinned, notices, Keys.NONE);
    }

    public Head {
      pinned = List.copyOf(pinned);
      notices = List.copyOf(notices);
    }
  }

  /**
   * The level of detail of each section.
   *
   * @param disruptions the greatest number of Nodes under disruption at this level
   * @param events the minimum number of lines of Events at this level
   */
  private record Plan(
      PoolsSection.Detail pools, MachinesSection.Detail machines, int disruptions, int events) {}

  /** The lines of the view, which fit the width and height of the screen. */
  public List<AttributedString> lines(
      ClusterView view, Head head, int width, int height, Instant now) {
    List<AttributedString> lines = new ArrayList<>(head(head, width));
    int left = height - lines.size();
    if (left < 2) {
      lines = new ArrayList<>();
      left = height;
    }
    lines.addAll(
        head.keys().help()
            ? help(width)
            : body(head.keys().of(view), head.keys(), width, left, now));
    return lines.subList(0, Math.min(lines.size(), height));
  }

  /** The pools only, as they are printed at the end. */
  public List<AttributedString> pools(ClusterView view, int width) {
    return new PoolsSection(theme, width, Instant.MIN).lines(view.pools(), PoolsSection.Detail.ALL);
  }

  private List<AttributedString> head(Head head, int width) {
    List<AttributedString> lines =
        new ArrayList<>(
            new Paragraph(theme)
                .add("nodepool dev", Tone.TITLE)
                .add("(q ends it, ? explains, / finds, Enter opens a NodePool)", Tone.FAINT)
                .lines(width));
    chosen(head.keys())
        .ifPresent(text -> lines.addAll(new Paragraph(theme).add(text, Tone.WARN).lines(width)));
    if (width < NARROW) {
      lines.addAll(
          new Paragraph(theme)
              .add(
                  "This terminal has %d columns; the view is made for %d or more."
                      .formatted(width, NARROW),
                  Tone.WARN)
              .lines(width));
    }
    head.pinned()
        .forEach(line -> lines.addAll(new Paragraph(theme).add(line, Tone.PLAIN).lines(width)));
    head.notices()
        .forEach(line -> lines.addAll(new Paragraph(theme).add(line, Tone.TITLE).lines(width)));
    lines.add(AttributedString.EMPTY);
    return lines;
  }

  private static Optional<String> chosen(Keys keys) {
    if (keys.isTyping()) {
      return Optional.of("find: %s_ (Enter keeps it, Esc ends it)".formatted(keys.find()));
    }
    String find = keys.find().isEmpty() ? "" : "only what has \"%s\"; ".formatted(keys.find());
    return keys.opened().isEmpty()
        ? Optional.of(find + "Esc shows all").filter(_ -> !find.isEmpty())
        : Optional.of(
            find + "NodePool %s; Enter shows the next one, Esc all".formatted(keys.opened()));
  }

  /** The keys, the marks of pools, and the symbols of machines. */
  private List<AttributedString> help(int width) {
    List<AttributedString> lines = new ArrayList<>();
    for (String text :
        List.of(
            "KEYS",
            "? this page, or back; / finds NodePools, machines and Events by a text; Enter opens a NodePool with all its conditions, then the next one",
            "Esc shows all again; Ctrl-L draws anew; q ends the command",
            "NODEPOOLS",
            "%s at its target, %s in progress, %s a problem; then what matters most, as in kubectl get nodepools"
                .formatted(theme.pick("✓", "="), theme.pick("▸", ">"), "!"),
            "MACHINES")) {
      lines.addAll(
          new Paragraph(theme)
              .add(text, text.equals(text.toUpperCase(Locale.ROOT)) ? Tone.TITLE : Tone.PLAIN)
              .lines(width));
    }
    for (MachineState state : MachineState.values()) {
      lines.addAll(
          new Paragraph(theme)
              .add(String.valueOf(state.symbol(theme.unicode())), state.tone())
              .add(state.word() + ": " + state.meaning(), Tone.PLAIN)
              .lines(2, 4, width));
    }
    return lines;
  }

  private List<AttributedString> body(
      ClusterView view, Keys keys, int width, int height, Instant now) {
    PoolsSection pools = new PoolsSection(theme, width, now);
    MachinesSection machines =
        new MachinesSection(theme, width, view.machines(), view.typesInUse());
    DisruptionsSection disruptions = new DisruptionsSection(theme, width, view.machines(), now);
    EventsSection events = new EventsSection(theme, width, now);
    boolean tooManyForCells = view.machines().size() > width * height;
    for (Plan plan : PLANS) {
      if (tooManyForCells && plan.machines() == MachinesSection.Detail.RACKS) {
        continue;
      }
      boolean isOpened = !keys.opened().isEmpty() && plan.pools() == PoolsSection.Detail.ALL;
      List<AttributedString> top =
          pools.lines(view.pools(), isOpened ? PoolsSection.Detail.CONDITIONS : plan.pools());
      List<AttributedString> middle = new ArrayList<>(machines.lines(plan.machines()));
      middle.addAll(disruptions.lines(plan.disruptions()));
      int left = height - top.size() - 1 - middle.size() - 1;
      List<AttributedString> bottom = events.within(view.events(), Math.max(0, left));
      if (left + 1 >= 0 && isEnough(events, bottom, view.events(), plan.events())) {
        return joined(top, middle, bottom);
      }
    }
    List<AttributedString> total = machines.lines(MachinesSection.Detail.TOTAL);
    int left = height - total.size() - 1;
    return left < 3
        ? pools.within(view.pools(), height)
        : joined(pools.within(view.pools(), left), total, List.of());
  }

  /** Whether at least this number of lines of Events is shown, or all of them. */
  private static boolean isEnough(
      EventsSection section, List<AttributedString> shown, List<EventView> events, int wanted) {
    return shown.size() >= Math.min(wanted, section.within(events, wanted).size());
  }

  private static List<AttributedString> joined(
      List<AttributedString> top, List<AttributedString> middle, List<AttributedString> bottom) {
    List<AttributedString> lines = new ArrayList<>(top);
    lines.add(AttributedString.EMPTY);
    lines.addAll(middle);
    if (!bottom.isEmpty()) {
      lines.add(AttributedString.EMPTY);
      lines.addAll(bottom);
    }
    return lines;
  }
}
