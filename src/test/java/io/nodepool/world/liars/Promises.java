package io.nodepool.world.liars;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What Events of pools promise: that no machine is repaired for an alert. A promise ends with the
 * next Event about the alert that does not repeat it.
 */
final class Promises {
  private static final Set<EventReason> ABOUT_ALERTS =
      Set.of(EventReason.ALERT_SUSPECTED, EventReason.REPAIRS_HELD);

  /** What promises that a machine is repaired only if it did not pass a verification. */
  private static final List<String> PROMISED =
      List.of(
          "no machine is repaired for",
          "no other machine is repaired for",
          "nothing is done for",
          "is a false alarm");

  /** A promise, and when it was read. */
  record Promise(String message, Instant at) {
    /** Whether what had begun goes on. */
    boolean isOfOthers() {
      return message.contains("No other machine");
    }
  }

  private final WorldCluster cluster;
  private final InstantSource clock;
  private final Set<String> read = new HashSet<>();

  /** By the UID of the pool and the alert. */
  private final Map<String, Promise> standing = new HashMap<>();

  Promises(WorldCluster cluster, InstantSource clock) {
    this.cluster = cluster;
    this.clock = clock;
  }

  /** Reads the Events that are new. */
  void read(Set<String> alerts) {
    cluster
        .events()
        .forEach((name, event) -> {
          if (ABOUT_ALERTS.contains(event.eventDraft().reason())
              && read.add(name + event.writes() + event.eventDraft().message())) {
            String message = event.eventDraft().message();
            alerts.stream()
                .filter(alert -> names(message, alert))
                .forEach(
                    alert -> note(event.eventDraft().regarding().uid() + "/" + alert, message));
          }
        });
  }

  private static boolean names(String message, String alert) {
    return message.matches("(?s).*\\b" + alert + "\\b.*");
  }

  private void note(String key, String message) {
    String text = message.toLowerCase(Locale.ROOT);
    if (PROMISED.stream().anyMatch(text::contains)) {
      standing.put(key, new Promise(message, clock.instant()));
    } else {
      standing.remove(key);
    }
  }

  /** The promise about an alert of a pool that is in force. */
  Optional<Promise> of(String poolUid, String alert) {
    return Optional.ofNullable(standing.get(poolUid + "/" + alert))
        .filter(each -> each.at().plus(LiarBounds.PROMISED).isAfter(clock.instant()))
        .filter(each -> each.at().plus(LiarBounds.UNDER_WAY).isBefore(clock.instant()));
  }
}
