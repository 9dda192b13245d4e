package io.nodepool.plugin.node;

import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.StateRequest;
import io.nodepool.vocabulary.LifecycleState;
import picocli.CommandLine.Command;

/** Asks for verification tests. */
@Command(
    name = "verify",
    description = "Ask for verification tests of Nodes. They begin when the Node is idle.")
final class VerifyNodes extends NamedNodesCommand {
  @Override
  protected int run(ClusterClient client) {
    StateRequest request =
        new StateRequest(
            LifecycleState.VERIFICATION,
            false,
            "Requested with kubectl nodepool node verify.",
            false);
    var _ =
        each(name ->
            request.submit(client, client.node(name), now())
                ? "verification requested"
                : "has requested a verification already");
    return exitCode();
  }
}
