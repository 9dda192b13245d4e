package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One entry of a document: the fields that it gives for an alert, and their lines. */
final class AlertEntry {
  static final Set<String> FIELDS =
      Set.of(
          "meaning",
          "subject",
          "grade",
          "overridesEviction",
          "hold",
          "perBoot",
          "aliases",
          "nodeConditions",
          "symptomOf",
          "reason");

  /** The field for the origin of an entry; only shipped entries have it. */
  private static final String SOURCE = "source";

  /** A name is also the type of a condition, and a part of keys. */
  static final Pattern NAME = Pattern.compile("[A-Za-z]([-_A-Za-z0-9]{0,61}[A-Za-z0-9])?");

  /**
   * The form of Kubernetes' condition types, without a domain: under a domain, each client may
   * write its own conditions (decision D341).
   */
  static final Pattern CONDITION = Pattern.compile("[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?");

  static final int LONGEST_MEANING = 1000;
  static final int LONGEST_REASON = 500;
  static final int MOST_ALIASES = 8;
  static final int MOST_CONDITIONS = 16;
  static final int MOST_CAUSES = 16;
  static final Duration LONGEST_HOLD = Duration.ofDays(30);

  private final String name;
  private final YamlPart whole;
  private final Map<String, YamlPart> fields;

  private AlertEntry(String name, YamlPart whole) {
    this.name = name;
    this.whole = whole;
    this.fields = whole.fields();
  }

  /**
   * Reads the names of an entry's fields.
   *
   * @param shipped whether it ships with the operator
   * @throws IllegalArgumentException if the name is not valid, or a field is unknown
   */
  static AlertEntry of(String name, YamlPart part, boolean shipped) {
    YamlPart whole = part.named(name);
    if (!NAME.matcher(name).matches()) {
      throw whole.wrong(
          "%s cannot be the name of an alert; it has from 1 to 63 letters, digits, '-' and '_', and begins with a letter."
              .formatted(UserText.quoted(name)));
    }
    AlertEntry entry = new AlertEntry(name, whole);
    entry.fields.forEach((field, value) -> {
      if (!shipped && field.equals(SOURCE)) {
        throw value.wrong(
            "source of %s is for entries that ship with the operator; leave it out."
                .formatted(name));
      }
      if (!FIELDS.contains(field) && !field.equals(SOURCE)) {
        throw value.wrong(
            "%s has no field %s; its fields are %s."
                .formatted(
                    name,
                    UserText.quoted(field),
                    FIELDS.stream().sorted().collect(Collectors.joining(", "))));
      }
    });
    return entry;
  }

  String name() {
    return name;
  }

  /** A mistake at a field, or at the entry if the document does not have the field. */
  IllegalArgumentException wrong(String field, String message) {
    return fields.getOrDefault(field, whole).wrong(message);
  }

  /** Fails if there is this mistake at a field. */
  void refuse(String field, Optional<String> mistake) {
    mistake.ifPresent(message -> {
      throw wrong(field, message);
    });
  }

  /**
   * The alert that an entry describes.
   *
   * @param known the alert whose fields it changes; empty for a new one, which needs a meaning, a
   *     subject and a grade
   */
  Alert alert(Optional<Alert> known) {
    Grade grade =
        word(Grade.class, "grade")
            .or(() -> known.map(Alert::grade))
            .orElseThrow(() -> missing("grade"));
    return new Alert(
        name,
        field("meaning")
            .map(part -> part.text(LONGEST_MEANING))
            .or(() -> known.map(Alert::meaning))
            .orElseThrow(() -> missing("meaning")),
        word(AlertSubject.class, "subject")
            .or(() -> known.map(Alert::subject))
            .orElseThrow(() -> missing("subject")),
        grade,
        overridesEviction(grade, known),
        field("hold").map(this::hold).or(() -> known.map(Alert::hold)).orElse(Duration.ZERO),
        field("perBoot")
            .map(YamlPart::flag)
            .or(() -> known.map(Alert::perBoot))
            .orElse(grade.boots()),
        names("aliases", NAME, MOST_ALIASES, known.map(Alert::aliases)),
        names("nodeConditions", CONDITION, MOST_CONDITIONS, known.map(Alert::nodeConditions)),
        names("symptomOf", NAME, MOST_CAUSES, known.map(Alert::symptomOf)),
        word(Alert.Source.class, SOURCE).orElse(Alert.Source.USER),
        field("reason")
            .map(part -> part.text(LONGEST_REASON))
            .orElse("set by a user, without a reason"));
  }

  private IllegalArgumentException missing(String field) {
    return whole.wrong(
        "%s is not known, so it needs a meaning, a subject and a grade, and has no %s. Correct the name, or add the field."
            .formatted(name, field));
  }

  /**
   * The value in the entry; without one, a changed grade decides, else the alert keeps its value.
   */
  private boolean overridesEviction(Grade grade, Optional<Alert> known) {
    Optional<Boolean> given = field("overridesEviction").map(YamlPart::flag);
    if (given.orElse(false) && !grade.isNow()) {
      throw wrong(
          "overridesEviction",
          "overridesEviction of %s is true, but its grade is %s; only \"%s\" and \"%s\" can override eviction."
              .formatted(name, grade.word(), Grade.REBOOT_NOW.word(), Grade.OUT_NOW.word()));
    }
    return given
        .or(() -> known.filter(alert -> alert.grade() == grade).map(Alert::overridesEviction))
        .orElse(grade.isNow());
  }

  private Duration hold(YamlPart part) {
    String text = part.scalar();
    Duration hold =
        DurationText.parse(text)
            .orElseThrow(() ->
                part.wrong(
                    "hold of %s is %s; write a duration that is not negative, such as 90s, 15m or 1h30m."
                        .formatted(name, UserText.quoted(text))));
    if (hold.compareTo(LONGEST_HOLD) > 0) {
      throw part.wrong(
          "hold of %s is %s; at most %dh are allowed."
              .formatted(name, text, LONGEST_HOLD.toHours()));
    }
    return hold;
  }

  private <W extends Enum<W> & Word> Optional<W> word(Class<W> words, String field) {
    return field(field)
        .map(part -> {
          String text = part.scalar();
          return Word.of(words, text)
              .orElseThrow(() ->
                  part.wrong(
                      "%s of %s is %s; write one of: %s."
                          .formatted(
                              field,
                              name,
                              UserText.quoted(text),
                              Arrays.stream(words.getEnumConstants())
                                  .map(Word::word)
                                  .collect(Collectors.joining(", ")))));
        });
  }

  /** The names that a field gives; without the field, the names that the alert has. */
  private SortedSet<String> names(
      String field, Pattern form, int most, Optional<SortedSet<String>> known) {
    YamlPart list = fields.get(field);
    if (list == null) {
      return known.orElseGet(TreeSet::new);
    }
    SortedSet<String> names = new TreeSet<>();
    for (YamlPart part : list.elements()) {
      String text = part.scalar();
      if (!form.matcher(text).matches()) {
        throw part.wrong(
            "%s of %s has %s, which is not of the form %s."
                .formatted(field, name, UserText.quoted(text), form.pattern()));
      }
      if (!names.add(text)) {
        throw part.wrong("%s of %s has %s twice.".formatted(field, name, text));
      }
    }
    if (names.size() > most) {
      throw list.wrong(
          "%s of %s has %d elements; at most %d are allowed."
              .formatted(field, name, names.size(), most));
    }
    return names;
  }

  private Optional<YamlPart> field(String name) {
    return Optional.ofNullable(fields.get(name));
  }
}
