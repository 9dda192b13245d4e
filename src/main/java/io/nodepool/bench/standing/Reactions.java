package io.nodepool.bench.standing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
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
    private final List<? extends Predicate<? super HasMetadata>> states;
    private final CompletableFuture<Long> reached = new CompletableFuture<>();
    private int passed;

    private Expected(String name, List<? extends Predicate<? super HasMetadata>> states) {
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
        Thread.currentThread().interrupt();
        throw BenchFailure.because("The measurement was interrupted.");
      }
    }
  }

  private final KindWatch<Node> nodes;
  private final KindWatch<NodePool> pools;
  private volatile @Nullable Expected expected;
  private volatile long poolSeen = System.nanoTime();

  /** Starts the watches and waits until everything is listed. */
  Reactions(KubernetesClient watching) {
    this.nodes =
        new KindWatch<>(
            "Node", watching.nodes(), SlimStore.identityOnly(Node::new), this::see, _ -> {});
    this.pools =
        new KindWatch<>(
            "NodePool",
            watching.resources(NodePool.class),
            SlimStore.identityOnly(NodePool::new),
            this::seePool,
            _ -> {});
    nodes.start();
    pools.start();
    nodes.listed().join();
    pools.listed().join();
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

  /** Expects a Node to reach these states; replaces the expectation before. */
  Expected expectNode(String name, List<Predicate<Node>> states) {
    return expect(
        name,
        states.stream()
            .map(state ->
                (Predicate<HasMetadata>) object -> object instanceof Node node && state.test(node))
            .toList());
  }

  /** Expects a NodePool to reach a state; replaces the expectation before. */
  Expected expectPool(String name, Predicate<NodePool> state) {
    return expect(
        name,
        List.of(
            (Predicate<HasMetadata>)
                object -> object instanceof NodePool pool && state.test(pool)));
  }

  private Expected expect(String name, List<Predicate<HasMetadata>> states) {
    Expected next = new Expected(name, states);
    expected = next;
    return next;
  }

  @Override
  public void close() {
    nodes.close();
    pools.close();
  }
}
