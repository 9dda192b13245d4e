package io.nodepool.fleet;

import java.util.function.Consumer;

/**
 * The port for requests to Hosts: operations on them, and reads. Implementations answer each
 * request exactly once, later, and never on the caller's stack. A fleet does not implement this
 * port: any controller that reconciles Hosts is a fleet.
 */
public interface HostAccess {
  /** Performs an operation. Repeating one that already took effect changes nothing. */
  void perform(HostOperation operation, Consumer<Answer<Host>> answer);

  /** Reads a Host live, bypassing every cache. */
  void read(HostId host, Consumer<Answer<Host>> answer);
}
