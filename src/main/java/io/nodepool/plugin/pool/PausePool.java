package io.nodepool.plugin.pool;

import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import picocli.CommandLine.Command;

/** Pauses a NodePool. */
@Command(
    name = "pause",
    description = {
      "Hold a NodePool as it is: no Node begins to leave because the target fell, and none gets its turn in a rollout.",
      "A drain that has begun goes on. Growth, requests of clients, preemptions, repairs, the replacement of failed machines and the deletion of the NodePool go on. resume ends it."
    })
public final class PausePool extends ChangePoolCommand {
  @Override
  void run(ClusterClient client, PoolReading seen) {
    if (seen.isPaused()) {
      print("is paused already; nothing was written");
      return;
    }
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.PAUSED.key(), PoolAnnotations.TRUE));
    print("paused");
  }
}
