package io.nodepool.fleet;

/**
 * The identity of a NodePool: its UID. The name is for messages and API paths. A pool that is
 * deleted and created again with the same name is another pool (contract §8).
 */
public record PoolId(String name, String uid) implements Comparable<PoolId> {
  @Override
  public int compareTo(PoolId other) {
    return uid.compareTo(other.uid);
  }
}
