package io.nodepool.local.programs;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP response that is read in pieces. The timeout of the JDK's client covers only the head of
 * a response; here each piece must arrive within a limit.
 */
final class Transfer implements AutoCloseable {
  /** The waits of a download, replaceable in tests. */
  interface Waiting {
    /** The next element of a queue, or null if none arrives within the limit. */
    <T> @Nullable T next(BlockingQueue<T> queue, Duration limit) throws InterruptedException;

    /** Ends once this time has passed. */
    Future<?> timer(Duration time);

    /** Waits in real time. */
    Waiting REAL =
        new Waiting() {
          @Override
          public <T> @Nullable T next(BlockingQueue<T> queue, Duration limit)
              throws InterruptedException {
            return queue.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
          }

          @Override
          public Future<?> timer(Duration time) {
            return new CompletableFuture<>()
                .completeOnTimeout(time, time.toMillis(), TimeUnit.MILLISECONDS);
          }
        };
  }

  /** A failure after which a retry may succeed; the message is the reason, without a full stop. */
  static final class Cut extends Download.Unavailable {
    private static final long serialVersionUID = 1L;

    Cut(String why) {
      super(why);
    }
  }

  /** The parts of a response. */
  private sealed interface Signal {
    record Head(ResponseInfo info) implements Signal {}

    record Bytes(List<ByteBuffer> buffers) implements Signal {}

    record End() implements Signal {}

    record Broken(Throwable failure) implements Signal {}
  }

  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final Body body = new Body();
  private final CompletableFuture<HttpResponse<Void>> exchange;
  private final String host;
  private final Waiting waiting;
  private final Duration limit;

  /**
   * Sends a request.
   *
   * @param limit the maximum time between two pieces
   */
  Transfer(HttpClient client, HttpRequest request, Waiting waiting, Duration limit) {
    this.host = request.uri().getHost();
    this.waiting = waiting;
    this.limit = limit;
    this.exchange =
        client.sendAsync(
            request,
            info -> {
              signals.add(new Signal.Head(info));
              return body;
            });
    var _ =
        exchange.whenComplete((_, failure) -> {
          if (failure != null) {
            signals.add(new Signal.Broken(failure));
          }
        });
  }

  /** The head of the response. */
  ResponseInfo head() throws Cut {
    return switch (next()) {
      case Signal.Head head -> head.info();
      case Signal.Broken broken -> throw cut(cause(broken));
      case Signal.Bytes _, Signal.End _ ->
          throw new IllegalStateException("a response without a head");
    };
  }

  /** The next bytes of the response; none after its end. */
  List<ByteBuffer> bytes() throws Cut {
    body.more();
    return switch (next()) {
      case Signal.Bytes bytes -> bytes.buffers();
      case Signal.End _ -> List.of();
      case Signal.Broken broken -> throw cut(cause(broken));
      case Signal.Head _ -> throw new IllegalStateException("a response with two heads");
    };
  }

  private Signal next() throws Cut {
    try {
      Signal signal = waiting.next(signals, limit);
      if (signal == null) {
        throw cut(new IOException("no data for %d s".formatted(limit.toSeconds())));
      }
      return signal;
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static IOException cause(Signal.Broken broken) {
    Throwable cause = broken.failure();
    while (!(cause instanceof IOException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof IOException known ? known : new IOException(cause);
  }

  private Cut cut(IOException failure) {
    return new Cut(
        switch (failure) {
          case HttpConnectTimeoutException _ -> "%s cannot be reached: no answer".formatted(host);
          case ConnectException connect ->
              "%s cannot be reached: %s"
                  .formatted(
                      host,
                      connect.getCause() instanceof UnresolvedAddressException
                          ? "unknown host"
                          : "connection refused");
          default -> "the connection to %s failed: %s".formatted(host, failure.getMessage());
        });
  }

  /** Ends a download whose thread was interrupted. */
  static LocalClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new LocalClusterException("The download of the control plane was interrupted.", e);
  }

  /** Cancels the rest of the response. */
  @Override
  public void close() {
    exchange.cancel(true);
  }

  /** Puts one piece into the queue for each request. */
  private final class Body implements BodySubscriber<Void> {
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();

    void more() {
      var _ = subscribed.thenAccept(subscription -> subscription.request(1));
    }

    @Override
    public CompletionStage<Void> getBody() {
      return end;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscribed.complete(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      signals.add(new Signal.Bytes(buffers));
    }

    @Override
    public void onError(Throwable failure) {
      signals.add(new Signal.Broken(failure));
      end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      signals.add(new Signal.End());
      end.complete(null);
    }
  }
}
