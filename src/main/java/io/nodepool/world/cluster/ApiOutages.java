package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
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

/** Temporary failures of the API server: refused kinds of writes, outages and stalled watches. */
public final class ApiOutages {
  /** The server's answer to a write that it does not carry out. */
  public enum Refusal {
    /** 403: permission is missing. */
    FORBIDDEN,
    /** 422: an admission rule rejects the write. */
    INVALID,
    /** 500: the server reports an internal error. */
    ERROR,
    /** The request times out. */
    TIME_OUT,
    /** 429: the server is overloaded. */
    BUSY
  }

  private record RefusalPeriod(Predicate<Action> writes, Refusal refusal, Instant until) {}

  private final InstantSource clock;
  private final List<RefusalPeriod> refusals = new ArrayList<>();
  private Instant outUntil = Instant.MIN;
  private final Map<WorldCluster.Kind, Instant> stalledUntil =
      new EnumMap<>(WorldCluster.Kind.class);

  /** An API server without failures. */
  public ApiOutages(InstantSource clock) {
    this.clock = clock;
  }

  /** Refuses these writes for a while. */
  public void refuse(Predicate<Action> writes, Refusal refusal, Duration lasts) {
    refusals.add(new RefusalPeriod(writes, refusal, clock.instant().plus(lasts)));
  }

  /** For a while, no request reaches the server and no watch delivers anything. */
  public void outage(Duration lasts) {
    Instant until = clock.instant().plus(lasts);
    outUntil = until.isAfter(outUntil) ? until : outUntil;
  }

  /** For a while, the watches of a kind deliver nothing; requests reach the server. */
  public void stall(WorldCluster.Kind kind, Duration lasts) {
    stalledUntil.merge(kind, clock.instant().plus(lasts), (a, b) -> a.isAfter(b) ? a : b);
  }

  /** Whether the watches of this kind deliver nothing. */
  public boolean isStalled(WorldCluster.Kind kind) {
    return clock.instant().isBefore(stalledUntil.getOrDefault(kind, Instant.MIN));
  }

  /** When each of the failures ends. */
  public Stream<Instant> ends() {
    return Stream.concat(Stream.of(outUntil), stalledUntil.values().stream())
        .filter(end -> end.isAfter(clock.instant()));
  }

  /** Whether there is an outage, or watches deliver nothing. */
  public boolean isDisturbing() {
    return ends().findAny().isPresent();
  }

  /** Whether there is an outage. */
  public boolean isOut() {
    return clock.instant().isBefore(outUntil);
  }

  /** The server's answer to an intent that it does not carry out; empty if it carries it out. */
  public Optional<Answer<Observation>> against(Action action) {
    refusals.removeIf(refusal -> !clock.instant().isBefore(refusal.until()));
    return refusals.stream()
        .filter(refusal -> refusal.writes().test(action))
        .map(refusal -> answer(refusal.refusal()))
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
