package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops a rollout. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description = {
      "Begin no further Node in the rollout of a NodePool. A Node that is being drained for it alone stays, without the Pods that were evicted, until the deadline of its drain has passed; one that is drained is finished.",
      "rollout start continues it."
    })
final class StopRollout implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Override
  public Integer call() {
    return pool.run(this::stop);
  }

  private void stop(ClusterClient client, PoolReading seen) {
    String phase = seen.rolloutPhase();
    if (seen.isCarriedOut() && phase.equals(RolloutState.Phase.NONE.word())) {
      throw new CommandFailure("no rollout is under way");
    }
    if (seen.isCarriedOut() && phase.equals(RolloutState.Phase.STOPPED.word())) {
      pool.print("rollout is stopped already; nothing was written");
      return;
    }
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.ROLLOUT.key(), PoolAnnotations.STOP));
    pool.print("rollout stop requested");
  }
}
