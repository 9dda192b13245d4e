package io.nodepool.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an API server says when it does not do what it is asked, in one line. */
public final class ApiRefusal {
  private ApiRefusal() {}

  /** The reason of a refusal, or of the failure to reach the API server. */
  public static String inWords(KubernetesClientException refusal) {
    if (refusal.getStatus() == null) {
      return "the API server cannot be reached: " + rootMessage(refusal);
    }
    return switch (refusal.getCode()) {
      case 401 -> "the API server does not know who is asking: " + said(refusal);
      case 403 -> "no access: " + said(refusal);
      default -> said(refusal);
    };
  }

  private static String said(KubernetesClientException refusal) {
    return oneLine(
        Optional.ofNullable(refusal.getStatus().getMessage())
            .orElse(String.valueOf(refusal.getMessage())));
  }

  /** The message of the innermost failure that has one. */
  public static String rootMessage(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return "connection refused";
      }
      if (cause.getMessage() != null && !cause.getMessage().isBlank()) {
        message = cause.getMessage();
      }
    }
    return oneLine(message);
  }

  private static String oneLine(String text) {
    return String.join(" ", text.strip().split("\\s*\\R\\s*"));
  }
}
