package io.nodepool.kubernetes.convert;

import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutSettings.Limit;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The settings of a rollout as annotations of a NodePool. */
public final class RolloutAnnotations {
  private static final String PREFIX = "nodepool.io/rollout-";
  private static final Pattern LIMIT = Pattern.compile("([1-9][0-9]{0,5})(%?)");
  private static final Pattern COUNT = Pattern.compile("0|[1-9][0-9]{0,5}");
  private static final int WHOLE = 100;

  private RolloutAnnotations() {}

  /** A setting, and its valid values. */
  public enum Setting {
    MAX_UNAVAILABLE(
        PoolAnnotations.ROLLOUT_MAX_UNAVAILABLE,
        "a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        text -> limit(text).isPresent()),
    CANARY(
        PoolAnnotations.ROLLOUT_CANARY,
        "a number of Nodes; examples: 2, or 0 for none",
        text -> COUNT.matcher(text).matches()),
    SOAK(
        PoolAnnotations.ROLLOUT_SOAK,
        "a duration; examples: 90s, 10m, 1h30m",
        text -> DurationText.parse(text).isPresent()),
    EVICT(
        PoolAnnotations.ROLLOUT_EVICT,
        "true or false",
        text -> text.equals("true") || text.equals("false"));

    private final PoolAnnotations annotation;
    private final String values;
    private final Predicate<String> isRight;

    Setting(PoolAnnotations annotation, String values, Predicate<String> isRight) {
      this.annotation = annotation;
      this.values = values;
      this.isRight = isRight;
    }

    /** Its annotation. */
    public PoolAnnotations annotation() {
      return annotation;
    }

    /** A clause about why a text is not a valid value; empty if it is valid. */
    public Optional<String> problem(String text) {
      return isRight.test(text)
          ? Optional.empty()
          : Optional.of("%s is not %s".formatted(UserText.quoted(text), values));
    }

    /** A sentence that names the annotation too; empty if there is no problem. */
    Optional<String> problem(PoolAnnotations of, Map<String, String> annotations) {
      return Optional.ofNullable(annotations.get(of.key()))
          .flatMap(this::problem)
          .map(why -> "Annotation %s: %s.".formatted(of.key(), why));
    }

    private Optional<String> value(Map<String, String> annotations) {
      return Optional.ofNullable(annotations.get(annotation.key()));
    }
  }

  /**
   * The settings in the annotations of a NodePool. If a setting is invalid, the defaults are
   * returned with a problem: a sentence that names the annotation, its value and the valid values.
   * The eviction is still read, so that it can be taken back despite other errors.
   */
  public static RolloutSettings read(Map<String, String> annotations) {
    Optional<String> problem = problem(annotations);
    if (problem.isPresent()) {
      return RolloutSettings.DEFAULTS.withEvict(evict(annotations)).withProblem(problem);
    }
    return new RolloutSettings(
        Setting.MAX_UNAVAILABLE
            .value(annotations)
            .flatMap(RolloutAnnotations::limit)
            .orElse(Limit.DEFAULT),
        canary(annotations),
        soak(annotations),
        evict(annotations),
        Optional.empty());
  }

  /** The limit in this text; empty if the text is no limit. */
  static Optional<Limit> limit(String text) {
    Matcher matcher = LIMIT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int number = Integer.parseInt(matcher.group(1));
    if (matcher.group(2).isEmpty()) {
      return Optional.of(new Limit(number, 0));
    }
    return number > WHOLE ? Optional.empty() : Optional.of(new Limit(0, number));
  }

  private static int canary(Map<String, String> annotations) {
    return Setting.CANARY.value(annotations).map(Integer::valueOf).orElse(0);
  }

  private static Duration soak(Map<String, String> annotations) {
    return Setting.SOAK.value(annotations).flatMap(DurationText::parse).orElse(Duration.ZERO);
  }

  /** An invalid text does not end eviction. */
  private static boolean evict(Map<String, String> annotations) {
    return Setting.EVICT.value(annotations).filter(text -> !text.equals("false")).isPresent();
  }

  private static Optional<String> problem(Map<String, String> annotations) {
    Optional<String> wrong =
        Stream.of(Setting.values())
            .flatMap(setting -> setting.problem(setting.annotation, annotations).stream())
            .findFirst();
    return wrong
        .or(() -> unknown(annotations))
        .or(() ->
            soak(annotations).isPositive() && canary(annotations) == 0
                ? Optional.of(
                    "Annotation %s is %s, and there is no canary that could soak; set %s to a number of Nodes too."
                        .formatted(
                            PoolAnnotations.ROLLOUT_SOAK.key(),
                            UserText.quoted(
                                annotations.getOrDefault(PoolAnnotations.ROLLOUT_SOAK.key(), "")),
                            PoolAnnotations.ROLLOUT_CANARY.key()))
                : Optional.empty());
  }

  /**
   * The problem of a misspelt setting: without this setting, a rollout may do more than its author
   * wants.
   */
  private static Optional<String> unknown(Map<String, String> annotations) {
    List<String> known =
        Stream.of(Setting.values()).map(setting -> setting.annotation.key()).toList();
    return new TreeMap<>(annotations)
        .keySet().stream()
            .filter(key -> key.startsWith(PREFIX) && !known.contains(key))
            .findFirst()
            .map(key ->
                "Annotation %s is unknown; the settings of a rollout are %s."
                    .formatted(
                        UserText.shortened(key, UserText.LONGEST_QUOTE),
                        known.stream().collect(Collectors.joining(", "))));
  }
}
