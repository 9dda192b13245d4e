package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.fleet.Answer;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends single requests, each exactly once, and returns their outcome. Blocks the caller until the
 * answer arrives or the time-out passes. A write is sent only while the gate is open.
 */
public final class ApiRequests implements AutoCloseable {
  /** The time-out of a request. */
  public static final Duration TIME_OUT = Duration.ofSeconds(4);

  /** The formats of a patch. */
  public enum PatchType {
    /** RFC 6902: operations, with tests. */
    JSON("application/json-patch+json"),
    /** RFC 7386: lists are replaced. */
    MERGE("application/merge-patch+json"),
    /** The format of Kubernetes: lists of built-in types are merged by key. */
    STRATEGIC("application/strategic-merge-patch+json"),
    /** Server-side apply. */
    APPLY("application/apply-patch+yaml");

    private final String mediaType;

    PatchType(String mediaType) {
      this.mediaType = mediaType;
    }
  }

  private static final String JSON = "application/json";

  /** The server's message about a path that it does not serve. */
  private static final String UNKNOWN_RESOURCE = "the server could not find the requested resource";

  private final HttpClient http;
  private final URI server;
  private final KubernetesSerialization serialization;
  private final WriteGate gate;
  private final Duration timeOut;

  /** Sends requests through a client, which must not retry by itself. */
  public ApiRequests(KubernetesClient client, WriteGate gate) {
    this(client, gate, TIME_OUT);
  }

  /** Requests with another time-out. */
  public ApiRequests(KubernetesClient client, WriteGate gate, Duration timeOut) {
    this(
        client.getHttpClient(),
        URI.create(client.getMasterUrl().toString()),
        client.getKubernetesSerialization(),
        gate,
        timeOut);
  }

  ApiRequests(
      HttpClient http,
      URI server,
      KubernetesSerialization serialization,
      WriteGate gate,
      Duration timeOut) {
    this.http = http;
    this.server = server;
    this.serialization = serialization;
    this.gate = gate;
    this.timeOut = timeOut;
  }

  /** Reads an object, or a list with its query in the path. */
  public Reply get(String path) {
    return send(request(path).uri(uri(path)));
  }

  /** Creates an object from JSON. */
  public Reply post(String path, String body) {
    return write(request(path).post(JSON, body));
  }

  /** Changes an object. */
  public Reply patch(String path, PatchType type, String body) {
    return write(request(path).method("PATCH", type.mediaType, body));
  }

  /** Deletes an object, with DeleteOptions as JSON. */
  public Reply delete(String path, String options) {
    return write(request(path).delete(JSON, options));
  }

