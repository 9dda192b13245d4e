package io.nodepool.cli.command;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The error of a failed API request, in one line. */
public final class ApiRefusal {
  private ApiRefusal() {}

  /** The reason why a request was rejected, or why the API server cannot be reached. */
  public static String inWords(KubernetesClientException refusal) {
    if (refusal.getStatus() == null) {
      return "the API server cannot be reached: " + rootMessage(refusal);
    }
    return switch (refusal.getCode()) {
      case 401 -> "the API server rejects the credentials: " + detail(refusal);
      case 403 -> "access denied: " + detail(refusal);
      default -> detail(refusal);
    };
  }

  private static String detail(KubernetesClientException refusal) {
    return oneLine(
        Optional.ofNullable(refusal.getStatus().getMessage())
            .orElse(String.valueOf(refusal.getMessage())));
  }

  /** The message of the innermost cause that has one. */
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
