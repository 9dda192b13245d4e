package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An informer's store that keeps only what the informer itself needs of each object: identity and
 * version. The index holds what decisions need.
 */
public final class SlimStore<T extends HasMetadata> extends BasicItemStore<T> {
  private final UnaryOperator<T> slim;

  /**
   * @param slim makes a reduced copy of an object
   */
  public SlimStore(UnaryOperator<T> slim) {
    super(Cache::metaNamespaceKeyFunc);
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
  public @Nullable T put(String key, T object) {
    return super.put(key, slim.apply(object));
  }

  /** The stored objects are incomplete, so the informer must deliver each new object itself. */
  @Override
  public boolean isFullState() {
    return false;
  }
}
