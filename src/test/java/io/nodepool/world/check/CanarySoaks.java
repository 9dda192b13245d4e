package io.nodepool.world.check;

import io.nodepool.model.pool.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How long canaries are complete, by what the leading operators have observed. */
final class CanarySoaks {
  /** A Node that is out of use for less than this may go unnoticed between two plans. */
  private static final Duration UNNOTICED = Duration.ofSeconds(2);

  private record Key(String poolUid, String configuration) {}

  /**
   * How long a canary is complete.
   *
   * @param watched how long it was complete under operators that do not lead any more
   * @param since since when it is under the one that leads; empty while none leads
   * @param lostAt when it ceased to be complete; empty while it is
   */
  private record Stretch(Duration watched, Optional<Instant> since, Optional<Instant> lostAt) {
    static Stretch begun(Instant now) {
      return new Stretch(Duration.ZERO, Optional.of(now), Optional.empty());
    }

    private Duration length(Instant now) {
      Instant end = lostAt.orElse(now);
      return watched.plus(
          since.filter(end::isAfter).map(at -> Duration.between(at, end)).orElse(Duration.ZERO));
    }

    Stretch unwatched(Instant at) {
      return new Stretch(length(at), Optional.empty(), lostAt);
    }

    Stretch watched(Instant from) {
      return new Stretch(watched, Optional.of(from), lostAt);
    }

    Stretch complete(Instant now) {
      return lostAt.filter(at -> at.plus(UNNOTICED).isBefore(now)).isPresent()
          ? begun(now)
          : new Stretch(watched, since, Optional.empty());
    }

    Stretch lost(Instant now) {
      return new Stretch(watched, since, lostAt.or(() -> Optional.of(now)));
    }

    /** Whether it was long enough for a clock that is at most 1 % fast (decision D85). */
    boolean lasted(Duration soak, Instant now) {
      return length(now).compareTo(soak.minus(soak.dividedBy(100))) >= 0;
    }
  }

  private final Map<Key, Stretch> stretches = new HashMap<>();
  private final Set<Key> soaked = new HashSet<>();
  private @Nullable OperatorView last;
  private long changes;

  /** When the operator that led last was seen to lead. */
  private Instant watchedAt = Instant.MIN;

  /**
   * Follows what the leading operator has observed. Only time counts in which one led that had
   * observed the cluster: nobody can know what happened in between.
   */
  void follow(Optional<OperatorView> leader, Instant now) {
    OperatorView view = leader.orElse(null);
    if (view != last) {
      stretches.replaceAll((_, stretch) -> stretch.unwatched(watchedAt));
    }
    if (view != null) {
      follow(view, now);
    }
    last = view;
    watchedAt = now;
  }

  private void follow(OperatorView view, Instant now) {
    if (view != last) {
      stretches.replaceAll((_, stretch) -> stretch.watched(now));
    } else if (view.changes() == changes) {
      return;
    }
    changes = view.changes();
    for (Pool pool : view.pools()) {
      if (pool.spec().configuration().rollout().canary() > 0) {
        follow(view.level(pool, Set.of()), now);
      }
    }
  }

  private void follow(PoolLevel level, Instant now) {
    String uid = level.pool().id().uid();
    Set<Key> keys = new HashSet<>();
    level.upToDate().keySet().forEach(each -> keys.add(new Key(uid, each)));
    stretches.keySet().stream().filter(key -> key.poolUid().equals(uid)).forEach(keys::add);
    for (Key key : keys) {
      Stretch before = stretches.get(key);
      if (before != null && before.lasted(level.settings().soak(), now)) {
        soaked.add(key);
      }
      if (level.upToDate(key.configuration()) >= level.canary()) {
        stretches.put(key, before == null ? Stretch.begun(now) : before.complete(now));
      } else if (before != null) {
        stretches.put(key, before.lost(now));
      }
    }
  }

  /**
   * A configuration needs no canary any more: most Nodes ran it, without a rollout under way, when
   * another one became active (decision D181).
   */
  void prove(String poolUid, String configuration) {
    soaked.add(new Key(poolUid, configuration));
  }

  /** The configurations whose canaries have soaked in a pool. */
  Set<String> at(PoolLevel level, Instant now) {
    String uid = level.pool().id().uid();
    Set<String> configurations = new HashSet<>();
    soaked.stream()
        .filter(key -> key.poolUid().equals(uid))
        .forEach(key -> configurations.add(key.configuration()));
    stretches.forEach((key, stretch) -> {
      if (key.poolUid().equals(uid) && stretch.lasted(level.settings().soak(), now)) {
        configurations.add(key.configuration());
      }
    });
    return configurations;
  }
}
