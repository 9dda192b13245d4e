package io.nodepool.ironic;

import io.nodepool.fleet.Host;

/** The next step of a machine: at most one request, to the API server or to Ironic. */
public sealed interface EngineStep {
  /** Nothing until something changes. */
  record Wait() implements EngineStep {}

  /** Writes the status of the Host, if the Host is as observed. */
  record Report(Host.Report report) implements EngineStep {}

  /** Sends a request to Ironic. */
  record Ask(EngineRequest request) implements EngineStep {}

  /** Creates the Node that the machine's kubelet takes over. The Node is not the pool's yet. */
  record Join() implements EngineStep {}

  /** Gives the pool a Node whose kubelet was observed on the machine of this tenancy. */
  record Identify(MachineKubelet kubelet) implements EngineStep {}

  /** Deletes a Host whose node is no longer in Ironic. */
  record DeleteHost() implements EngineStep {}
}
