package io.nodepool.plugin.node;

import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.StateRequest;
import io.nodepool.vocabulary.LifecycleState;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Asks for verification tests. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = "Ask for verification tests of Nodes. They begin when the Node is idle.")
final class VerifyNodes implements Callable<Integer> {
  @Mixin private final NodeArguments nodes = new NodeArguments();

  @Override
  public Integer call() {
    StateRequest request =
        new StateRequest(
            LifecycleState.VERIFICATION, false, "Requested with kubectl nodepool node verify.");
    return nodes.each((client, name) ->
        request.submit(
                client, client.node(name), PluginSurroundings.of(nodes.command()).clock().instant())
            ? "verification requested"
            : "has requested a verification already");
  }
}
