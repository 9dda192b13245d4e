package io.nodepool.plugin.pool;

import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import picocli.CommandLine.Command;

/** Ends that a NodePool is held as it is. */
@Command(name = "resume", description = "Let a NodePool go on that is paused.")
public final class ResumePool extends OnePoolCommand {
  @Override
  void run(ClusterClient client, PoolReading seen) {
    if (!seen.isPaused()) {
      print("is not paused; nothing was written");
      return;
    }
    client.removeFromPool(seen.name(), PoolAnnotations.PAUSED);
    print("resumed");
  }
}
