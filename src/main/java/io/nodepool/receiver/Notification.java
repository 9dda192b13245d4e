package io.nodepool.receiver;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.nodepool.vocabulary.UserText;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A notification that Alertmanager posts to a webhook, version 4 (its documentation,
 * webhook_config), or Grafana, version 1 (its documentation, webhook notifier).
 *
 * @param truncated the number of alerts that the sender left out ({@code max_alerts})
 */
record Notification(List<ReceivedAlert> alerts, long truncated) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Set<String> VERSIONS = Set.of("4", "1");
  private static final int LONGEST_VALUE = 1024;
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  Notification {
    alerts = List.copyOf(alerts);
  }

  /**
   * A body that is not a valid notification; the message states the error, its place and what is
   * required.
   */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  /** A body that exceeds a limit. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;

    TooLarge(String message) {
      super(message);
    }
  }

  /**
   * Reads a notification.
   *
   * @param mostAlerts the most alerts
   * @throws Malformed if it is not valid
   * @throws TooLarge if it exceeds a limit
   * @throws IOException if the body cannot be read
   */
  static Notification read(InputStream body, int mostAlerts) throws IOException, Malformed {
    try (JsonParser json = JSON.createParser(body)) {
      return new Reading(json, mostAlerts).notification();
    } catch (JsonProcessingException e) {
      throw new Malformed(
          "the body is not valid JSON: line %d, column %d: %s"
              .formatted(
                  e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                  e.getLocation() == null ? 0 : e.getLocation().getColumnNr(),
                  UserText.explanation(e.getOriginalMessage())));
    }
  }

  /** Reads one body from its beginning to its end, without holding it. */
  private static final class Reading {
    private final JsonParser json;
    private final int mostAlerts;
    private final List<ReceivedAlert> alerts = new ArrayList<>();
    private String version = "";
    private long truncated;

    Reading(JsonParser json, int mostAlerts) {
      this.json = json;
      this.mostAlerts = mostAlerts;
    }

    Notification notification() throws IOException, Malformed {
      require(json.nextToken() == JsonToken.START_OBJECT, "must be an object");
      while (nextField()) {
        switch (json.currentName()) {
          case "version" -> version = text();
          case "alerts" -> alerts();
          case "truncatedAlerts" -> {
            require(json.currentToken() == JsonToken.VALUE_NUMBER_INT, "must be a whole number");
            truncated = json.getLongValue();
          }
          default -> json.skipChildren();
        }
      }
      if (!VERSIONS.contains(version)) {
        throw new Malformed(
            "/version is %s; the webhook of Alertmanager sends \"4\", that of Grafana \"1\""
                .formatted(version.isEmpty() ? "missing" : UserText.quoted(version)));
      }
      return new Notification(alerts, truncated);
    }

    /**
     * Moves the parser to the value of the object's next field. Returns false if there is none.
     * Fields that are null are skipped, since programs in Go write absent lists and maps as null.
     */
    private boolean nextField() throws IOException {
      boolean found;
      do {
        found = json.nextToken() == JsonToken.FIELD_NAME;
      } while (found && json.nextToken() == JsonToken.VALUE_NULL);
      return found;
    }

    private void alerts() throws IOException, Malformed {
      require(json.currentToken() == JsonToken.START_ARRAY, "must be a list of alerts");
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (alerts.size() == mostAlerts) {
          throw new TooLarge(
              "the body has more than %d alerts; group them by further labels"
                  .formatted(mostAlerts));
        }
        if (json.currentToken() != JsonToken.VALUE_NULL) {
          alerts.add(alert());
        }
      }
    }

    private ReceivedAlert alert() throws IOException, Malformed {
      require(json.currentToken() == JsonToken.START_OBJECT, "must be an alert, as an object");
      String at = place();
      String status = "";
      Map<String, String> labels = Map.of();
      Map<String, String> annotations = Map.of();
      Optional<Instant> startsAt = Optional.empty();
      Optional<Instant> endsAt = Optional.empty();
      while (nextField()) {
        switch (json.currentName()) {
          case "status" -> {
            status = text();
            require(
                status.equals("firing") || status.equals("resolved"),
                "must be \"firing\" or \"resolved\"");
          }
          case "labels" -> labels = texts(ReceivedAlert.LABELS);
          case "annotations" -> annotations = texts(ReceivedAlert.ANNOTATIONS);
          case "startsAt" -> startsAt = Optional.of(time());
          case "endsAt" -> endsAt = Optional.of(time());
          default -> json.skipChildren();
        }
      }
      boolean firing = status.equals("firing");
      required(!status.isEmpty(), at, "status", "\"firing\" or \"resolved\"");
      required(startsAt.isPresent(), at, "startsAt", "an RFC 3339 time");
      required(firing || endsAt.isPresent(), at, "endsAt", "the time at which the alert ended");
      return new ReceivedAlert(
          firing, labels, annotations, startsAt.orElseThrow(), endsAt.orElse(Instant.MAX));
    }

    private Map<String, String> texts(Set<String> wanted) throws IOException, Malformed {
      require(json.currentToken() == JsonToken.START_OBJECT, "must be an object of texts");
      Map<String, String> texts = new HashMap<>();
      while (nextField()) {
        String name = json.currentName();
        String value = text();
        if (wanted.contains(name)) {
          texts.put(name, value.substring(0, Math.min(value.length(), LONGEST_VALUE)));
        }
      }
      return texts;
    }

    /** A time, limited to the years that an API object can contain. */
    private Instant time() throws IOException, Malformed {
      String text = text();
      try {
        Instant time = OffsetDateTime.parse(text).toInstant();
        return time.isBefore(FIRST) ? FIRST : time.isAfter(LAST) ? LAST : time;
      } catch (DateTimeException e) {
        throw wrong("must be an RFC 3339 time, such as 2026-11-26T18:03:15Z");
      }
    }

    private String text() throws IOException, Malformed {
      require(json.currentToken() == JsonToken.VALUE_STRING, "must be a text");
      return json.getText();
    }

    private void require(boolean right, String rule) throws IOException, Malformed {
      if (!right) {
        throw wrong(rule);
      }
    }

    private static void required(boolean there, String at, String field, String right)
        throws Malformed {
      if (!there) {
        throw new Malformed("%s/%s is missing; it must be %s".formatted(at, field, right));
      }
    }

    /** The error in the value at the present place. */
    private Malformed wrong(String rule) throws IOException {
      JsonToken token = json.currentToken();
      String found =
          token == null
              ? "nothing"
              : token.isScalarValue()
                  ? UserText.quoted(json.getText())
                  : token.isStructStart()
                      ? token == JsonToken.START_OBJECT ? "an object" : "a list"
                      : token.asString();
      return new Malformed("%s %s, and is %s".formatted(place(), rule, found));
    }

    private String place() {
      String pointer = String.valueOf(json.getParsingContext().pathAsPointer());
      return pointer.isEmpty() ? "the body" : pointer;
    }
  }
}
