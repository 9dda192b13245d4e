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
 * Ends each watch from which nothing was heard for too long, so that the client asks for it again.
 * A connection whose other end vanished without a word looks like a cluster in which nothing
 * happens, and the client (fabric8 7.7) would wait for five to ten minutes. An API server sends a
 * bookmark about every minute, so that a watch that is silent for longer is taken for dead.
 */
final class QuietWatches implements Interceptor {
  /** Two bookmarks may be missing. */
  static final Duration LONGEST_SILENCE = Duration.ofSeconds(150);

  private static final Logger log = LoggerFactory.getLogger(QuietWatches.class);

  private final Duration longestSilence;
  private final LongSupplier nanoTime;

  /** When something was last heard of each open watch, in nanoseconds of the clock. */
  private final ConcurrentHashMap<AsyncBody, Long> heard = new ConcurrentHashMap<>();

  QuietWatches(Duration longestSilence, LongSupplier nanoTime) {
    this.longestSilence = longestSilence;
    this.nanoTime = nanoTime;
  }

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    if (!AsciiWatches.isWatch(request)) {
      return consumer;
    }
    return (pieces, body) -> {
      heard.computeIfPresent(body, (watch, before) -> nanoTime.getAsLong());
      consumer.consume(pieces, body);
    };
  }

  @Override
  public void after(
      HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> body) {
    if (AsciiWatches.isWatch(request)
        && response.isSuccessful()
        && response.body() instanceof AsyncBody watch) {
      heard.put(watch, nanoTime.getAsLong());
      var _ = watch.done().whenComplete((nothing, failure) -> heard.remove(watch));
      lookAgain(watch, request, longestSilence.toNanos());
    }
  }

  private void lookAgain(AsyncBody watch, HttpRequest request, long inNanos) {
    CompletableFuture.delayedExecutor(inNanos, TimeUnit.NANOSECONDS)
        .execute(() -> look(watch, request));
  }

  private void look(AsyncBody watch, HttpRequest request) {
    // In this order: what is heard in between only makes the silence look shorter.
    long now = nanoTime.getAsLong();
    Long last = heard.get(watch);
    if (last == null) {
      return;
    }
    long left = last + longestSilence.toNanos() - now;
    if (left > 0) {
      lookAgain(watch, request, left);
      return;
    }
    log.info(
        "nothing was heard of the watch of {} for {} s: it is asked for again",
        request.uri().getPath(),
        longestSilence.toSeconds());
    watch.cancel();
  }

  /** How many watches are open. */
  int open() {
    return heard.size();
  }
}
