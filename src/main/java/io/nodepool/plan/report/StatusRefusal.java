package io.nodepool.plan.report;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot.RefusedStatus;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A status that the API server refuses because of its content. The next status omits the longest
 * message of a condition, and after each further refusal the next longest, so that counts and
 * growth are published whatever a text contains (decision D184).
 */
public final class StatusRefusal {
  private static final String LEFT_OUT =
      "The API server refuses the message that belongs here; the Event CWNodePoolStatusRefused says why.";

  /** How long messages are left out before they are tried once more. */
  private static final Duration TRIED_AGAIN_AFTER = Duration.ofMinutes(10);

  private StatusRefusal() {}

  /** The refusal after this status was refused, now. */
  public static RefusedStatus of(
      PoolStatus refused, Optional<RefusedStatus> last, String why, Instant now) {
    Set<String> texts = new TreeSet<>();
    last.filter(before -> now.isBefore(before.until()))
        .ifPresent(before -> texts.addAll(before.texts()));
    refused.conditions().values().stream()
        .filter(condition -> condition.reason().condition().isCurrent())
        .filter(condition -> !condition.reason().message().equals(Optional.of(condition.message())))
        .map(Condition::message)
        .filter(message -> !message.equals(LEFT_OUT))
        .max(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
        .ifPresent(texts::add);
    return new RefusedStatus(why, texts, now.plus(TRIED_AGAIN_AFTER));
  }

  /** The refusal that counts now; empty if there is none, or everything is tried once more. */
  private static Optional<RefusedStatus> of(PoolSnapshot seen, Instant now) {
    return seen.refusals().status().filter(refusal -> now.isBefore(refusal.until()));
  }

  /** The condition without its message, if that is left out. */
  static Condition publishable(PoolSnapshot seen, Condition condition, Instant now) {
    return of(seen, now)
            .filter(refusal -> refusal.texts().contains(condition.message()))
            .isPresent()
        ? new Condition(condition.reason(), LEFT_OUT, condition.since())
        : condition;
  }

  /** When messages that are left out are tried once more. */
  public static Optional<Instant> wakeup(PoolSnapshot seen, Instant now) {
    return of(seen, now).map(RefusedStatus::until);
  }

  /** Emits the refusal with the first status that is published after it. */
  static void emit(EventRecorder recorder, PoolSnapshot seen, Instant now) {
    String left = leftOut(recorder.next());
    boolean known = !left.isEmpty() && left.equals(leftOut(recorder.before()));
    of(seen, now)
        .filter(_ -> !known)
        .ifPresent(refusal ->
            recorder.emit(
                EventReason.NODE_POOL_STATUS_REFUSED,
                String.join("\n", refusal.texts()),
                "The API server refuses the status of the NodePool%s: %s"
                    .formatted(
                        left.isEmpty() ? "" : "; it is published without the message of " + left,
                        refusal.why())));
  }

  private static String leftOut(PoolStatus status) {
    return status.conditions().entrySet().stream()
        .filter(entry -> entry.getValue().message().equals(LEFT_OUT))
        .map(entry -> entry.getKey().type())
        .collect(Collectors.joining(", "));
  }
}
