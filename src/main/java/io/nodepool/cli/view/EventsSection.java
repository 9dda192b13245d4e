package io.nodepool.cli.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** The section of the last Events, the newest first, grouped by object. */
final class EventsSection {
  private static final int INDENT = 2;
  private static final int AGE = 11;

  private final Theme theme;
  private final int width;
  private final Instant now;

  EventsSection(Theme theme, int width, Instant now) {
    this.theme = theme;
    this.width = width;
    this.now = now;
  }

  /**
   * The section in at most this many lines; empty if not even the count fits.
   *
   * @param events oldest first
   */
  List<AttributedString> within(List<EventView> events, int height) {
    List<AttributedString> lines = new ArrayList<>();
    int left = height - Math.max(title(0, events.size()).size(), title(1, events.size()).size());
    String about = "";
    int shown = 0;
    for (EventView event : events.reversed()) {
      List<AttributedString> next = new ArrayList<>();
      if (!about.equals(about(event))) {
        next.addAll(heading(event));
      }
      next.addAll(event(event));
      if (lines.size() + next.size() > left) {
        break;
      }
      lines.addAll(next);
      about = about(event);
      shown++;
    }
    if (!events.isEmpty() && left >= 0) {
      lines.addAll(0, title(shown, events.size()));
    }
    return lines;
  }

  private List<AttributedString> title(int shown, int all) {
    Paragraph text = new Paragraph(theme).add("EVENTS", Tone.TITLE);
    if (shown < all) {
      text.add(
          shown == 0
              ? "%d, not shown for lack of space".formatted(all)
              : "the newest %d of %d".formatted(shown, all),
          Tone.FAINT);
    }
    return text.lines(width);
  }

  private static String about(EventView event) {
    return event.kind() + "/" + event.name();
  }

  private List<AttributedString> heading(EventView event) {
    return new Paragraph(theme)
        .add(event.kind() + " " + event.name(), Tone.FAINT)
        .lines(INDENT, INDENT, width);
  }

  private List<AttributedString> event(EventView event) {
    String age = Ages.ago(Duration.between(event.at(), now));
    AttributedStringBuilder start = new AttributedStringBuilder();
    start.append(event.warning() ? "! " : "  ", theme.style(Tone.BAD));
    start.append(" ".repeat(INDENT) + age, theme.style(Tone.FAINT));
    start.append(" ".repeat(Math.max(1, AGE - age.length())));
    Tone tone = event.warning() ? Tone.BAD : Tone.CALM;
    return new Paragraph(theme)
        .add(event.reason(), tone)
        .add(Ages.in(event.message(), now), Tone.PLAIN)
        .lines(start.toAttributedString(), 2 * INDENT + AGE, width);
  }
}
