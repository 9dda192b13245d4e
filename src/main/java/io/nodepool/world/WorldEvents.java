package io.nodepool.world;

import io.nodepool.plan.Notice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The Events of the virtual world. An Event's name follows from what it says, so an attempt to
 * write one that stands unchanged leaves no trace in the cluster; it is counted here.
 */
public final class WorldEvents {
  private final SortedMap<String, WorldCluster.EventRecord> standing = new TreeMap<>();

  /** Events that expired, as they were last written. */
  private final SortedMap<String, Notice> expired = new TreeMap<>();

  private final SortedSet<String> back = new TreeSet<>();
  private final List<String> repeated = new ArrayList<>();

  void tell(Notice notice) {
    String name = name(notice);
    WorldCluster.EventRecord before = standing.get(name);
    if (before != null && before.notice().equals(notice)) {
      repeated.add(name);
    }
    if (before == null && notice.equals(expired.get(name))) {
      back.add(name);
    }
    standing.put(
        name, new WorldCluster.EventRecord(notice, before == null ? 1 : before.told() + 1));
  }

  /** What makes an Event this one: the object, the reason and the occasion. */
  private static String name(Notice notice) {
    return notice.regarding().uid() + "/" + notice.reason().word() + "/" + notice.occasion();
  }

  /** All Events expire, as they do after an hour on a real API server. */
  public void expire() {
    standing.forEach((name, event) -> expired.put(name, event.notice()));
    standing.clear();
  }

  SortedMap<String, WorldCluster.EventRecord> standing() {
    return Collections.unmodifiableSortedMap(standing);
  }

  /** Attempts to write an Event that stood there unchanged. */
  public int repeats() {
    return repeated.size();
  }

  /** Names of Events that stood there when they were written again, once for each attempt. */
  public List<String> repeated() {
    return List.copyOf(repeated);
  }

  /** Names of Events that were written again, unchanged, after they had expired. */
  public SortedSet<String> back() {
    return Collections.unmodifiableSortedSet(back);
  }

  /** Everything that was ever emitted, as last written, whether it expired or not. */
  public SortedMap<String, Notice> ever() {
    SortedMap<String, Notice> all = new TreeMap<>(expired);
    standing.forEach((name, event) -> all.put(name, event.notice()));
    return all;
  }
}
