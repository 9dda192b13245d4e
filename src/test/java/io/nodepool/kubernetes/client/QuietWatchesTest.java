package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class QuietWatchesTest {
  private static final HttpRequest WATCH = get("https://api/api/v1/pods?watch=true");
  private static final HttpRequest LIST = get("https://api/api/v1/pods?limit=500");

  private final AtomicLong now = new AtomicLong();

  /** A limit so short on the machine's clock that every check runs at once. */
  private final QuietWatches watches = new QuietWatches(Duration.ofNanos(1000), now::get);

  private static HttpRequest get(String uri) {
    return new StandardHttpRequest(Map.of(), URI.create(uri), "GET", null);
  }

  private record Response(int code, Object body) implements HttpResponse<Object> {
    @Override
    public HttpRequest request() {
      return WATCH;
    }

    @Override
    public Optional<HttpResponse<?>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public List<String> headers(String key) {
      return List.of();
    }

    @Override
    public Map<String, List<String>> headers() {
      return Map.of();
    }
  }

  @Test
  void aWatchThatIsSilentForTooLongIsEnded() {
    FakeBody body = new FakeBody();
    watches.after(WATCH, new Response(200, body), (pieces, _) -> {});
    assertThat(watches.open()).isEqualTo(1);

    now.addAndGet(1000);

    await().until(body.done::isCancelled);
    assertThat(watches.open()).isZero();
  }

  @Test
  void dataKeepsAWatchOpen() throws Exception {
    FakeBody body = new FakeBody();
    watches.after(WATCH, new Response(200, body), (pieces, _) -> {});
    AsyncBody.Consumer<List<ByteBuffer>> consumer = watches.consumer((pieces, _) -> {}, WATCH);

    // The time since the last chunk never exceeds the limit.
    for (int piece = 0; piece < 50; piece++) {
      now.addAndGet(999);
      consumer.consume(List.of(), body);
    }

    assertThat(body.done).isNotDone();
    now.addAndGet(1000);
    await().until(body.done::isCancelled);
  }

  @Test
  void onlySuccessfulWatchesAreChecked() {
    watches.after(LIST, new Response(200, new FakeBody()), (pieces, _) -> {});
    watches.after(WATCH, new Response(410, new FakeBody()), (pieces, _) -> {});
    assertThat(watches.open()).isZero();
  }

  @Test
  void aWatchThatHasEndedIsForgotten() {
    FakeBody body = new FakeBody();
    watches.after(WATCH, new Response(200, body), (pieces, _) -> {});
    body.done.complete(null);
    assertThat(watches.open()).isZero();
  }
}
