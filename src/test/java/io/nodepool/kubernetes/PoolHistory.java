package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every observed condition of pools, and every message of Events about them: a test may come late
 * to one that lasts only a moment.
 */
final class PoolHistory implements AutoCloseable {
  private final Map<String, Set<PastCondition>> conditions = new ConcurrentHashMap<>();
  private final Map<Emitted, Set<String>> messages = new ConcurrentHashMap<>();
  private final Map<String, NodePool> standings = new ConcurrentSkipListMap<>();
  private final SharedIndexInformer<NodePool> pools;
  private final SharedIndexInformer<Event> events;

  private static final Set<String> OF_STANDING =
      Stream.of(
              PoolCondition.VALIDATED,
              PoolCondition.QUOTA,
              PoolCondition.CAPACITY,
              PoolCondition.AT_TARGET)
          .map(PoolCondition::type)
          .collect(Collectors.toSet());

  /** A past condition of a pool. */
  record PastCondition(String type, String status, String reason, String message) {}

  /** What the Events of one reason about one object have in common. */
  private record Emitted(String uid, String reason) {}

  /** Hands each version of an object on. */
  private record Recorder<T>(Consumer<T> to) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      to.accept(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      to.accept(object);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
      to.accept(object);
    }
  }

  PoolHistory(KubernetesClient client) {
    this.pools = client.resources(NodePool.class).inform(new Recorder<>(this::record));
    this.events = client.v1().events().inNamespace("default").inform(new Recorder<>(this::record));
  }

  private void record(NodePool pool) {
    if (pool.getStatus() == null) {
      return;
    }
    Set<PastCondition> ofPool =
        conditions.computeIfAbsent(ObjectFacts.uid(pool), _ -> ConcurrentHashMap.newKeySet());
    pool.getStatus()
        .conditions
        .forEach(condition ->
            ofPool.add(
                new PastCondition(
                    condition.type,
                    condition.status,
                    String.valueOf(condition.reason),
                    String.valueOf(condition.message))));
    if (pool.getMetadata().getGeneration().equals(pool.getStatus().observedGeneration)) {
      standings.putIfAbsent(
          pool.getStatus().conditions.stream()
              .filter(condition -> OF_STANDING.contains(condition.type))
              .map(condition -> condition.type + "-" + condition.reason)
              .sorted()
              .collect(Collectors.joining(".")),
          pool);
    }
  }

  /** One observed pool for each combination of the reasons of its four main conditions. */
  Map<String, NodePool> standings() {
    return standings;
  }

  private void record(Event event) {
    messages
        .computeIfAbsent(
            new Emitted(event.getInvolvedObject().getUid(), event.getReason()),
            _ -> ConcurrentHashMap.newKeySet())
        .add(event.getMessage());
  }

  /** Every condition that was observed on the pool of this UID. */
  Set<PastCondition> conditionsOf(String poolUid) {
    return conditions.getOrDefault(poolUid, Set.of());
  }

  /** Every message of the Events of this reason that were observed about the pool of this UID. */
  Set<String> messagesOf(String poolUid, EventReason reason) {
    return messages.getOrDefault(new Emitted(poolUid, reason.word()), Set.of());
  }

  @Override
  public void close() {
    pools.close();
    events.close();
  }
}
