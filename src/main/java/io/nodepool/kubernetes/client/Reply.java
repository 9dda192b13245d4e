package io.nodepool.kubernetes.client;

import io.nodepool.fleet.Answer;
import io.nodepool.vocabulary.UserText;

/** The outcome of one request to the API server. */
public sealed interface Reply {
  /** The server carried out the request; {@code body} is its answer as JSON. */
  record Ok(String body) implements Reply {}

  /** The server answered with an error. */
  record Rejected(int code, String message) implements Reply {
    /**
     * Whether the request failed only because the object is another one, or is in another state,
     * than the request states: a test of a JSON patch failed, or another object has the name.
     */
    boolean isFailedPrecondition() {
      return code == UNPROCESSABLE
          && (message.startsWith(PATCH_FAILED) || message.contains(ANOTHER_UID));
    }
  }

  /** The request was never sent. */
  record NotSent(String why) implements Reply {}

  /** The request was sent, and no answer came. */
  record Lost(String why) implements Reply {}

  /** Whether the server refused the request because of the state of an object. */
  default boolean isConflict() {
    return this instanceof Rejected rejected
        && (rejected.code() == CONFLICT || rejected.code() == UNPROCESSABLE);
  }

  /** Whether the server answered that an object with the name exists. */
  default boolean isTaken() {
    return this instanceof Rejected rejected && rejected.code() == CONFLICT;
  }

  /** Whether the server answered that the object does not exist. */
  default boolean isNotFound() {
    return this instanceof Rejected rejected && rejected.code() == NOT_FOUND;
  }

  /** The server's message about a JSON patch that it could not apply. */
  String PATCH_FAILED = "the server rejected our request due to an error in our request";

  /** HTTP: the client is not authenticated, as while credentials are renewed. */
  int UNAUTHORIZED = 401;

  /** HTTP: the client may not do this. */
  int FORBIDDEN = 403;

  /** The server's message about a patch with another UID than the object's. */
  String ANOTHER_UID = "metadata.uid: Invalid value";

  /** HTTP: the object does not exist. */
  int NOT_FOUND = 404;

  /** HTTP: another UID or version than expected, or the name is taken. */
  int CONFLICT = 409;

  /** HTTP: the version from which a watch or a page must continue is no longer stored. */
  int GONE = 410;

  /** HTTP: the request is longer than the server reads. */
  int TOO_LARGE = 413;

  /** HTTP: a JSON patch's test or a validation rule failed. */
  int UNPROCESSABLE = 422;

  /** HTTP: too many requests. */
  int TOO_MANY = 429;

  /** HTTP: the server failed, or does not support the request. */
  int INTERNAL_ERROR = 500;

  /** HTTP: the server is unavailable and did not process the request. */
  int UNAVAILABLE = 503;

  /**
   * The answer for the sender of a write that did not succeed.
   *
   * @throws IllegalStateException if the write succeeded
   */
  default <T> Answer<T> failure() {
    return switch (this) {
      case Ok _ -> throw new IllegalStateException("not a failure");
      case Rejected rejected -> answer(rejected);
      case NotSent(String why) -> new Answer.Unavailable<>(why);
      case Lost(String why) -> new Answer.Unknown<>(why);
    };
  }

  /**
   * The answer for the sender of a read of an object that did not succeed. A read changes nothing,
   * so it can be repeated after any failure, unless the object does not exist.
   */
  default <T> Answer<T> unread(String object) {
    return isNotFound()
        ? new Answer.Missing<>()
        : new Answer.Unavailable<>("the %s could not be read: %s".formatted(object, why()));
  }

  /** Why the request did not succeed, for people. */
  default String why() {
    return switch (this) {
      case Ok _ -> "it was carried out";
      case Rejected(int code, String message) ->
          "HTTP %d: %s".formatted(code, UserText.explanation(message));
      case NotSent(String why) -> why;
      case Lost(String why) -> why;
    };
  }

  private static <T> Answer<T> answer(Rejected rejected) {
    String why = rejected.why();
    return switch (rejected.code()) {
      case NOT_FOUND -> new Answer.Missing<>();
      case CONFLICT -> new Answer.Refused<>(why);
      case UNPROCESSABLE ->
          rejected.isFailedPrecondition()
              ? new Answer.Refused<>(why)
              : new Answer.Denied<>(why, true);
      case UNAUTHORIZED, TOO_MANY, UNAVAILABLE -> new Answer.Unavailable<>(why);
      case TOO_LARGE -> new Answer.Denied<>(why, true);
      // A server sends any other 4xx before it stores anything; after a 5xx, the effect is unknown.
      default -> rejected.code() < 500 ? new Answer.Denied<>(why) : new Answer.Unknown<>(why);
    };
  }
}
