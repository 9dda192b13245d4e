package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Troubles of the API server that last for a while: refused kinds of writes, and outages. */
public final class ApiOutages {
  /** How the server answers a write that it does not carry out. */
  public enum Refusal {
    /** 403: the right is missing. */
    FORBIDDEN,
    /** 422: an admission rule says no. */
    INVALID,
    /** 500: the server fails, and says so. */
    ERROR,
    /** No answer in time. */
    TIME_OUT,
    /** 429: the server has too much to do. */
    BUSY
  }

  private record Front(Predicate<Action> writes, Refusal refusal, Instant until) {}

  private final InstantSource clock;
  private final List<Front> fronts = new ArrayList<>();
  private Instant outUntil = Instant.MIN;
  private final Map<WorldCluster.Kind, Instant> stalledUntil =
      new EnumMap<>(WorldCluster.Kind.class);

  ApiOutages(InstantSource clock) {
    this.clock = clock;
  }

  /** For a while the server does not carry out these writes. */
  public void refuse(Predicate<Action> writes, Refusal refusal, Duration lasts) {
    fronts.add(new Front(writes, refusal, clock.instant().plus(lasts)));
  }

  /** For a while no request gets through, and no watch delivers anything. */
  public void outage(Duration lasts) {
    Instant until = clock.instant().plus(lasts);
    outUntil = until.isAfter(outUntil) ? until : outUntil;
  }

  /** For a while the watches of a kind deliver nothing; requests get through. */
  public void stall(WorldCluster.Kind kind, Duration lasts) {
    stalledUntil.merge(kind, clock.instant().plus(lasts), (a, b) -> a.isAfter(b) ? a : b);
  }

  /** Whether the watches of this kind deliver nothing. */
  boolean isStalled(WorldCluster.Kind kind) {
    return clock.instant().isBefore(stalledUntil.getOrDefault(kind, Instant.MIN));
  }

  /** When something of it ends. */
  Stream<Instant> ends() {
    return Stream.concat(Stream.of(outUntil), stalledUntil.values().stream())
        .filter(end -> end.isAfter(clock.instant()));
  }

  /** Whether there is an outage. */
  boolean isOut() {
    return clock.instant().isBefore(outUntil);
  }

  /** How the server answers instead of carrying out the intent; empty if it carries it out. */
  Optional<Answer<Observation>> against(Action action) {
    fronts.removeIf(front -> !clock.instant().isBefore(front.until()));
    return fronts.stream()
        .filter(front -> front.writes().test(action))
        .map(front -> answer(front.refusal()))
        .findFirst();
  }

  private static Answer<Observation> answer(Refusal refusal) {
    return switch (refusal) {
      case FORBIDDEN -> new Answer.Denied<>("HTTP 403: forbidden");
      case INVALID -> new Answer.Refused<>("HTTP 422: not admitted");
      case ERROR -> new Answer.Unknown<>("HTTP 500: internal error");
      case TIME_OUT -> new Answer.Unknown<>("no answer in time");
      case BUSY -> new Answer.Unavailable<>("HTTP 429: too many requests");
    };
  }
}
