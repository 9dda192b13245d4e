package io.nodepool.bench.standing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.watch.KindWatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Observes when Nodes and NodePools reach the states that the operator must bring about. */
final class Reactions implements AutoCloseable {
  private static final long LONGEST_SECONDS = 60;

  /** A sequence of states that one object is expected to reach. */
  static final class Expected {
    private final String name;
    private final List<Predicate<HasMetadata>> states;
    private final CompletableFuture<Long> reached = new CompletableFuture<>();
    private int passed;

    private Expected(String name, List<Predicate<HasMetadata>> states) {
      this.name = name;
      this.states = states;
    }

    private void see(HasMetadata object) {
      if (!reached.isDone()
          && object.getMetadata().getName().equals(name)
          && states.get(passed).test(object)) {
        passed++;
        if (passed == states.size()) {
          reached.complete(System.nanoTime());
        }
      }
    }

    /** Waits for the last state and returns when a watch showed it, on the monotonic clock. */
    long at() {
      try {
        return reached.get(LONGEST_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException | ExecutionException e) {
        throw BenchFailure.timedOut(
            "The operator did not react to a change of %s within %d s."
                .formatted(name, LONGEST_SECONDS));
      } catch (InterruptedException e) {
        throw BenchFailure.interrupted();
      }
    }
  }

  private final KindWatch<Node> nodes;
  private final KindWatch<NodePool> pools;
  private volatile @Nullable Expected expected;
  private volatile long poolSeen = System.nanoTime();

  /** Starts the watches and waits until everything is listed. */
  Reactions(BenchCluster cluster) {
    this.nodes = cluster.watchNodes(this::see);
    this.pools = cluster.watchPools(this::seePool);
  }

  private void see(HasMetadata object) {
    Expected now = expected;
    if (now != null) {
      now.see(object);
    }
  }

  private void seePool(NodePool pool) {
    poolSeen = System.nanoTime();
    see(pool);
  }

  /** The time since a NodePool last changed. */
  Duration poolsQuietFor() {
    return Duration.ofNanos(System.nanoTime() - poolSeen);
  }

  /** Expects an object to reach these states; replaces the last expectation. */
  <T extends HasMetadata> Expected expect(Class<T> type, String name, List<Predicate<T>> states) {
    Expected next =
        new Expected(
            name,
            states.stream()
                .<Predicate<HasMetadata>>map(
                    state -> object -> type.isInstance(object) && state.test(type.cast(object)))
                .toList());
    expected = next;
    return next;
  }

  @Override
  public void close() {
    nodes.close();
    pools.close();
  }
}
