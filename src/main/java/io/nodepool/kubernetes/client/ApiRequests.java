package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends single requests, each exactly once, and returns their outcome. Blocks the caller until the
 * answer arrives or the time-out passes. A write is sent only while the gate is open.
 */
public final class ApiRequests {
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

  private final KubernetesClient client;
  private final WriteGate gate;
  private final Duration timeOut;

  /** Requests through a client, which must not retry by itself. */
  public ApiRequests(KubernetesClient client, WriteGate gate) {
    this(client, gate, TIME_OUT);
  }

  /** The same with another time-out. */
  public ApiRequests(KubernetesClient client, WriteGate gate, Duration timeOut) {
    this.client = client;
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

  /** The JSON of an object for a request. */
  public String json(Object object) {
    return client.getKubernetesSerialization().asJson(object);
  }

  /** The object in an answer. */
  public <T> T parse(Reply.Ok reply, Class<T> type) {
    return client.getKubernetesSerialization().unmarshal(reply.body(), type);
  }

  private Reply write(HttpRequest.Builder request) {
    return gate.isOpen()
        ? send(request)
        : new Reply.NotSent("leadership was not confirmed recently; nothing is written");
  }

  private HttpRequest.Builder request(String path) {
    return client.getHttpClient().newHttpRequestBuilder().uri(uri(path));
  }

  private URI uri(String path) {
    return URI.create(client.getMasterUrl().toString()).resolve(path);
  }

  private Reply send(HttpRequest.Builder builder) {
    HttpClient http = client.getHttpClient();
    HttpRequest request =
        builder.header("Accept", JSON).timeout(timeOut.toMillis(), TimeUnit.MILLISECONDS).build();
    CompletableFuture<HttpResponse<String>> response = http.sendAsync(request, String.class);
    try {
      return reply(response.get(2 * timeOut.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      return failed(e.getCause() == null ? e : e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      response.cancel(true);
      return new Reply.Lost("no answer in time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Reply.Lost("interrupted while waiting for the answer");
    }
  }

  private Reply reply(HttpResponse<String> response) {
    String body = response.body();
    return response.isSuccessful()
        ? new Reply.Ok(body)
        : new Reply.Rejected(response.code(), message(body));
  }

  /** The message of a Status, or the text of an answer that is not a Status. */
  private String message(String body) {
    try {
      Status status = client.getKubernetesSerialization().unmarshal(body, Status.class);
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
