package io.nodepool.whatif;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Where two values differ, by the names of the fields on the way there. */
final class Differences {
  /**
   * Instants that the API has to the second: of objects, of conditions, of Pods and of what
   * monitors report. Those of Hosts and of the operator's own records it has as they are.
   */
  private static final Pattern TO_THE_SECOND =
      Pattern.compile(
          "PoolSeen .*\\.(createdAt|deletionRequestedAt)"
              + "|PoolSeen .*\\.status\\.(conditions|counts\\.states)\\[.*]\\.since"
              + "|NodeSeen .*\\.(createdAt|status\\.notReadySince)"
              + "|NodeSeen .*\\.status\\.(conditions|alerts\\.[a-z]+)\\[.*]\\.(since|heartbeat)"
              + "|PodSeen .*\\.execution\\.(boundAt|ending\\.at)"
              + "|SignalsSeen .*\\.signals\\[.*]\\.(since|ended|reported)"
              + "|SourceSeen .*\\.heartbeatAt");

  private Differences() {}

  /** Adds a line for each field that differs. */
  static void between(String path, Object expected, Object found, List<String> lines) {
    if (expected.equals(found)) {
      return;
    }
    Map<String, Object> parts = parts(expected);
    Map<String, Object> others = parts(found);
    boolean areOneKind = !(expected instanceof Record) || expected.getClass() == found.getClass();
    if (areOneKind && !parts.isEmpty() && !others.isEmpty()) {
      Set<String> names = new LinkedHashSet<>(parts.keySet());
      names.addAll(others.keySet());
      names.forEach(name ->
          between(
              path + name,
              parts.getOrDefault(name, "nothing"),
              others.getOrDefault(name, "nothing"),
              lines));
    } else if (!isSameSecond(path, expected, found)) {
      lines.add("%s: %s is read as %s".formatted(path, expected, found));
    }
  }

  private static boolean isSameSecond(String path, Object expected, Object found) {
    return expected instanceof Instant instant
        && instant.truncatedTo(ChronoUnit.SECONDS).equals(found)
        && TO_THE_SECOND.matcher(path).matches();
  }

  /** What a value consists of, by what is added to the path; empty if it is one thing. */
  private static Map<String, Object> parts(Object value) {
    Map<String, Object> parts = new LinkedHashMap<>();
    switch (value) {
      case Record record -> {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          parts.put("." + component.getName(), value(record, component));
        }
      }
      case Map<?, ?> map -> map.forEach((key, each) -> parts.put("[" + key + "]", each));
      case List<?> list -> {
        for (int i = 0; i < list.size(); i++) {
          parts.put("[" + i + "]", list.get(i));
        }
      }
      case Optional<?> optional -> optional.ifPresent(each -> parts.put("", each));
      default -> {
        // One thing.
      }
    }
    return parts;
  }

  private static Object value(Record record, RecordComponent component) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }
}
