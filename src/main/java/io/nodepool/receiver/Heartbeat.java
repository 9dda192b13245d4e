package io.nodepool.receiver;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.health.SignalSource;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.OutageLog;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the heartbeat of Alertmanager, at most every ten minutes for all replicas. Alertmanager's
 * signals count as long as the heartbeat continues. Safe for any thread.
 */
final class Heartbeat {
  static final Duration BETWEEN = Duration.ofMinutes(10);
  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);
  private static final String QUERY = "?fieldManager=nodepool-alert-receiver&force=true";

  private final OutageLog outage =
      new OutageLog(
          "the heartbeat of Alertmanager could not be written",
          System::nanoTime,
          log::warn,
          log::info);
  private final ApiRequests api;
  private final InstantSource clock;

  /** The last heartbeat that was written or is being written; guarded by this. */
  private Instant last = Instant.EPOCH;

  /**
   * A heartbeat that was never written.
   *
   * @param clock the wall clock
   */
  Heartbeat(ApiRequests api, InstantSource clock) {
    this.api = api;
    this.clock = clock;
  }

  /** The watch shows the object, which any replica may have written. */
  synchronized void observed(SignalSource object) {
    last = object.heartbeatAt();
  }

  /** The watch shows that the object is gone. */
  synchronized void gone() {
    last = Instant.EPOCH;
  }

  /** A whole notification is stored. Does not wait for the write of the heartbeat. */
  synchronized void heard() {
    Instant now = clock.instant();
    if (Duration.between(last, now).abs().compareTo(BETWEEN) >= 0) {
      last = now;
      Thread.startVirtualThread(() -> write(now));
    }
  }

  /** If this fails, the next notification retries. */
  private void write(Instant now) {
    String object =
        """
        {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "%s"}, "spec": {"heartbeatAt": "%s"}}\
        """
            .formatted(
                HasMetadata.getApiVersion(SignalSourceResource.class),
                HasMetadata.getKind(SignalSourceResource.class),
                ReceivedAlert.SOURCE,
                ObjectFacts.seconds(now));
    String path = ApiPaths.SOURCES + "/" + ReceivedAlert.SOURCE + QUERY;
    Reply reply = api.patch(path, ApiRequests.PatchType.APPLY, object);
    if (reply instanceof Reply.Ok) {
      outage.worked();
    } else {
      outage.failed(reply.why());
      failed(now);
    }
  }

  private synchronized void failed(Instant at) {
    last = last.equals(at) ? Instant.EPOCH : last;
  }
}
