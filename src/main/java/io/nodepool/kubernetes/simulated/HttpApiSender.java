package io.nodepool.kubernetes.simulated;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.nodepool.fleet.Answer;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over a client's HTTP connection, a bounded number at a time, in the order in which
 * they came. Lives on the data centre's thread.
 */
final class HttpApiSender implements ApiSender {
  private static final int IN_FLIGHT = 16;
  private static final long TIMEOUT_SECONDS = 4;
  private static final int SHOWN_CHARACTERS = 500;

  /** A request that waits for its turn. */
  private record Waiting(ApiRequest request, Consumer<Answer<String>> answer) {}

  private final HttpClient http;
  private final String server;
  private final Executor thread;
  private final Queue<Waiting> queue = new ArrayDeque<>();
  private int inFlight;

  /**
   * @param client resends nothing by itself, for a resent write could take effect twice
   * @param thread where answers are given
   */
  HttpApiSender(KubernetesClient client, Executor thread) {
    if (client.getConfiguration().getRequestRetryBackoffLimit() != 0) {
      throw new IllegalArgumentException("the client of a data centre must not resend requests");
    }
    this.http = client.getHttpClient();
    this.server = client.getMasterUrl().toString().replaceAll("/+$", "");
    this.thread = thread;
  }

  @Override
  public void send(ApiRequest request, Consumer<Answer<String>> answer) {
    queue.add(new Waiting(request, answer));
    sendWaiting();
  }

  private void sendWaiting() {
    while (inFlight < IN_FLIGHT && !queue.isEmpty()) {
      Waiting next = queue.remove();
      inFlight++;
      var _ =
          http.sendAsync(http(next.request()), String.class)
              .whenCompleteAsync((response, failure) -> answered(next, response, failure), thread);
    }
  }

  private void answered(
      Waiting sent, @Nullable HttpResponse<String> response, @Nullable Throwable failure) {
    inFlight--;
    sent.answer().accept(response == null ? failed(failure) : answer(response));
    sendWaiting();
  }

  private HttpRequest http(ApiRequest request) {
    HttpRequest.Builder builder =
        http.newHttpRequestBuilder()
            .uri(server + request.path())
            .timeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    return request.body().isEmpty()
        ? builder.build()
        : builder.method(request.verb().name(), request.contentType(), request.body()).build();
  }

  private static Answer<String> answer(HttpResponse<String> response) {
    int code = response.code();
    if (response.isSuccessful()) {
      return new Answer.Done<>(response.body());
    }
    String why = code + ": " + shown(response.body());
    return switch (code) {
      case 404 -> new Answer.Missing<>();
      case 409, 422 -> new Answer.Refused<>(why);
      case 400, 401, 403, 405, 413, 415, 429 -> new Answer.Unavailable<>(why);
      default -> new Answer.Unknown<>(why);
    };
  }

  /** Only a connection that was never made is sure to have had no effect. */
  private static Answer<String> failed(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof ConnectException
        ? new Answer.Unavailable<>("no connection to the API server")
        : new Answer.Unknown<>(String.valueOf(cause));
  }

  private static String shown(@Nullable String body) {
    String text = body == null ? "" : body;
    return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS);
  }
}
