package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.nodepool.fleet.PoolId;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.model.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The observations from the runtime's informer of NodePools. */
class PoolEventSourceTest {
  private static final PoolId A = new PoolId("a", "uid-1");

  private final List<Observation> seen = new ArrayList<>();
  private final PoolEventSource events = new PoolEventSource(seen::add);

  private static NodePool pool(PoolId id, int version) {
    NodePool pool = new NodePool();
    pool.setMetadata(
        new ObjectMetaBuilder()
            .withName(id.name())
            .withUid(id.uid())
            .withResourceVersion(Integer.toString(version))
            .withCreationTimestamp("2026-01-01T10:00:00Z")
            .build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = "gd-8xh100ib-i128";
    spec.targetNodes = 1;
    pool.setSpec(spec);
    return pool;
  }

  private static NodePool unreadable(PoolId id, int version) {
    NodePool pool = pool(id, version);
    pool.setSpec(null);
    return pool;
  }

  /** The runtime's cache, reduced to what the test reads. */
  private record Held(List<String> names) implements Cache<NodePool> {
    @Override
    public Optional<NodePool> get(ResourceID id) {
      return Optional.empty();
    }

    @Override
    public Stream<ResourceID> keys() {
      return names.stream().map(ResourceID::new);
    }

    @Override
    public Stream<NodePool> list(Predicate<NodePool> predicate) {
      return Stream.empty();
    }
  }

  @Test
  void anotherPoolOfTheSameNameReplacesTheFirst() {
    PoolId other = new PoolId("a", "uid-2");
    events.onResourceCreated(pool(A, 1));
    events.onResourceUpdated(pool(other, 5), pool(A, 1));
    events.onResourceDeleted(pool(other, 7));

    assertThat(seen).hasSize(4);
    assertThat(seen.get(1)).isEqualTo(new Observation.PoolGone(A, 1));
    assertThat(seen.get(3)).isEqualTo(new Observation.PoolGone(other, 7));
  }

  @Test
  void anUnreadablePoolExists() {
    events.onResourceCreated(unreadable(A, 3));

    assertThat(seen)
        .singleElement()
        .isInstanceOfSatisfying(
            Observation.PoolUnreadable.class,
            observed -> {
              assertThat(observed.pool()).isEqualTo(A);
              assertThat(observed.version()).isEqualTo(3);
            });
  }

  @Test
  void theListIsCompleteWhenEachPoolInTheRuntimesCacheWasPassedOn() {
    events.onResourceCreated(pool(A, 1));
    CompletableFuture<Void> listed = events.listed(new Held(List.of("a", "b", "c")));
    events.onResourceCreated(unreadable(new PoolId("b", "uid-2"), 1));
    assertThat(listed).isNotDone();

    events.onResourceDeleted(pool(new PoolId("c", "uid-3"), 4));

    assertThat(listed).isCompleted();
    assertThat(seen).hasSize(3);
  }

  @Test
  void aStartThatIsInterruptedIsNotAwaited() {
    CompletableFuture<Void> listed = events.listed(new Held(List.of("a")));
    events.stop();

    assertThat(listed).isCompletedExceptionally();
  }
}
