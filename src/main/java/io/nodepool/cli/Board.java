package io.nodepool.cli;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.nodepool.kubernetes.KindWatch;
import io.nodepool.kubernetes.SlimStore;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.vocabulary.NodeLabels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What a person who looks at a cluster wants to see, kept up to date by watches. */
final class Board implements AutoCloseable {
  private static final int EVENTS = 6;
  private static final String OPERATOR = "nodepool-operator";

  /** An Event. */
  record Told(String time, String type, String reason, String about, String message) {}

  /**
   * All of it at one moment.
   *
   * @param pools by name
   * @param nodes how many Nodes of pools are in each state
   * @param events the newest, oldest first
   */
  record Picture(List<PoolView> pools, Map<NodeState, Integer> nodes, List<Told> events) {}

  private final List<KindWatch<?>> watches = new ArrayList<>();
  private final Semaphore changed = new Semaphore(0);

  /** All three guarded by this. */
  private final Map<String, PoolView> pools = new TreeMap<>();

  private final Map<String, NodeState> nodes = new HashMap<>();
  private final SequencedMap<String, Told> events = new LinkedHashMap<>();

  /** Begins to watch. */
  static Board watch(KubernetesClient client) {
    Board board = new Board();
    board.watch(
        "NodePool",
        client.resources(NodePool.class),
        pool -> {
          NodePool slim = new NodePool();
          slim.setMetadata(SlimStore.identity(pool));
          return slim;
        },
        pool -> board.pools.put(name(pool), PoolView.of(pool)),
        pool -> board.pools.remove(name(pool)));
    board.watch(
        "Node",
        client.nodes().withLabel(NodeLabels.NODE_POOL.key()),
        node -> new NodeBuilder().withMetadata(SlimStore.identity(node)).build(),
        node -> board.nodes.put(name(node), NodeState.of(node)),
        (Node node) -> board.nodes.remove(name(node)));
    board.watch(
        "Event",
        client.v1().events().inNamespace("default").withField("source", OPERATOR),
        event -> new EventBuilder().withMetadata(SlimStore.identity(event)).build(),
        board::told,
        _ -> {});
    board.watches.forEach(KindWatch::start);
    return board;
  }

  private <T extends HasMetadata> void watch(
      String kind, Informable<T> what, UnaryOperator<T> slim, Consumer<T> seen, Consumer<T> gone) {
    watches.add(new KindWatch<>(kind, what, slim, noting(seen), noting(gone)));
  }

  private <T> Consumer<T> noting(Consumer<T> change) {
    return object -> {
      synchronized (this) {
        change.accept(object);
      }
      changed.release();
    };
  }

  private void told(Event event) {
    // What happens to Nodes one by one is told about their pools as well, in one event for all.
    if (event.getInvolvedObject().getKind().equals("Node") && "Normal".equals(event.getType())) {
      return;
    }
    String id = event.getMetadata().getName();
    events.remove(id);
    events.put(
        id,
        new Told(
            Objects.requireNonNullElse(event.getLastTimestamp(), ""),
            Objects.requireNonNullElse(event.getType(), ""),
            Objects.requireNonNullElse(event.getReason(), ""),
            event.getInvolvedObject().getKind() + "/" + event.getInvolvedObject().getName(),
            Objects.requireNonNullElse(event.getMessage(), "")));
    while (events.size() > EVENTS) {
      events.pollFirstEntry();
    }
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  /** Waits for a change, at most this long, and takes in all there were. */
  void awaitChange(long milliseconds) throws InterruptedException {
    if (changed.tryAcquire(milliseconds, TimeUnit.MILLISECONDS)) {
      changed.drainPermits();
    }
  }

  /** Ends the waiting for a change. */
  void wake() {
    changed.release();
  }

  /** What is to be seen now. */
  synchronized Picture picture() {
    Map<NodeState, Integer> counts = new EnumMap<>(NodeState.class);
    nodes.values().forEach(state -> counts.merge(state, 1, Integer::sum));
    return new Picture(
        List.copyOf(pools.values()),
        Collections.unmodifiableMap(counts),
        List.copyOf(events.values()));
  }

  @Override
  public void close() {
    watches.forEach(KindWatch::close);
  }
}
