package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends each watch that was silent for too long, so that the client opens it again. A connection
 * whose peer vanished silently cannot be distinguished from a connection to an idle cluster, and
 * the client (fabric8 7.8) would wait for five to ten minutes. An API server sends a bookmark about
 * every minute, so a watch that is silent for longer counts as dead.
 */
final class QuietWatches implements Interceptor {
  /** Two bookmarks may be missing. */
  static final Duration LONGEST_SILENCE = Duration.ofSeconds(150);

  private static final Logger log = LoggerFactory.getLogger(QuietWatches.class);

  private final Duration longestSilence;
  private final LongSupplier nanoTime;

  /** When each open watch last received data, in nanoseconds of the clock. */
  private final ConcurrentHashMap<AsyncBody, Long> lastData = new ConcurrentHashMap<>();

  QuietWatches(Duration longestSilence, LongSupplier nanoTime) {
    this.longestSilence = longestSilence;
    this.nanoTime = nanoTime;
  }

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    if (!WatchEventReader.isWatch(request)) {
      return consumer;
    }
    return (pieces, body) -> {
      lastData.computeIfPresent(body, (watch, before) -> nanoTime.getAsLong());
      consumer.consume(pieces, body);
    };
  }

  @Override
  public void after(
      HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
    if (WatchEventReader.isWatch(request)
        && response.isSuccessful()
        && response.body() instanceof AsyncBody watch) {
      lastData.put(watch, nanoTime.getAsLong());
      var _ = watch.done().whenComplete((nothing, failure) -> lastData.remove(watch));
      checkLater(watch, request, longestSilence.toNanos());
    }
  }

  private void checkLater(AsyncBody watch, HttpRequest request, long inNanos) {
    CompletableFuture.delayedExecutor(inNanos, TimeUnit.NANOSECONDS)
        .execute(() -> check(watch, request));
  }

  private void check(AsyncBody watch, HttpRequest request) {
    // In this order: data received in between only shortens the measured silence.
    long now = nanoTime.getAsLong();
    Long last = lastData.get(watch);
    if (last == null) {
      return;
    }
    long left = last + longestSilence.toNanos() - now;
    if (left > 0) {
      checkLater(watch, request, left);
      return;
    }
    log.info(
        "the watch of {} was silent for {} s and is opened again",
        request.uri().getPath(),
        longestSilence.toSeconds());
    watch.cancel();
  }

  /** The number of open watches. */
  int open() {
    return lastData.size();
  }
}
