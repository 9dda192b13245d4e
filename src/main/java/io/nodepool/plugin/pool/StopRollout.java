package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import picocli.CommandLine.Command;

/** Stops a rollout. */
@Command(
    name = "stop",
    description = {
      "Begin no further Node in the rollout of a NodePool.",
      "A Node that is being drained for it alone stays, without the Pods that were evicted, until the deadline of its drain has passed; one that is drained is finished.",
      "rollout start continues it."
    })
final class StopRollout extends ChangePoolCommand {
  @Override
  void run(ClusterClient client, PoolReading seen) {
    String phase = seen.rolloutPhase();
    if (seen.isCarriedOut() && phase.equals(RolloutState.Phase.NONE.word())) {
      throw new CommandFailure("no rollout is under way");
    }
    if (seen.isCarriedOut() && phase.equals(RolloutState.Phase.STOPPED.word())) {
      print("rollout is stopped already; nothing was written");
      return;
    }
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.ROLLOUT.key(), PoolAnnotations.STOP));
    print("rollout stop requested");
  }
}
