package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an informer keeps of its objects: only as much as tells which object is gone when its end
 * was missed.
 */
final class SlimStore<T extends HasMetadata> implements ItemStore<T> {
  private final ConcurrentMap<String, T> items = new ConcurrentHashMap<>();
  private final UnaryOperator<T> slim;

  /**
   * @param slim a copy with name, namespace, UID and version, and what else tells where the object
   *     belonged
   */
  SlimStore(UnaryOperator<T> slim) {
    this.slim = slim;
  }

  @Override
  public String getKey(T object) {
    return Cache.metaNamespaceKeyFunc(object);
  }

  @Override
  public @Nullable T put(String key, T object) {
    return items.put(key, slim.apply(object));
  }

  @Override
  public @Nullable T remove(String key) {
    return items.remove(key);
  }

  @Override
  public Stream<String> keySet() {
    return items.keySet().stream();
  }

  @Override
  public Stream<T> values() {
    return items.values().stream();
  }

  @Override
  public int size() {
    return items.size();
  }

  @Override
  public @Nullable T get(String key) {
    return items.get(key);
  }

  @Override
  public boolean isFullState() {
    return false;
  }
}
