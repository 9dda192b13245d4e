package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends the pause of a NodePool. */
@Command(name = "resume", description = "Let a NodePool go on that is paused.")
public final class ResumePool extends ChangePoolCommand {
  @Mixin private final Consent consent = new Consent();

  @Override
  void run(ClusterClient client, PoolReading seen) {
    if (!seen.isPaused()) {
      print("is not paused; nothing was written");
      return;
    }
    if (seen.rolloutWouldEvict()
        || (seen.endsWorkToShrink() && seen.currentNodes() > seen.target())) {
      consent.confirm(
          client,
          () -> client.nodesOf(seen.name()),
          "nodepool/%s will be resumed, and what was held goes on".formatted(seen.name()),
          false);
    }
    client.removeFromPool(seen.name(), PoolAnnotations.PAUSED);
    print("resumed");
  }
}
