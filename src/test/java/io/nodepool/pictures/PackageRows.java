package io.nodepool.pictures;

import java.awt.Rectangle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Packages in rows: each one is above all that it uses, as low as it can be; one that uses nothing
 * is just below its users. Fails for a cycle, which has no such order.
 */
final class PackageRows {
  private static final int GAP = 18;
  private static final int LOW = 24;

  private final SortedMap<String, SortedSet<String>> uses;
  private final SortedMap<String, Box> boxes;
  private final Map<String, Integer> heights = new TreeMap<>();

  /** What each package uses, without what follows from the rest of it. */
  private final Map<String, List<String>> arrows = new TreeMap<>();

  private final Map<Item, Integer> places = new HashMap<>();

  /** A package as it is drawn, with the names of those inside it. */
  record Box(String style, String name, String inside) {
    int width() {
      return Math.max(Drawing.width(name), Drawing.width(inside)) + 12;
    }

    int height() {
      return inside.isEmpty() ? LOW : LOW + 14;
    }
  }

  /** What is in a row: a package, or the place at which the arrows to a lower one pass. */
  private record Item(String room, int row) {}

  PackageRows(SortedMap<String, SortedSet<String>> uses, SortedMap<String, Box> boxes) {
    this.uses = uses;
    this.boxes = boxes;
    while (heights.size() < uses.size()) {
      int height = heights.isEmpty() ? 0 : Collections.max(heights.values()) + 1;
      List<String> open = new ArrayList<>(uses.keySet());
      open.removeAll(heights.keySet());
      List<String> next =
          open.stream().filter(room -> heights.keySet().containsAll(uses.get(room))).toList();
      if (next.isEmpty()) {
        throw new IllegalStateException("a cycle of packages among " + open);
      }
      next.forEach(room -> heights.put(room, height));
    }
    uses.forEach((room, all) ->
        arrows.put(
            room,
            all.stream().filter(used -> all.stream().noneMatch(by -> reaches(by, used))).toList()));
  }

  private boolean reaches(String room, String used) {
    return uses.get(room).contains(used)
        || uses.get(room).stream().anyMatch(each -> reaches(each, used));
  }

  /** How many rows there are. */
  int count() {
    return Collections.max(heights.values()) + 1;
  }

  private int row(String room) {
    return uses.get(room).isEmpty()
        ? users(room).mapToInt(user -> row(user) + 1).max().orElse(0)
        : count() - 1 - heights.get(room);
  }

  private Stream<String> users(String room) {
    return arrows.keySet().stream().filter(user -> arrows.get(user).contains(room));
  }

  /** Draws the rows around this middle from this height on. */
  void draw(Drawing drawing, int middle, int top, int pitch) {
    for (int row = 0; row < count(); row++) {
      place(row, middle);
    }
    boxes.forEach((room, box) -> {
      int x = places.get(new Item(room, row(room)));
      int y = top + row(room) * pitch;
      drawing.box(box.style, new Rectangle(x - box.width() / 2, y, box.width(), box.height()));
      drawing.words("title", "middle", x, y + 16, box.name);
      if (!box.inside.isEmpty()) {
        drawing.words("note", "middle", x, y + 30, box.inside);
      }
      arrows.get(room).forEach(used -> drawing.arrow("", path(room, used, top, pitch)));
    });
  }

  /** A path down to a package that is used, through the places of its rows between. */
  private String path(String room, String used, int top, int pitch) {
    int x = places.get(new Item(room, row(room)));
    int y = top + row(room) * pitch + boxes.get(room).height();
    StringBuilder path = new StringBuilder("M %d %d".formatted(x, y));
    for (int row = row(room) + 1; row <= row(used); row++) {
      int to = places.get(new Item(used, row));
      int end = top + row * pitch;
      int bend = (y + end) / 2;
      path.append(" C %d %d %d %d %d %d".formatted(x, bend, to, bend, to, end));
      path.append(row < row(used) ? " v " + LOW : "");
      x = to;
      y = end + LOW;
    }
    return path.toString();
  }

  /** Places the items of a row beside each other, in the order of what is above them. */
  private void place(int row, int middle) {
    Map<Item, Double> wanted = new LinkedHashMap<>();
    for (String room : uses.keySet()) {
      List<Integer> above =
          Stream.concat(Stream.of(room), users(room).filter(user -> row(user) == row - 1))
              .map(each -> new Item(each, row - 1))
              .filter(places::containsKey)
              .map(places::get)
              .toList();
      if (row(room) == row || (row(room) > row && !above.isEmpty())) {
        double mean = above.stream().mapToInt(each -> each).average().orElse(middle);
        wanted.put(new Item(room, row), mean);
      }
    }
    List<Item> order = wanted.keySet().stream().sorted(Comparator.comparing(wanted::get)).toList();
    int x = middle - order.stream().mapToInt(this::width).sum() / 2;
    for (Item item : order) {
      places.put(item, x + width(item) / 2);
      x += width(item);
    }
  }

  private int width(Item item) {
    return GAP + (row(item.room) == item.row ? boxes.get(item.room).width() : 0);
  }
}
