package io.nodepool.pictures;

import java.awt.Rectangle;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An SVG of boxes, words and arrows on a white ground, which can be read on every page. Words that
 * would cover each other, or the border of a box, are refused.
 */
final class Drawing {
  private static final Path FRAME = Path.of("src/test/resources/pictures/frame.svg");

  /** How wide a character is, by the size of the font; every font of the list has this width. */
  private static final double WIDTH = 0.62;

  private static final int SMALL = 11;
  private static final int TITLE = 12;

  private final StringBuilder elements = new StringBuilder();
  private final List<Rectangle2D> boxes = new ArrayList<>();
  private final List<Words> written = new ArrayList<>();

  private record Words(String text, Rectangle2D place) {
    boolean isClearOf(Rectangle2D box) {
      return box.contains(place) || !box.intersects(place);
    }
  }

  /** How wide a title is; other words are less wide. */
  static int width(String words) {
    return (int) Math.ceil(words.length() * WIDTH * TITLE);
  }

  void box(String style, Rectangle box) {
    boxes.add(box);
    add(
        "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>"
            .formatted(style, box.x, box.y, box.width, box.height));
  }

  /**
   * Words at this place.
   *
   * @param anchor where the place is in the words: "start", "middle" or "end"
   */
  void words(String style, String anchor, int x, int y, String words) {
    int size = style.equals("title") ? TITLE : SMALL;
    double width = words.length() * WIDTH * size;
    double left = x - width * List.of("start", "middle", "end").indexOf(anchor) / 2;
    written.add(new Words(words, new Rectangle2D.Double(left, y - size + 2, width, size)));
    add(
        "<text class=\"%s\" text-anchor=\"%s\" x=\"%d\" y=\"%d\">%s</text>"
            .formatted(style, anchor, x, y, words));
  }

  /** An arrow along this path. */
  void arrow(String style, String path) {
    add("<path class=\"arrow %s\" d=\"%s\"/>".formatted(style, path));
  }

  private void add(String element) {
    elements.append(element).append('\n');
  }

  /** The picture, with what it shows for those who cannot see it. */
  String svg(int width, int height, String label) throws IOException {
    boxes.add(new Rectangle(width, height));
    for (Words words : written) {
      long same = written.stream().filter(each -> each.place.intersects(words.place)).count();
      if (same > 1 || !boxes.stream().allMatch(words::isClearOf)) {
        throw new IllegalStateException("there is no room for \"%s\"".formatted(words.text));
      }
    }
    return Files.readString(FRAME).formatted(width, height, width - 1, height - 1, label, elements);
  }
}
