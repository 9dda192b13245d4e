package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An informer's store that keeps only what the informer itself needs of each object: identity and
 * version. The index holds what decisions need.
 */
public final class SlimStore<T extends HasMetadata> implements ItemStore<T> {
  private final ConcurrentHashMap<String, T> items = new ConcurrentHashMap<>();
  private final UnaryOperator<T> slim;

  /**
   * @param slim makes a reduced copy of an object
   */
  public SlimStore(UnaryOperator<T> slim) {
    this.slim = slim;
  }

  /**
   * A function that copies identity and version only.
   *
   * @param empty makes an empty object
   */
  public static <T extends HasMetadata> UnaryOperator<T> identityOnly(Supplier<T> empty) {
    return object -> {
      T slim = empty.get();
      slim.setMetadata(identity(object));
      return slim;
    };
  }

  /** Identity and version of an object. */
  public static ObjectMeta identity(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    return new ObjectMetaBuilder()
        .withNamespace(metadata.getNamespace())
        .withName(metadata.getName())
        .withUid(metadata.getUid())
        .withResourceVersion(metadata.getResourceVersion())
        .build();
  }

  @Override
  public String getKey(T object) {
    ObjectMeta metadata = object.getMetadata();
    return metadata.getNamespace() == null
        ? metadata.getName()
        : metadata.getNamespace() + "/" + metadata.getName();
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
  public @Nullable T get(String key) {
    return items.get(key);
  }

  @Override
  public int size() {
    return items.size();
  }

  /** The stored objects are incomplete, so the informer must deliver each new object itself. */
  @Override
  public boolean isFullState() {
    return false;
  }
}
