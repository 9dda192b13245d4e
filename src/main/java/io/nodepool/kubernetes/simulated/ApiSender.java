package io.nodepool.kubernetes.simulated;

import io.nodepool.fleet.Answer;
import java.util.function.Consumer;

/** The way to the API server. */
@FunctionalInterface
interface ApiSender {
  /**
   * Sends a request once; its one answer comes later, on the data centre's thread and never on the
   * caller's stack. A successful one yields the response's text.
   */
  void send(ApiRequest request, Consumer<Answer<String>> answer);
}
