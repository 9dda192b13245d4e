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

/** Since when canaries are complete, by what the leading operator has observed. */
final class CanarySoaks {
  /** A Node that is out of use for less than this may go unnoticed between two plans. */
  private static final Duration UNNOTICED = Duration.ofSeconds(2);

  /** The configurations whose canaries have soaked. */
  record Soaked(Set<String> configurations) {
    static final Soaked NONE = new Soaked(Set.of());

    Soaked {
      configurations = Set.copyOf(configurations);
    }

    boolean contains(String configuration) {
      return configurations.contains(configuration);
    }
  }

  private record Key(String poolUid, String configuration) {}

  /**
   * @param since since when the canary is complete
   * @param lostAt when it ceased to be; empty while it is complete
   */
  private record Stretch(Instant since, Optional<Instant> lostAt) {
    boolean lasted(Duration soak, Instant now) {
      return !lostAt.orElse(now).isBefore(since.plus(soak));
    }
  }

  private final Map<Key, Stretch> stretches = new HashMap<>();
  private final Set<Key> soaked = new HashSet<>();
  private @Nullable OperatorView last;
  private long changes;

  /** Follows what an operator has observed. */
  void follow(OperatorView view, Instant now) {
    if (view == last && view.changes() == changes) {
      return;
    }
    last = view;
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
      boolean complete = level.upToDate(key.configuration()) >= level.canary();
      Stretch before = stretches.get(key);
      if (before != null && before.lasted(level.settings().soak(), now)) {
        soaked.add(key);
      }
      if (complete) {
        Instant since =
            before != null
                    && before.lostAt().filter(at -> at.plus(UNNOTICED).isBefore(now)).isEmpty()
                ? before.since()
                : now;
        stretches.put(key, new Stretch(since, Optional.empty()));
      } else if (before != null && before.lostAt().isEmpty()) {
        stretches.put(key, new Stretch(before.since(), Optional.of(now)));
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

  /** Which canaries of a pool have soaked. */
  Soaked at(PoolLevel level, Instant now) {
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
    return new Soaked(configurations);
  }
}
