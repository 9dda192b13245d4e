package io.nodepool.cli.dev;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.PoolView;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The state of a cluster that the live view shows, kept up to date by watches. It keeps only the
 * displayed facts of each object, and changes to other fields cause no update.
 */
public final class Board implements AutoCloseable {
  private static final int EVENTS = 100;
  private static final String OPERATOR = "nodepool-operator";

  /** By time in whole seconds, then by object, so that Events of one object stay together. */
  private static final Comparator<EventView> BY_TIME =
      Comparator.comparing(EventView::at)
          .thenComparing(EventView::kind)
          .thenComparing(EventView::name);

  private final List<KindWatch<?>> watches = new ArrayList<>();
  private final Semaphore changed = new Semaphore(0);

  /** This field and the next four are guarded by this. */
  private final Map<String, PoolView> pools = new TreeMap<>();

  private final Map<String, BoardFacts.HostEntry> hosts = new HashMap<>();
  private final Map<String, BoardFacts.NodeEntry> nodes = new HashMap<>();
  private final Map<String, EventView> events = new LinkedHashMap<>();

  /** The Hosts in display order; empty if it must be computed again. */
  private Optional<List<BoardFacts.HostEntry>> ordered = Optional.empty();

  /** Starts the watches. */
  static Board watch(KubernetesClient client) {
    Board board = new Board();
    board.watch(
        "NodePool",
        client.resources(NodePool.class),
        NodePool::new,
        pool -> put(board.pools, pool, PoolView.of(pool)),
        pool -> remove(board.pools, pool));
    board.watch(
        "Host", client.resources(HostResource.class), HostResource::new, board::seen, board::gone);
    board.watch(
        "Node",
        client.nodes().withLabel(NodeLabels.NODE_POOL.key()),
        Node::new,
        node -> put(board.nodes, node, BoardFacts.of(node)),
        (Node node) -> remove(board.nodes, node));
    board.watch(
        "Event",
        client.v1().events().inNamespace("default").withField("source", OPERATOR),
        Event::new,
        board::seen,
        // Events expire on the server and stay in the view.
        _ -> false);
    board.watches.forEach(KindWatch::start);
    return board;
  }

  /**
   * @param seen records a state of an object and returns whether the view changes
   */
  private <T extends HasMetadata> void watch(
      String kind, Informable<T> what, Supplier<T> empty, Predicate<T> seen, Predicate<T> gone) {
    watches.add(
        new KindWatch<>(
            kind,
            what,
            SlimStore.identityOnly(empty),
            object -> take(seen, object),
            object -> take(gone, object)));
  }

  private <T> void take(Predicate<T> change, T object) {
    boolean isChange;
    synchronized (this) {
      isChange = change.test(object);
    }
    if (isChange) {
      changed.release();
    }
  }

  private static <V> boolean put(Map<String, V> all, HasMetadata object, V value) {
    return !value.equals(all.put(ObjectFacts.name(object), value));
  }

  private static boolean remove(Map<String, ?> all, HasMetadata object) {
    return all.remove(ObjectFacts.name(object)) != null;
  }

  /** Records a Host; returns whether the view changes. */
  synchronized boolean seen(HostResource host) {
    BoardFacts.HostEntry entry = BoardFacts.of(host);
    boolean isChange = put(hosts, host, entry);
    if (isChange) {
      ordered = Optional.empty();
    }
    return isChange;
  }

  private boolean gone(HostResource host) {
    ordered = Optional.empty();
    return remove(hosts, host);
  }

  /** Records an Event; returns whether the view changes. */
  synchronized boolean seen(Event event) {
    // Normal Events of Nodes are also emitted on their pools, one Event for several Nodes.
    if (event.getInvolvedObject().getKind().equals("Node") && "Normal".equals(event.getType())) {
      return false;
    }
    EventView view = BoardFacts.of(event);
    boolean isChange = !view.equals(events.get(ObjectFacts.name(event)));
    if (isChange) {
      // Events that compare as equal stay in the order of arrival.
      events.remove(ObjectFacts.name(event));
      events.put(ObjectFacts.name(event), view);
    }
    if (events.size() > EVENTS) {
      events.entrySet().stream()
          .min(Map.Entry.comparingByValue(BY_TIME))
          .map(Map.Entry::getKey)
          .ifPresent(events::remove);
    }
    return isChange;
  }

  /** Waits for a change, at most this long, and consumes all pending changes. */
  public void awaitChange(long milliseconds) throws InterruptedException {
    if (changed.tryAcquire(milliseconds, TimeUnit.MILLISECONDS)) {
      changed.drainPermits();
    }
  }

  /** Ends a wait for a change. */
  public void wake() {
    changed.release();
  }

  /** The current view. */
  public synchronized ClusterView picture() {
    List<BoardFacts.HostEntry> inOrder =
        ordered.orElseGet(
            () -> hosts.values().stream().sorted(BoardFacts.HostEntry.ORDER).toList());
    ordered = Optional.of(inOrder);
    return new ClusterView(
        List.copyOf(pools.values()),
        inOrder.stream().map(this::machine).toList(),
        events.values().stream().sorted(BY_TIME).toList());
  }

  private MachineView machine(BoardFacts.HostEntry host) {
    return host.with(Optional.ofNullable(nodes.get(host.place().name())));
  }

  @Override
  public void close() {
    watches.forEach(KindWatch::close);
  }
}
