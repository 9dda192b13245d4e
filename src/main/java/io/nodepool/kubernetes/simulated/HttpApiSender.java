package io.nodepool.kubernetes.simulated;

import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.ApiRequests;
import io.nodepool.kubernetes.Reply;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests, a bounded number at a time, in the order in which they came. */
final class HttpApiSender implements ApiSender, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpApiSender.class);
  private static final int IN_FLIGHT = 16;

  private final ApiRequests requests;
  private final Executor thread;
  private final ExecutorService senders =
      Executors.newFixedThreadPool(
          IN_FLIGHT, Thread.ofPlatform().daemon().name("data-centre-request-", 1).factory());

  /**
   * @param thread where answers are given
   */
  HttpApiSender(ApiRequests requests, Executor thread) {
    this.requests = requests;
    this.thread = thread;
  }

  @Override
  public void send(ApiRequest request, Consumer<Answer<String>> answer) {
    try {
      senders.execute(() -> {
        Answer<String> found = answer(request);
        thread.execute(() -> answer.accept(found));
      });
    } catch (RejectedExecutionException e) {
      log.debug("{} is not sent: the data centre is closed", request);
    }
  }

  private Answer<String> answer(ApiRequest request) {
    try {
      return switch (reply(request)) {
        case Reply.Ok(String body) -> new Answer.Done<>(body);
        case Reply.Rejected rejected -> rejected.failure();
        case Reply.NotSent notSent -> notSent.failure();
        case Reply.Lost lost -> lost.failure();
      };
    } catch (RuntimeException e) {
      return new Answer.Unknown<>(e.toString());
    }
  }

  private Reply reply(ApiRequest request) {
    return switch (request.verb()) {
      case GET -> requests.get(request.path());
      case POST -> requests.post(request.path(), request.body());
      case JSON_PATCH -> patch(request, ApiRequests.PatchType.JSON);
      case MERGE_PATCH -> patch(request, ApiRequests.PatchType.MERGE);
      case STRATEGIC_PATCH -> patch(request, ApiRequests.PatchType.STRATEGIC);
      case APPLY -> patch(request, ApiRequests.PatchType.APPLY);
      case DELETE -> requests.delete(request.path(), request.body());
    };
  }

  private Reply patch(ApiRequest request, ApiRequests.PatchType type) {
    return requests.patch(request.path(), type, request.body());
  }

  /** Sends nothing more; waits shortly for what is under way. */
  @Override
  public void close() {
    senders.shutdown();
    try {
      if (!senders.awaitTermination(ApiRequests.TIME_OUT.toSeconds(), TimeUnit.SECONDS)) {
        log.warn("requests of the data centre were still under way when it ended");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
