package io.nodepool.plugin.pool;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.input.IfPlan;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.whatif.Question;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sets the size of a NodePool. */
@Command(
    name = "scale",
    description = {
      "Set the number of Nodes, or of racks, that a NodePool is to have.",
      "Which Nodes go when it falls is the pool's scaleDownStrategy's to say; kubectl nodepool describe shows them."
    })
public final class ScalePool extends ChangePoolCommand {
  @Option(names = "--nodes", paramLabel = "N", description = "Nodes: spec.targetNodes.")
  private Optional<Integer> nodes = Optional.empty();

  @Option(
      names = "--racks",
      paramLabel = "N",
      description = "Racks: spec.targetRacks, for types that come in racks.")
  private Optional<Integer> racks = Optional.empty();

  @Option(
      names = "--current",
      paramLabel = "N",
      description = "Only if that is the present number.")
  private Optional<Integer> current = Optional.empty();

  @Mixin private final IfPlan ifPlan = new IfPlan();
  @Mixin private final Consent consent = new Consent();

  @Override
  protected void check() {
    require(nodes.isPresent() != racks.isPresent(), "give either --nodes or --racks");
    require(
        nodes.or(() -> racks).orElseThrow() >= 0,
        "the number of Nodes or racks must not be negative");
  }

  @Override
  void run(ClusterClient client, PoolReading seen) {
    String unit = nodes.isPresent() ? "Node" : "rack";
    String field = nodes.isPresent() ? "targetNodes" : "targetRacks";
    String other = nodes.isPresent() ? "targetRacks" : "targetNodes";
    int wanted = nodes.or(() -> racks).orElseThrow();
    if (seen.json().path("spec").hasNonNull(other)) {
      throw new CommandFailure(
          "it is sized by spec.%s; use --%s"
              .formatted(other, nodes.isPresent() ? "racks" : "nodes"));
    }
    int present = seen.json().path("spec").path(field).asInt(0);
    if (current.filter(expected -> expected != present).isPresent()) {
      throw new CommandFailure(
          "it is to have %s, not %s".formatted(count(present, unit), count(current.get(), unit)));
    }
    if (present == wanted) {
      print("is to have %s already; nothing was written".formatted(count(wanted, unit)));
      return;
    }
    ifPlan.require(client, new Question.Scale(seen.name(), wanted));
    if (wanted < present && seen.endsWorkToShrink()) {
      consent.confirm(
          client,
          () -> ConcernedNodes.leaving(client, seen, wanted, now()),
          "nodepool/%s will be scaled from %d to %s"
              .formatted(seen.name(), present, count(wanted, unit)),
          false);
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("spec").put(field, wanted);
    Reply reply = client.patchPool(seen, patch);
    if (reply instanceof Reply.Rejected(int code, String _) && code == Reply.CONFLICT) {
      throw new CommandFailure("it was changed meanwhile; look again, and repeat the command");
    }
    client.succeeded(reply);
    print("scaled from %d to %s".formatted(present, count(wanted, unit)));
    if (seen.json().at("/spec/autoscaling").asBoolean(false)) {
      err().println("It has autoscaling: the autoscaler may set another number.");
    }
  }

  private static String count(int number, String unit) {
    return "%d %s%s".formatted(number, unit, number == 1 ? "" : "s");
  }
}
