package io.nodepool.model.repair;

import io.nodepool.fleet.BootRequest;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The Job of a pool's user that a repaired machine has to pass before its Node is back in
 * production (decision D314).
 *
 * @param name determined by the attempt, so that no attempt gets two Jobs
 * @param message why it is in that state; empty text for none
 */
public record VerificationJob(String name, State state, String message) {
  /** The state of the Job. */
  public enum State {
    /** It has not ended. */
    RUNNING,
    /** It is complete. */
    SUCCEEDED,
    /** It failed. */
    FAILED,
    /** It does not exist: a client deleted it. */
    GONE,
    /** It cannot be created from its ConfigMap. */
    UNUSABLE
  }

  private static final String PREFIX = "nodepool-verify-";

  /** The name of the Job of an attempt. */
  public static String nameOf(BootRequest request) {
    String attempt = request.operation() + "/" + request.attempt();
    return PREFIX + UUID.nameUUIDFromBytes(attempt.getBytes(StandardCharsets.UTF_8));
  }
}
