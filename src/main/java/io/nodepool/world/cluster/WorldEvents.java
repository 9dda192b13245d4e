package io.nodepool.world.cluster;

import io.nodepool.plan.EventDraft;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The Events of the virtual world. An Event's name derives from its content, so an attempt to write
 * an existing Event unchanged leaves no trace in the cluster; such attempts are counted here.
 */
public final class WorldEvents {
  private final WorldStore store;
  private final SortedMap<String, WorldCluster.EventRecord> standing = new TreeMap<>();

  /** Events that expired, as they were last written. */
  private final SortedMap<String, EventDraft> expired = new TreeMap<>();

  private final SortedSet<String> back = new TreeSet<>();
  private final List<String> repeated = new ArrayList<>();

  /** When each Event was last written. */
  private final Map<String, Instant> written = new HashMap<>();

  WorldEvents(WorldStore store) {
    this.store = store;
  }

  /**
   * Writes an Event, or updates the earlier Event. An Event that the API server refuses ends the
   * run: it is lost, and what it announces is done without it (decision D97).
   *
   * @param quiet how long its sender remembers an emitted Event (decision D98)
   */
  public void emit(EventDraft eventDraft, Instant now, Duration quiet) {
    store
        .validation
        .event(eventDraft)
        .ifPresent(why -> {
          throw new IllegalStateException("an Event is invalid: " + why + ": " + eventDraft);
        });
    String name = name(eventDraft);
    WorldCluster.EventRecord before = standing.get(name);
    Instant last = written.put(name, now);
    if (before != null
        && before.eventDraft().equals(eventDraft)
        && last != null
        && now.isBefore(last.plus(quiet))) {
      repeated.add(name);
    }
    if (before == null && eventDraft.equals(expired.get(name))) {
      back.add(name);
    }
    standing.put(
        name, new WorldCluster.EventRecord(eventDraft, before == null ? 1 : before.writes() + 1));
  }

  /** The identity of an Event: the object, the reason and the occasion. */
  private static String name(EventDraft eventDraft) {
    return eventDraft.regarding().uid()
        + "/"
        + eventDraft.reason().word()
        + "/"
        + eventDraft.occasion();
  }

  /** Lets all Events expire, as they do after an hour on a real API server. */
  public void expire() {
    standing.forEach((name, event) -> expired.put(name, event.eventDraft()));
    standing.clear();
  }

  SortedMap<String, WorldCluster.EventRecord> standing() {
    return Collections.unmodifiableSortedMap(standing);
  }

  /** The number of attempts to write an existing Event unchanged that its sender remembered. */
  public int repeats() {
    return repeated.size();
  }

  /** Names of Events that existed unchanged when they were written again, once for each attempt. */
  public List<String> repeated() {
    return List.copyOf(repeated);
  }

  /** Names of Events that were written again, unchanged, after they had expired. */
  public SortedSet<String> back() {
    return Collections.unmodifiableSortedSet(back);
  }

  /** All Events that were ever emitted, as last written, including expired ones. */
  public SortedMap<String, EventDraft> ever() {
    SortedMap<String, EventDraft> all = new TreeMap<>(expired);
    standing.forEach((name, event) -> all.put(name, event.eventDraft()));
    return all;
  }
}
