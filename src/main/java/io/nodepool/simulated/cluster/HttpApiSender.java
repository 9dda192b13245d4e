package io.nodepool.simulated.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.thread.FairLanes;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests in order of submission, a bounded number at once. */
final class HttpApiSender implements ApiSender, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpApiSender.class);
  private static final int IN_FLIGHT = 16;

  private final ApiRequests requests;
  private final Executor thread;
  private final FairLanes lanes = new FairLanes(IN_FLIGHT, ApiRequests.TIME_OUT);

  /**
   * @param thread receives the answers
   */
  HttpApiSender(ApiRequests requests, Executor thread) {
    this.requests = requests;
    this.thread = thread;
  }

  @Override
  public void send(ApiRequest request, Consumer<Answer<String>> answer) {
    lanes.execute(
        request.object(),
        () -> {
          Answer<String> found = FairLanes.answered(() -> answer(request));
          thread.execute(() -> answer.accept(found));
        },
        () -> log.debug("{} is not sent: the data centre is closed", request));
  }

  private Answer<String> answer(ApiRequest request) {
    Reply reply = reply(request);
    return reply instanceof Reply.Ok(String body) ? new Answer.Done<>(body) : reply.failure();
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

  /** Sends no further request; waits briefly for those in flight. */
  @Override
  public void close() {
    lanes.close();
  }
}
