package io.nodepool.kubernetes.convert;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.kubernetes.api.UnknownWords;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The metadata that all API objects have, and times in the API's formats. */
public final class ObjectFacts {
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private ObjectFacts() {}

  /**
   * The resource version as a number: it orders the states of one object.
   *
   * @throws UnreadableObjectException if it is not a number
   */
  public static long version(HasMetadata object) {
    String version = object.getMetadata().getResourceVersion();
    try {
      return Long.parseLong(version);
    } catch (NumberFormatException e) {
      throw new UnreadableObjectException("metadata.resourceVersion is no number: " + version);
    }
  }

  /**
   * Refuses a part of an object in which an enum has a value that a later version wrote.
   *
   * @param part absent if it is null
   * @throws UnreadableObjectException if there is such a value; the message names its field
   */
  static void requireKnownWords(String name, @Nullable UnknownWords part) {
    if (part != null && !part.unknownWords().isEmpty()) {
      throw new UnreadableObjectException(name + "." + part.unknownWords().getFirst());
    }
  }

  /** The object's name. */
  public static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  /** The object's UID. */
  public static String uid(HasMetadata object) {
    return object.getMetadata().getUid();
  }

  /** When the object was created, to the second. */
  public static Instant createdAt(HasMetadata object) {
    return time("metadata.creationTimestamp", object.getMetadata().getCreationTimestamp());
  }

  /** The object's deletion timestamp; empty if it is not being deleted. */
  public static Optional<Instant> deletedAt(HasMetadata object) {
    return Optional.ofNullable(object.getMetadata().getDeletionTimestamp())
        .map(text -> time("metadata.deletionTimestamp", text));
  }

  /**
   * An RFC 3339 time.
   *
   * @param field the field that the error names
   * @throws UnreadableObjectException if it is missing or not a time
   */
  public static Instant time(String field, @Nullable String text) {
    if (text == null) {
      throw new UnreadableObjectException(field + " is missing");
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new UnreadableObjectException(field + " is no time: " + text);
    }
  }

  /** An RFC 3339 time; a missing time counts as long ago. */
  public static Instant timeOrLongAgo(String field, @Nullable String text) {
    return text == null ? Instant.EPOCH : time(field, text);
  }

  /** A time to the second, as Kubernetes writes its own. */
  public static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** A MicroTime of the API: always with six fractional digits. */
  public static String microseconds(Instant instant) {
    return MICRO_TIME.format(instant);
  }

  public static Map<String, String> orNone(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }

  /** This text, or an empty one if it is null. */
  public static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** This text, or null if it is empty. */
  public static @Nullable String orAbsent(String text) {
    return text.isEmpty() ? null : text;
  }

  /** The number, 0 if it is absent. */
  public static int orZero(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  /** The time; empty if the text is absent or not a time. */
  public static Optional<Instant> readableTime(@Nullable String text) {
    // Most of these times are absent in most objects, so no exception is thrown for that.
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(time("", text));
    } catch (UnreadableObjectException _) {
      return Optional.empty();
    }
  }
}
