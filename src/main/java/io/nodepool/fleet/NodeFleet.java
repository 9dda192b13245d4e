package io.nodepool.fleet;

import java.util.function.Consumer;

/**
 * The port to a fleet of machines: operations on its Hosts, and reads of them. Implementations
 * answer every operation exactly once, later, and never on the caller's stack. The public interface
 * behind it is the Host resource; any controller that reconciles Hosts is a fleet.
 */
public interface NodeFleet {
  /** Performs an operation. Repeating one that already took effect changes nothing. */
  void perform(HostOperation operation, Consumer<Answer<Host>> answer);

  /** Reads a Host live, bypassing every cache. */
  void read(HostId host, Consumer<Answer<Host>> answer);
}
