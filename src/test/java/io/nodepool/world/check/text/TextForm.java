package io.nodepool.world.check.text;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The form of a text, with places for what differs from one text to the next. Written as the text,
 * with
 *
 * <ul>
 *   <li>{@code {node}} for a word
 *   <li>{@code {why*}} for any text
 *   <li>{@code {left#}} for a number
 *   <li>{@code {nodes#Node}} for a number and its noun
 *   <li>{@code {names~}} for a list, and {@code {names~nodes}} for the list of the objects that the
 *       number {@code nodes} counts
 *   <li>{@code [ and so on]} for a part that may be left out
 * </ul>
 */
public final class TextForm {
  private static final Pattern PLACE = Pattern.compile("\\{(\\w+)([*#~]?)([\\w ]*)}|\\[|]");
  private static final Pattern MORE = Pattern.compile(" and (\\d+) more$");

  /** What separates the entries of a list; what is in brackets belongs to the entry before it. */
  private static final Pattern SEPARATOR = Pattern.compile(", (?![^()]*\\))");

  private final String form;
  private final Pattern pattern;

  /** The kind of each place: the sign after its name, and the noun or the number it belongs to. */
  private final Map<String, Place> places = new LinkedHashMap<>();

  private record Place(String sign, String of) {}

  private TextForm(String form) {
    this.form = form;
    this.pattern = Pattern.compile(regex(), Pattern.DOTALL);
  }

  /** The form that is written like this. */
  public static TextForm of(String form) {
    return new TextForm(form);
  }

  private String regex() {
    StringBuilder regex = new StringBuilder();
    Matcher place = PLACE.matcher(form);
    int end = 0;
    while (place.find()) {
      regex.append(Pattern.quote(form.substring(end, place.start())));
      regex.append(
          switch (place.group()) {
            case "[" -> "(?:";
            case "]" -> ")?";
            default -> regex(place.group(1), new Place(place.group(2), place.group(3)));
          });
      end = place.end();
    }
    return regex.append(Pattern.quote(form.substring(end))).toString();
  }

  private String regex(String name, Place place) {
    if (places.put(name, place) != null) {
      return "\\k<%s>".formatted(name);
    }
    return switch (place.sign()) {
      case "*" -> "(?<%s>.*?)".formatted(name);
      case "~" -> "(?<%s>.+?)".formatted(name);
      case "#" ->
          place.of().isEmpty()
              ? "(?<%s>\\d+)".formatted(name)
              : "(?<%1$s>1(?= %2$s\\b)|(?!1 )\\d+(?= %2$ss\\b)) %2$ss?".formatted(name, place.of());
      default -> "(?<%s>\\S+?)".formatted(name);
    };
  }

  /** What a text of this form says; empty if the text has another form. */
  public Optional<Statement> read(String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Map<String, String> words = new LinkedHashMap<>();
    places
        .keySet()
        .forEach(
            name -> Optional.ofNullable(matcher.group(name)).ifPresent(t -> words.put(name, t)));
    return Optional.of(new Statement(this, words));
  }

  @Override
  public String toString() {
    return form;
  }

  /** The number that a list belongs to; empty if it belongs to none. */
  public Optional<String> numberOf(String list) {
    return Optional.ofNullable(places.get(list))
        .filter(place -> place.sign().equals("~") && !place.of().isEmpty())
        .map(Place::of);
  }

  /**
   * What a text of a form says.
   *
   * @param words the text at each place that the text has
   */
  public record Statement(TextForm form, Map<String, String> words) {
    /** Whether the text has this place. */
    public boolean has(String place) {
      return words.containsKey(place);
    }

    /** The text at this place. */
    public String word(String place) {
      return Optional.ofNullable(words.get(place))
          .orElseThrow(() -> new IllegalStateException(form + " has no " + place));
    }

    /** The number at this place. */
    public int number(String place) {
      return Integer.parseInt(word(place));
    }

    /** The names at this place; none if the text has no list there. */
    public List<String> names(String place) {
      String text = MORE.matcher(words.getOrDefault(place, "none")).replaceFirst("");
      return text.equals("none") ? List.of() : List.of(SEPARATOR.split(text));
    }

    /** How many objects the list at this place stands for: those named, and the others. */
    private int listed(String place) {
      Matcher more = MORE.matcher(word(place));
      return names(place).size() + (more.find() ? Integer.parseInt(more.group(1)) : 0);
    }

    /** The lists that do not have as many objects as the text says, with the rule they break. */
    public SortedMap<String, String> miscounted() {
      SortedMap<String, String> wrong = new TreeMap<>();
      for (String list : words.keySet()) {
        Optional<String> number = form.numberOf(list);
        number
            .filter(of -> number(of) != listed(list))
            .ifPresent(of ->
                wrong.put(
                    "%s for %s".formatted(word(of), word(list)),
                    number(of) < listed(list)
                        ? "no more names than the number"
                        : "the number is that of the names"));
        if (number.isPresent() && names(list).stream().distinct().count() < names(list).size()) {
          wrong.put("twice in " + word(list), "the number is that of the names");
        }
      }
      return wrong;
    }
  }
}
