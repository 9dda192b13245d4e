package io.nodepool.receiver;

import io.nodepool.fleet.HostId;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.SignalKey;
import io.nodepool.http.BearerToken;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.client.OutageLog;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the notifications of Alertmanager: 200 once every change is stored. A sender that repeats
 * each notification until it gets 200 loses nothing. Safe for any thread.
 */
final class AlertReceiver implements Endpoint.Receiver {
  private static final Logger log = LoggerFactory.getLogger(AlertReceiver.class);
  private static final int RETRY_SECONDS = 5;

  /**
   * The limits of a receiver.
   *
   * @param bodyBytes the longest body that is read
   * @param bodies the most bodies that are read at once
   * @param alerts the most alerts in one body, and the most alerts that are being stored at once
   * @param longest how long a notification may take until it is answered
   */
  record Limits(long bodyBytes, int bodies, int alerts, Duration longest) {
    /** The product's limits. */
    static final Limits DEFAULTS = new Limits(4 << 20, 32, 2_000, Duration.ofSeconds(15));
  }

  private final BearerToken token;
  private final BooleanSupplier ready;
  private final HostNames names;
  private final StoredSignals stored;
  private final SignalStore store;
  private final Runnable heard;
  private final InstantSource clock;
  private final Limits limits;
  private final ReceiverMeters meters;
  private final Semaphore bodies;
  private final Semaphore alerts;
  private final OutageLog outage =
      new OutageLog("alerts could not be stored", System::nanoTime, log::warn, log::info);

  /**
   * A receiver.
   *
   * @param ready whether all Hosts and their stored signals are known
   * @param heard called when a whole notification is stored
   * @param clock the wall clock
   */
  AlertReceiver(
      BearerToken token,
      BooleanSupplier ready,
      HostNames names,
      StoredSignals stored,
      SignalStore store,
      Runnable heard,
      InstantSource clock,
      Limits limits,
      ReceiverMeters meters) {
    this.token = token;
    this.ready = ready;
    this.names = names;
    this.stored = stored;
    this.store = store;
    this.heard = heard;
    this.clock = clock;
    this.limits = limits;
    this.meters = meters;
    this.bodies = new Semaphore(limits.bodies());
    this.alerts = new Semaphore(limits.alerts());
  }

  @Override
  public Endpoint.Page receive(String authorization, long length, InputStream body)
      throws IOException {
    IntConsumer answered = meters.begin();
    int code = 0;
    try {
      Endpoint.Page page = answer(authorization, length, body);
      code = page.code();
      return page;
    } finally {
      answered.accept(code);
    }
  }

  private Endpoint.Page answer(String authorization, long length, InputStream body)
      throws IOException {
    if (!token.isIn(authorization)) {
      return Endpoint.Page.of(
          401, "the token is missing or wrong; send the header Authorization: Bearer TOKEN");
    }
    if (length > limits.bodyBytes()) {
      return tooLarge(longerThan());
    }
    if (!ready.getAsBoolean()) {
      return later("the operator has not listed all Hosts and their signals yet");
    }
    if (!bodies.tryAcquire()) {
      return later("too many notifications are being received");
    }
    Notification notification;
    try {
      notification = Notification.read(bounded(body), limits.alerts());
    } catch (Notification.Malformed e) {
      return Endpoint.Page.of(400, String.valueOf(e.getMessage()));
    } catch (Notification.TooLarge e) {
      return tooLarge(String.valueOf(e.getMessage()));
    } finally {
      bodies.release();
    }
    int size = notification.alerts().size();
    if (!alerts.tryAcquire(size)) {
      return later("too many alerts are being stored");
    }
    try {
      return outcome(notification);
    } finally {
      alerts.release(size);
    }
  }

  private static Endpoint.Page tooLarge(String why) {
    return Endpoint.Page.of(413, why);
  }

  private String longerThan() {
    return "the body is longer than %d bytes; group alerts by further labels"
        .formatted(limits.bodyBytes());
  }

  private static Endpoint.Page later(String why) {
    return Endpoint.Page.later(503, why + "; repeat the notification", RETRY_SECONDS);
  }

  /** Returns the body as a stream that fails after the limit. */
  private InputStream bounded(InputStream body) {
    return new FilterInputStream(body) {
      private long left = limits.bodyBytes();

      @Override
      public int read() throws IOException {
        return counted(super.read(), 1);
      }

      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        int read = super.read(bytes, from, length);
        return counted(read, read);
      }

      private int counted(int result, int read) throws IOException {
        left -= result < 0 ? 0 : read;
        if (left < 0) {
          throw new Notification.TooLarge(longerThan());
        }
        return result;
      }
    };
  }

  private Endpoint.Page outcome(Notification notification) {
    NotificationPlan plan =
        NotificationPlan.of(
            notification.alerts(),
            names::find,
            stored::about,
            clock.instant().plus(HealthSettings.DEFAULTS.skew()));
    Map<AlertOutcome, Integer> outcomes = new EnumMap<>(AlertOutcome.class);
    outcomes.putAll(plan.outcomes());
    if (notification.truncated() > 0) {
      outcomes.put(
          AlertOutcome.TRUNCATED, (int) Math.min(notification.truncated(), Integer.MAX_VALUE));
    }
    Optional<String> failure = Optional.empty();
    for (Map.Entry<HostId, WriteOutcome> each : write(plan).entrySet()) {
      WriteOutcome written = each.getValue();
      Map<SignalKey, Integer> alertsOfHost = plan.alerts().getOrDefault(each.getKey(), Map.of());
      alertsOfHost.forEach((key, number) -> outcomes.merge(written.of(key), number, Integer::sum));
      if (alertsOfHost.keySet().stream().anyMatch(key -> written.of(key) == AlertOutcome.FAILED)) {
        failure = failure.or(() -> Optional.of(written.why()));
      }
    }
    meters.count(outcomes);
    int size = notification.alerts().size();
    String text = (size == 1 ? "1 alert: " : size + " alerts: ") + text(outcomes);
    if (failure.isPresent()) {
      outage.failed(failure.get());
      return later("%s (%s)".formatted(text, failure.get()));
    }
    outage.worked();
    heard.run();
    return Endpoint.Page.of(200, text);
  }

  private static String text(Map<AlertOutcome, Integer> outcomes) {
    return outcomes.isEmpty()
        ? "none"
        : outcomes.entrySet().stream()
            .map(each -> each.getValue() + " " + each.getKey().text())
            .collect(Collectors.joining(", "));
  }

  /** Stores the changes of all Hosts. Returns the outcome for each Host. */
  private Map<HostId, WriteOutcome> write(NotificationPlan plan) {
    Map<HostId, CompletableFuture<WriteOutcome>> writes = new HashMap<>();
    plan.changes().forEach((host, signals) -> writes.put(host, store.store(host, signals)));
    try {
      CompletableFuture.allOf(writes.values().toArray(CompletableFuture<?>[]::new))
          .get(limits.longest().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("not everything is stored in time", e);
    }
    Map<HostId, WriteOutcome> outcomes = new HashMap<>();
    plan.alerts()
        .forEach((host, numbers) -> {
          WriteOutcome late = WriteOutcome.failed(numbers.keySet(), "not stored in time");
          outcomes.put(host, writes.getOrDefault(host, new CompletableFuture<>()).getNow(late));
        });
    return outcomes;
  }
}
