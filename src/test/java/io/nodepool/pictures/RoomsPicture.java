package io.nodepool.pictures;

import java.awt.Rectangle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The packages of the sources, and what they use of each other, as their imports say. */
final class RoomsPicture {
  private static final Path MAIN = Path.of("src", "main", "java", "io", "nodepool");
  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?io\\.nodepool\\.([a-z.]+)\\.[A-Z]", Pattern.MULTILINE);

  /** Whose packages are shown one by one, each in the style of its name. */
  private static final List<String> OPEN = List.of("kubernetes", "control", "plan");

  /** A program of its own, above packages that are above the rest of its own. */
  private static final String APART = "simulated.cluster";

  private static final int PITCH = 47;

  private final SortedMap<String, SortedSet<String>> packages = new TreeMap<>();
  private final Drawing drawing = new Drawing();

  RoomsPicture() throws IOException {
    try (Stream<Path> files = Files.walk(MAIN)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String name = MAIN.relativize(file.getParent()).toString().replace('/', '.');
        SortedSet<String> used = packages.computeIfAbsent(name, _ -> new TreeSet<>());
        IMPORT.matcher(Files.readString(file)).results().forEach(each -> used.add(each.group(1)));
      }
    }
  }

  /** The picture as SVG. */
  String drawn() throws IOException {
    drawing.words("title", "start", 20, 26, "The packages of " + MAIN);
    String legend =
        "An arrow: uses, by the imports. All go down; what follows from others is left out.";
    drawing.words("note", "start", 20, 44, legend);
    int y = 84;
    for (String open : OPEN) {
      PackageRows inside = rows(name -> roomOf(name).equals(open) ? name : "");
      int height = inside.count() * PITCH + 14;
      drawing.box("inner", new Rectangle(550, y - 24, 470, height + 4));
      drawing.words("note", "start", 558, y - 9, "in " + open);
      inside.draw(drawing, 785, y, PITCH);
      y += height + 16;
    }
    PackageRows all = rows(RoomsPicture::roomOf);
    all.draw(drawing, 270, 84, (y - 84 - 63) / (all.count() - 1));
    return drawing.svg(1040, y - 20, "The packages, each above what it uses");
  }

  private static String roomOf(String name) {
    return name.startsWith(APART) ? APART : name.replaceFirst("\\..*", "");
  }

  /** The packages under the names that this gives them; without those that get no name. */
  private PackageRows rows(UnaryOperator<String> naming) {
    SortedMap<String, SortedSet<String>> uses = new TreeMap<>();
    packages.forEach((user, used) -> {
      SortedSet<String> all = uses.computeIfAbsent(naming.apply(user), _ -> new TreeSet<>());
      used.forEach(each -> all.add(naming.apply(each)));
      all.removeAll(List.of("", naming.apply(user)));
    });
    uses.remove("");
    SortedMap<String, PackageRows.Box> boxes = new TreeMap<>();
    uses.keySet().forEach(room -> boxes.put(room, box(room, naming)));
    return new PackageRows(uses, boxes);
  }

  /** How a package looks; one that stands for others, which are not shown, has their names too. */
  private PackageRows.Box box(String room, UnaryOperator<String> naming) {
    String open = OPEN.contains(roomOf(room)) ? roomOf(room) : "";
    String inside =
        packages.keySet().stream()
            .filter(each -> open.isEmpty() && !each.equals(room))
            .filter(each -> naming.apply(each).equals(room))
            .map(each -> each.substring(room.length() + 1))
            .collect(Collectors.joining(" "));
    return new PackageRows.Box(open, room.replaceFirst("^" + open + "\\.", ""), inside);
  }
}
