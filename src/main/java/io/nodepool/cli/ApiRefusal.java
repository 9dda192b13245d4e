package io.nodepool.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an API server says when it does not do what it is asked, in one line. */
final class ApiRefusal {
  private ApiRefusal() {}

  /** The reason of a refusal, or of the failure to reach the API server. */
  static String inWords(KubernetesClientException refusal) {
    return switch (refusal.getCode()) {
      case 0 -> "the API server cannot be reached: " + rootMessage(refusal);
      case 401 -> "the API server does not know who is asking: " + said(refusal);
      case 403 -> "no access: " + said(refusal);
      default -> said(refusal);
    };
  }

  private static String said(KubernetesClientException refusal) {
    return oneLine(
        Optional.ofNullable(refusal.getStatus())
            .flatMap(status -> Optional.ofNullable(status.getMessage()))
            .orElse(String.valueOf(refusal.getMessage())));
  }

  private static String rootMessage(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException && cause.getMessage() != null) {
        message = cause.getMessage();
      }
    }
    return oneLine(message);
  }

  private static String oneLine(String text) {
    return String.join(" ", text.strip().split("\\s*\\R\\s*"));
  }
}
