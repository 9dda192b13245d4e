package io.nodepool.fleet;

/**
 * A NodePool's identity. The UID identifies; the name is for people and for API paths. A pool that
 * is deleted and created again under its name is another pool (contract §8).
 */
public record PoolId(String name, String uid) implements Comparable<PoolId> {
  @Override
  public int compareTo(PoolId other) {
    return uid.compareTo(other.uid);
  }
}
