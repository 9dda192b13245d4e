package io.nodepool.kubernetes.fleet;

import io.nodepool.fleet.HostOperation;

/** The patches as which operations on Hosts are sent, for the virtual world. */
public final class SentOperations {
  private SentOperations() {}

  /** The JSON patch of an operation. */
  public static String patch(HostOperation operation) {
    return HostRequests.patch(operation).json();
  }
}
