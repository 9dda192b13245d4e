package io.nodepool.plugin.node;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.input.IfPlan;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.StateRequest;
import io.nodepool.plugin.request.TimeLimit;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks for reboots. */
@Command(
    name = "reboot",
    description = {
      "Reboot Nodes at once; asks first if tenant work runs on a Node.",
      "Safe and reconfigure reboots wait until the Node is idle; uncordon cancels what is pending."
    })
final class RebootNodes extends NamedNodesCommand {
  @Option(names = "--force", description = "As --yes; with --reconfigure, at once.")
  private boolean force;

  @Option(names = "--wait", description = "Wait until the Nodes are back in production.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "With --wait: fail after this time, such as 30m. Default: no limit.")
  private Optional<Duration> timeout = Optional.empty();

  @Option(
      names = "--message",
      paramLabel = "TEXT",
      description =
          "Why, for those who look at the Node: it is shown in its condition PendingPhaseState.")
  private Optional<String> message = Optional.empty();

  @Mixin private final RebootOptions options = new RebootOptions();
  @Mixin private final IfPlan ifPlan = new IfPlan();
  @Mixin private final Consent consent = new Consent();

  private final Map<String, String> boots = new LinkedHashMap<>();

  @Override
  protected void check() {
    options.mistake(force).ifPresent(why -> require(false, why));
    require(wait || timeout.isEmpty(), "--timeout needs --wait");
    requireText("--message", message);
  }

  @Override
  protected int run(ClusterClient client) {
    ifPlan.require(client, options.question(names(), force));
    List<String> done = each(name -> request(client, name));
    if (wait && dryRun().writes()) {
      TimeLimit limit = surroundings().limit(timeout);
      var _ = each(done, name -> awaitBack(client, limit, name));
    }
    return exitCode();
  }

  private String request(ClusterClient client, String name) {
    NodeReading node = client.node(name);
    boolean immediate = options.isImmediate(force);
    if (immediate) {
      String what = "node/%s will be rebooted at once, without a drain".formatted(name);
      consent.confirm(client, () -> List.of(node), what, force);
    }
    boots.put(name, node.bootId());
    boolean written =
        new StateRequest(
                options.state(),
                immediate,
                // Never a text by which the operator recognises its own conditions.
                "Requested with kubectl nodepool node reboot"
                    + message.map(text -> ": " + TextTable.plain(text)).orElse("."),
                message.isPresent())
            .submit(client, node, now());
    String what = options.isPowerReset() ? "power reset" : "reboot";
    return written
        ? "%s requested (%s)".formatted(what, options.policy(immediate))
        : "has a pending %s already (%s); nothing was written"
            .formatted(what, options.policy(immediate));
  }

  /** Waits until a Node is on another boot and in production; returns a message. */
  private String awaitBack(ClusterClient client, TimeLimit limit, String name) {
    NodeReading node = client.node(name);
    while (node.bootId().equals(boots.get(name)) || !isInProduction(node)) {
      if (limit.isOver()) {
        throw new CommandFailure(
            ExitCodes.TIMED_OUT,
            "not back in production after %s: state %s, pending %s, Ready %s"
                .formatted(
                    limit.text(),
                    TextTable.orNone(node.label(NodeLabels.STATE)),
                    node.pendingState().orElse("<none>"),
                    TextTable.orNone(node.ready())));
      }
      client.awaitNode(node, limit.watch());
      node = client.node(name);
    }
    return "rebooted (boot id %s)".formatted(node.bootId());
  }

  private static boolean isInProduction(NodeReading node) {
    return node.isReady()
        && node.label(NodeLabels.STATE).equals(LifecycleState.PRODUCTION.word())
        && node.label(NodeLabels.PENDING_STATE).isEmpty()
        && node.pendingState().isEmpty()
        && !node.isReserved();
  }
}
