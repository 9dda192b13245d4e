package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;

/** Reads a stored Event. */
public final class EventReading {
  private EventReading() {}

  /** When an Event was last seen; RFC 3339, so that the texts sort by time. */
  public static String lastSeen(JsonNode event) {
    return Stream.of("/lastTimestamp", "/series/lastObservedTime", "/eventTime", "/firstTimestamp")
        .map(field -> event.at(field).asText(""))
        .filter(time -> !time.isEmpty() && !time.equals("null"))
        .findFirst()
        .orElse(event.at("/metadata/creationTimestamp").asText(""));
  }
}
