package io.nodepool.pictures;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DrainStage;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.DefinedWord;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.awt.Rectangle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The life of a machine and its Node. A file has the places of the boxes and arrows; the words in
 * them are the code's, and each of these has to have its place.
 */
final class NodeLifePicture {
  private static final Path LAYOUT = Path.of("src/test/resources/pictures/node-life.txt");
  private static final Pattern OF_THE_CODE = Pattern.compile("[A-Z]\\w+\\.\\w+");
  private static final int LINE = 15;

  /** The types of which each constant or kind is shown, and their styles. */
  private static final Map<Class<?>, String> TYPES =
      Map.of(
          HostPhase.class, "phase",
          RegistrationReason.class, "registered",
          LifecycleState.class, "state",
          Disruption.class, "record",
          DrainStage.class, "record",
          NodeRemovalReason.class, "removal",
          NodePurpose.class, "write",
          DisruptionEnding.class, "write",
          BootKind.class, "write",
          HostOperation.class, "write");

  private final Map<String, Word> words = new TreeMap<>();
  private final Set<String> shown = new TreeSet<>();
  private final Map<String, Rectangle> boxes = new HashMap<>();
  private final Drawing drawing = new Drawing();

  private record Word(String text, String style) {}

  NodeLifePicture() {
    TYPES.forEach((type, style) ->
        (type.isEnum() ? Stream.of(type.getEnumConstants()) : kinds(type))
            .filter(each -> !(each instanceof NodePurpose purpose) || purpose.isOfDisruption())
            .forEach(each -> {
              String name = each instanceof Class<?> kind ? kind.getSimpleName() : each.toString();
              words.put(type.getSimpleName() + "." + name, new Word(text(each), style));
            }));
  }

  private static Stream<Class<?>> kinds(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(NodeLifePicture::kinds)
        : Stream.of(type);
  }

  private static String text(Object each) {
    return switch (each) {
      case HostPhase phase -> phase.word();
      case DefinedWord word -> word.word();
      case Class<?> kind -> kind.getSimpleName();
      default -> each.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }

  /** The picture as SVG. */
  String drawn() throws IOException {
    for (String line : Files.readAllLines(LAYOUT)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        List<String> parts = List.of(line.split(" *\\| *"));
        draw(new Scanner(parts.getFirst()), parts.subList(1, parts.size()));
      }
    }
    Set<String> missing = new TreeSet<>(words.keySet());
    missing.removeAll(shown);
    if (!missing.isEmpty()) {
      throw new IllegalStateException("%s has no place for %s".formatted(LAYOUT, missing));
    }
    return drawing.svg(1036, 776, "The life of a machine and its Node");
  }

  private void draw(Scanner in, List<String> says) {
    switch (in.next()) {
      case "box" -> {
        String name = in.next();
        Rectangle box = new Rectangle(in.nextInt(), in.nextInt(), in.nextInt(), in.nextInt());
        boxes.put(name, box);
        drawing.box(in.hasNext() ? in.next() : "", box);
        drawing.words("title", "start", box.x + 8, box.y + 18, word(says.getFirst()).text);
        words(says.subList(1, says.size()), "start", box.x + 8, box.y + 18 + LINE);
      }
      case "arrow" ->
          arrow(in.next(), boxes.get(in.next()), boxes.get(in.next()), in.nextInt(), says);
      case "path" -> drawing.arrow(in.next(), says.getFirst());
      case "words" -> {
        String text = word(says.getFirst()).text;
        drawing.words(in.next(), in.next(), in.nextInt(), in.nextInt(), text);
      }
      default -> throw new IllegalStateException("not a line of a layout: " + says);
    }
  }

  /** A level arrow with its words above it, or a vertical one with its words on its right. */
  private void arrow(String who, Rectangle from, Rectangle to, int at, List<String> says) {
    int more = LINE * (says.size() - 1);
    if (from.x > to.x + to.width || to.x > from.x + from.width) {
      int start = from.x < to.x ? from.x + from.width : from.x;
      int end = from.x < to.x ? to.x : to.x + to.width;
      drawing.arrow(who, "M %d %d H %d".formatted(start, at, end));
      words(says, "middle", (start + end) / 2, at - 5 - more);
    } else {
      int start = from.y < to.y ? from.y + from.height : from.y;
      int end = from.y < to.y ? to.y : to.y + to.height;
      drawing.arrow(who, "M %d %d V %d".formatted(at, start, end));
      words(says, "start", at + 6, (start + end - more) / 2 + 4);
    }
  }

  private void words(List<String> says, String anchor, int x, int y) {
    for (int i = 0; i < says.size(); i++) {
      Word word = word(says.get(i));
      drawing.words(word.style, anchor, x, y + LINE * i, word.text);
    }
  }

  /** What the layout says here, with the words of the code in their place and style. */
  private Word word(String says) {
    Word all = new Word(says, "note");
    for (String each : List.of(says.split(", "))) {
      if (OF_THE_CODE.matcher(each).matches()) {
        Word word = words.get(each);
        if (word == null) {
          throw new IllegalStateException(
              "%s is not in the code, but in %s".formatted(each, LAYOUT));
        }
        shown.add(each);
        all = new Word(all.text.replace(each, word.text), word.style);
      }
    }
    return all;
  }
}
