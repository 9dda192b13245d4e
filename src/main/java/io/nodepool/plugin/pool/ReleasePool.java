package io.nodepool.plugin.pool;

import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Releases the Nodes of a NodePool that are held since their reboots failed. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    description = {
      "Let Nodes leave a NodePool again that did not come back from their reboots, after several in a row did not: status.failedReboots says since when it is held.",
      "It releases what is held now, and nothing later. A Node whose machine comes back needs no release."
    })
public final class ReleasePool implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Override
  public Integer call() {
    return pool.run(this::release);
  }

  private void release(ClusterClient client, PoolReading seen) {
    String hold = seen.failedRebootsHeldSince();
    if (hold.isEmpty()) {
      pool.print("holds no failed reboots; nothing was written");
      return;
    }
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.RELEASE.key(), hold));
    pool.print(
        "release requested of what is held since %s: %d waiting"
            .formatted(hold, seen.failedRebootsWaiting()));
  }
}
