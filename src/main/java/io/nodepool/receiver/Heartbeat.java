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
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes that Alertmanager was heard of, at most every ten minutes, whichever replica heard of it:
 * what it reported counts for as long as this goes on. Safe for any thread.
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
  private final AtomicReference<Instant> last = new AtomicReference<>(Instant.EPOCH);

  /**
   * A heartbeat that was never written.
   *
   * @param clock the wall clock
   */
  Heartbeat(ApiRequests api, InstantSource clock) {
    this.api = api;
    this.clock = clock;
  }

  /** The watch shows the object, as some replica wrote it. */
  void observed(SignalSource object) {
    last.set(object.heartbeatAt());
  }

  /** The watch shows that the object is gone. */
  void gone() {
    last.set(Instant.EPOCH);
  }

  /** Everything that has an effect of a notification is stored. Does not wait for the write. */
  void heard() {
    Instant now = clock.instant();
    Instant before = last.get();
    boolean isDue = Duration.between(before, now).abs().compareTo(BETWEEN) >= 0;
    if (isDue && last.compareAndSet(before, now)) {
      Thread.startVirtualThread(() -> write(now, before));
    }
  }

  /** The next notification writes it if this fails. */
  private void write(Instant now, Instant before) {
    String object =
        """
        {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "%s"}, "spec": {"heartbeatAt": "%s"}}\
        """
            .formatted(
                HasMetadata.getApiVersion(SignalSourceResource.class),
                HasMetadata.getKind(SignalSourceResource.class),
                AlertSignal.SOURCE,
                ObjectFacts.seconds(now));
    String path = ApiPaths.SOURCES + "/" + AlertSignal.SOURCE + QUERY;
    Reply reply = api.patch(path, ApiRequests.PatchType.APPLY, object);
    if (reply instanceof Reply.Ok) {
      outage.worked();
    } else {
      outage.failed(reply.why());
      last.compareAndSet(now, before);
    }
  }
}
