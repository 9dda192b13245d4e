package io.nodepool.fleet.affinity;

import io.nodepool.vocabulary.UserText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses affinities in the notation of {@code kubectl -l}. */
public final class AffinityText {
  /** The greatest length of a valid text, in characters. */
  public static final int LONGEST = 4096;

  private static final String KEY = "[A-Za-z0-9][A-Za-z0-9./_-]*";
  private static final String VALUE = "[A-Za-z0-9]?[A-Za-z0-9._-]*";
  private static final Pattern PRESENCE = Pattern.compile("(!?)\\s*(" + KEY + ")");
  private static final Pattern EQUALITY =
      Pattern.compile("(" + KEY + ")\\s*(=|==|!=)\\s*(" + VALUE + ")");
  private static final Pattern MEMBERSHIP =
      Pattern.compile("(" + KEY + ")\\s+(in|notin)\\s*\\(([^()]*)\\)");

  private AffinityText() {}

  /** The affinity that a text describes; blank text has no requirements. */
  public static Affinity read(String text) {
    if (text.isBlank()) {
      return Affinity.any();
    }
    if (text.length() > LONGEST) {
      return new Affinity.Unreadable("it has more than %d characters".formatted(LONGEST));
    }
    List<AffinityRequirement> requirements = new ArrayList<>();
    for (String part : parts(text)) {
      Optional<AffinityRequirement> requirement = requirement(part.strip());
      if (requirement.isEmpty()) {
        return new Affinity.Unreadable(
            "%s is no requirement; write key=value, key!=value, key in (a,b), key notin (a,b), key or !key"
                .formatted(UserText.quoted(part.strip())));
      }
      requirements.add(requirement.get());
    }
    return new Affinity.Selector(requirements);
  }

  /** The parts of the text between commas outside parentheses. */
  private static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  private static Optional<AffinityRequirement> requirement(String part) {
    Matcher presence = PRESENCE.matcher(part);
    if (presence.matches()) {
      return Optional.of(
          new AffinityRequirement(
              presence.group(2),
              presence.group(1).isEmpty()
                  ? AffinityRequirement.Operator.EXISTS
                  : AffinityRequirement.Operator.ABSENT,
              new TreeSet<>()));
    }
    Matcher equality = EQUALITY.matcher(part);
    if (equality.matches()) {
      return Optional.of(
          new AffinityRequirement(
              equality.group(1),
              equality.group(2).equals("!=")
                  ? AffinityRequirement.Operator.NOT_IN
                  : AffinityRequirement.Operator.IN,
              new TreeSet<>(Set.of(equality.group(3)))));
    }
    Matcher membership = MEMBERSHIP.matcher(part);
    return membership.matches()
        ? values(membership.group(3))
            .map(values ->
                new AffinityRequirement(
                    membership.group(1),
                    membership.group(2).equals("in")
                        ? AffinityRequirement.Operator.IN
                        : AffinityRequirement.Operator.NOT_IN,
                    values))
        : Optional.empty();
  }

  private static Optional<SortedSet<String>> values(String list) {
    SortedSet<String> values = new TreeSet<>();
    for (String value : list.split(",", -1)) {
      if (!value.strip().matches(VALUE)) {
        return Optional.empty();
      }
      values.add(value.strip());
    }
    return Optional.of(values);
  }
}