  /**
   * Waits until an object of a list changes: until the watch delivers something, or ends. A watch
   * that ends at once counts as a second, so that a caller who lists again does not do so in a
   * tight loop.
   *
   * @param path the list with its query, which contains the version to watch from
   * @return the refusal, if the server refuses the watch
   */
  public Optional<Reply> awaitChange(String path, Duration atMost) {
    CompletableFuture<Void> changed = new CompletableFuture<>();
    String query = "&watch=1&timeoutSeconds=" + Math.max(1, atMost.toSeconds());
    HttpRequest request =
        request(path + query)
            .header("Accept", JSON)
            .timeout(atMost.plus(timeOut).toMillis(), TimeUnit.MILLISECONDS)
            .build();
    CompletableFuture<HttpResponse<AsyncBody>> response =
        http.consumeBytes(request, (bytes, body) -> changed.complete(null));
    try {
      HttpResponse<AsyncBody> answer = response.get(2 * timeOut.toMillis(), TimeUnit.MILLISECONDS);
      if (!answer.isSuccessful()) {
        answer.body().cancel();
        return Optional.of(
            new Reply.Rejected(answer.code(), "the API server refuses to watch " + path));
      }
      Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
      var _ = answer.body().done().whenCompleteAsync((end, why) -> changed.complete(null), later);
      answer.body().consume();
      changed.completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS).get();
      answer.body().cancel();
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(failed(e.getCause() == null ? e : e.getCause()));
    } catch (TimeoutException e) {
      response.cancel(true);
      return Optional.of(new Reply.Lost("no answer in time"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(new Reply.Lost("interrupted while waiting for a change"));
    }
  }

  /** The address of the API server. */
  public URI server() {
    return server;
  }

  /** Closes the connections, also those of the client that sends the requests. */
  @Override
  public void close() {
    http.close();
  }

  /** The JSON of an object for a request. */
  public String json(Object object) {
    return serialization.asJson(object);
  }

  /** The object in an answer. */
  public <T> T parse(Reply.Ok reply, Class<T> type) {
    return serialization.unmarshal(reply.body(), type);
  }

  /** The answer for the sender of a request for an object. */
  public <T, A> Answer<A> answer(Reply reply, Class<T> type, Function<T, Answer<A>> seen) {
    return reply instanceof Reply.Ok ok ? seen.apply(parse(ok, type)) : reply.failure();
  }

  /**
   * Reads an object live.
   *
   * @param gone the answer if it does not exist, or if another object has its name
   */
  public <T extends HasMetadata, A> Answer<A> read(
      String path, Class<T> type, String uid, A gone, Function<T, Answer<A>> seen) {
    Reply reply = get(path);
    return reply.isNotFound()
        ? new Answer.Done<>(gone)
        : answer(
            reply,
            type,
            object ->
                uid.equals(object.getMetadata().getUid())
                    ? seen.apply(object)
                    : new Answer.Done<>(gone));
  }

  private Reply write(HttpRequest.Builder request) {
    return gate.isOpen()
        ? send(request)
        : new Reply.NotSent("leadership was not confirmed recently; nothing is written");
  }

  private HttpRequest.Builder request(String path) {
    return http.newHttpRequestBuilder().uri(uri(path));
  }

  private URI uri(String path) {
    // The address of a server behind a proxy may have a path of its own.
    String prefix = server.toString();
    return URI.create(
        (prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix) + path);
  }

  private Reply send(HttpRequest.Builder builder) {
    HttpRequest request =
        builder.header("Accept", JSON).timeout(timeOut.toMillis(), TimeUnit.MILLISECONDS).build();
    CompletableFuture<HttpResponse<String>> response = http.sendAsync(request, String.class);
    try {
      return reply(request, response.get(2 * timeOut.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return failed(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      response.cancel(true);
      return new Reply.Lost("no answer in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Reply.Lost("interrupted while waiting for the answer");
    }
  }

  private Reply reply(HttpRequest request, HttpResponse<String> response) {
    String body = response.body();
    return response.isSuccessful()
        ? new Reply.Ok(body)
        : new Reply.Rejected(response.code(), named(message(body), request));
  }

  /** Adds the path to a message that names no resource. */
  private static String named(String message, HttpRequest request) {
    return message.equals(UNKNOWN_RESOURCE)
        ? "%s (%s)".formatted(message, request.uri().getPath())
        : message;
  }

  /** The message of a Status, or the text of an answer that is not a Status. */
  private String message(String body) {
    try {
      Status status = serialization.unmarshal(body, Status.class);
      return status.getMessage() == null
          ? body
          : status.getMessage() + budgets(status.getDetails());
    } catch (RuntimeException e) {
      return body;
    }
  }

  /** The names of budgets that refused an eviction are in the details, not in the message. */
  private static String budgets(@Nullable StatusDetails details) {
    return details == null
        ? ""
        : details.getCauses().stream()
            .filter(cause -> "DisruptionBudget".equals(cause.getReason()))
            .map(cause -> " " + cause.getMessage())
            .collect(Collectors.joining());
  }

  private static Reply failed(Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          || cause instanceof HttpConnectTimeoutException
          || cause instanceof SSLHandshakeException) {
        return new Reply.NotSent("no connection to the API server: " + cause);
      }
    }
    return new Reply.Lost(failure.toString());
  }
}
