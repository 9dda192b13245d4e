package io.nodepool.plan.node;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether the API server carries out what the pool's spec defines for its Nodes. If it
 * denies that, or a webhook keeps it from answering, neither the machines nor their configuration
 * are at fault: no machine is returned to the fleet, and none is taken until the response or the
 * spec changes.
 */
public final class NodeAdmission {
  private static final int NAMED = 3;

  private static final String MESSAGE_START =
      "The API server does not carry out what the pool asks for on ";

  /**
   * How long a denial published by an earlier operator process stays valid: long enough for this
   * process to receive the response itself.
   */
  private static final Duration PUBLISHED_VALID = Duration.ofMinutes(1);

  private NodeAdmission() {}

  /** The message that reports the denial; empty while everything is allowed. */
  public static Optional<String> of(PoolSnapshot seen, Instant now) {
    List<Member> refused = seen.members().having(Members.Trait.REFUSED).toList();
    return published(seen, now)
        .or(() -> refused.isEmpty() ? Optional.empty() : Optional.of(text(refused)));
  }

  private static String text(List<Member> refused) {
    List<String> names =
        refused.stream().map(member -> member.host().id().name()).sorted().toList();
    return (MESSAGE_START
            + "%s: %s. No further machine is taken and none is given back for it until that changes; it is tried again. %s")
        .formatted(
            Messages.count(names.size(), "Node"),
            Messages.list(names, NAMED),
            refused.getFirst().findings().refusal().orElseThrow());
  }

  /** The published denial, which stays valid after a restart until all responses are known. */
  private static Optional<String> published(PoolSnapshot seen, Instant now) {
    return seen.pool()
        .status()
        .condition(PoolCondition.AT_TARGET)
        .filter(condition -> condition.reason() == AtTargetReason.INTERNAL_ERROR)
        .filter(_ -> seen.pool().status().observedGeneration() == seen.pool().generation())
        .map(Condition::message)
        .filter(message -> message.startsWith(MESSAGE_START))
        .filter(_ -> isAnswerAwaited(seen.members(), now));
  }

  private static boolean isAnswerAwaited(Members members, Instant now) {
    return members
        .waitingSince(Member.Awaited.REGISTRATION, now.minus(PUBLISHED_VALID))
        .filter(member -> member.findings().refusal().isEmpty())
        .flatMap(member -> member.waiting().stream())
        .anyMatch(waiting -> waiting.watched(now).compareTo(PUBLISHED_VALID) < 0);
  }
}
