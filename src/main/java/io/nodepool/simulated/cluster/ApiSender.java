package io.nodepool.simulated.cluster;

import io.nodepool.fleet.Answer;
import java.util.function.Consumer;

/** The port to the API server. */
@FunctionalInterface
interface ApiSender {
  /**
   * Sends a request once. Its one answer is delivered later on the data centre's thread, never on
   * the caller's stack. A successful answer has the text of the response.
   */
  void send(ApiRequest request, Consumer<Answer<String>> answer);
}
