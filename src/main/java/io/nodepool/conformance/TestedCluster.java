package io.nodepool.conformance;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedSet;
import java.util.function.BooleanSupplier;

/** The port to the cluster whose fleet is tested: a real one, or one in memory. */
public interface TestedCluster {
  /** What was observed so far. */
  Recorder recorder();

  /** The present time. */
  Instant now();

  /** Waits until a condition holds; returns whether it did before the time passed. */
  boolean await(BooleanSupplier condition, Duration atMost);

  /** Performs an operation on a Host, and waits for the answer. */
  Answer<Host> perform(HostOperation operation);

  /** Deletes a Node, as an operator does once its machine is off. */
  void delete(Node node);

  /** The Secrets and ConfigMaps in the namespace of the offer, and the Nodes. */
  SortedSet<String> belongings();

  /** Kills the fleet, and starts it again. */
  void restart();
}
