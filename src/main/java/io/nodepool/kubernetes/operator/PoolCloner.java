package io.nodepool.kubernetes.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.config.Cloner;
import io.nodepool.kubernetes.api.NodePool;

/**
 * Copies a pool for each run of its loop. Spec and status are shared, since the runtime changes
 * only the metadata of the copy and the loop changes nothing. A copy by way of JSON, many times a
 * second, would cost more than all decisions about the pool.
 *
 * @param serialization copies objects other than pools
 */
record PoolCloner(KubernetesSerialization serialization) implements Cloner {
  @Override
  @SuppressWarnings("unchecked")
  public <R extends HasMetadata> R clone(R object) {
    return object instanceof NodePool pool ? (R) copy(pool) : serialization.clone(object);
  }

  private static NodePool copy(NodePool pool) {
    NodePool copy = new NodePool();
    copy.setMetadata(new ObjectMetaBuilder(pool.getMetadata()).build());
    copy.setSpec(pool.getSpec());
    copy.setStatus(pool.getStatus());
    return copy;
  }
}
