package io.nodepool.bench.signals;

import io.nodepool.bench.raw.RawClient;
import io.nodepool.bench.signals.SentAlerts.SentAlert;
import io.nodepool.health.Signal;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.receiver.SignalPatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A plain client that stores alerts by the patches that the receiver sends. */
final class RawSignals {
  private RawSignals() {}

  /**
   * Sends patches of existing objects, with the concurrency of {@link RawClient}; returns the time
   * that it took.
   *
   * @param alerts are changed in turn
   * @param number of the patches
   */
  static Duration send(ApiRequests api, List<SentAlert> alerts, long number, Instant at) {
    Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    for (int patch = 0; patch < number; patch++) {
      SentAlert alert = alerts.get(patch % alerts.size());
      int round = patch / alerts.size();
      work.add(() -> {
        RawClient.check(
            api.patch(
                ApiPaths.signals(alert.node()),
                ApiRequests.PatchType.MERGE,
                patch(alert, round, at)));
      });
    }
    long begun = System.nanoTime();
    RawClient.run(work);
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  private static String patch(SentAlert alert, int round, Instant at) {
    Instant since = at.plus(SentAlerts.PERIOD.multipliedBy(round));
    Optional<Instant> ended =
        round % 2 == 0 ? Optional.empty() : Optional.of(since.plus(SentAlerts.PERIOD));
    Signal signal =
        new Signal(alert.key(), since, ended, "", "", alert.summary(), Optional.empty());
    return SignalPatch.change(Map.of(signal.key(), signal));
  }
}
