package io.nodepool.cli.view;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Times in words for people: the time since or until an instant. */
final class Ages {
  private static final Pattern INSTANT =
      Pattern.compile("(since |until )?(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z)");

  private Ages() {}

  /** A past time, such as {@code 20 s ago}; changes every 10 seconds at most. */
  static String ago(Duration time) {
    return time.toSeconds() < 10 ? "now" : span(time) + " ago";
  }

  private static String span(Duration time) {
    long seconds = time.toSeconds();
    if (seconds < 10) {
      return "a few s";
    }
    if (seconds < 60) {
      return seconds / 10 * 10 + " s";
    }
    if (seconds < 3600) {
      return seconds / 60 + " min";
    }
    return seconds < 48 * 3600 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
  }

  /** A text in which each instant is replaced by its distance from now. */
  static String in(String text, Instant now) {
    return INSTANT.matcher(text).replaceAll(found -> said(found, now));
  }

  private static String said(MatchResult found, Instant now) {
    Instant at;
    try {
      at = Instant.parse(found.group(2));
    } catch (DateTimeParseException e) {
      return found.group();
    }
    String word = found.group(1) == null ? "" : found.group(1);
    if (at.isAfter(now)) {
      String span = span(Duration.between(now, at));
      return word.equals("until ") ? "for " + span + " more" : word + "in " + span;
    }
    Duration past = Duration.between(at, now);
    return word.equals("since ") ? "for " + span(past) : word + ago(past);
  }
}
