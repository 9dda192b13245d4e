package io.nodepool.plan;

import io.nodepool.model.Condition;
import io.nodepool.model.Growth;
import io.nodepool.model.Member;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolStatus;
import io.nodepool.vocabulary.AtTargetReason;
import io.nodepool.vocabulary.CapacityReason;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.PoolCondition;
import io.nodepool.vocabulary.PoolReason;
import java.util.List;
import java.util.function.Predicate;

/** Collects the events of one status change. */
record Teller(Pool pool, PoolStatus before, PoolStatus next, List<Notice> told) {
  private static final int NAMED = 5;

  void tell(EventReason reason, String occasion, String message, int count) {
    told.add(
        new Notice(
            reason,
            new Notice.Regarding(Notice.Kind.NODE_POOL, pool.id().name(), pool.id().uid()),
            occasion,
            message,
            count));
  }

  boolean entered(PoolCondition type, PoolReason reason) {
    return is(next, type, reason) && !is(before, type, reason);
  }

  private static boolean is(PoolStatus status, PoolCondition type, PoolReason reason) {
    return status.condition(type).map(Condition::reason).filter(reason::equals).isPresent();
  }

  void onEntering(PoolCondition type, PoolReason reason, EventReason event) {
    if (entered(type, reason)) {
      Condition condition = next.condition(type).orElseThrow();
      tell(event, occasion(type), condition.message(), 1);
    }
  }

  /**
   * One occurrence is told apart from the next by what the condition said before it, and since
   * when.
   */
  private String occasion(PoolCondition type) {
    return before
        .condition(type)
        .map(condition -> condition.reason().word() + " since " + condition.since())
        .orElse("first");
  }

  /**
   * A capacity that could not be read is not known to be insufficient; that of a pool that is being
   * deleted is not looked at any more.
   */
  void onLeavingSufficient() {
    boolean wasSufficient =
        before
            .condition(PoolCondition.CAPACITY)
            .map(condition -> condition.reason() == CapacityReason.SUFFICIENT)
            .orElse(true);
    next.condition(PoolCondition.CAPACITY)
        .filter(condition -> wasSufficient)
        .filter(condition -> condition.reason() != CapacityReason.SUFFICIENT)
        .filter(condition -> condition.reason() != CapacityReason.INTERNAL_ERROR)
        .ifPresent(condition ->
            tell(
                EventReason.INSUFFICIENT_CAPACITY,
                occasion(PoolCondition.CAPACITY),
                condition.message(),
                1));
  }

  /**
   * Told after what stands on the object, not after the new request, whose instant a crash would
   * change.
   */
  void onGrant(Growth growth, String instanceType) {
    int grantedBefore = before.growth().map(Growth::granted).orElse(0);
    int increment = growth.granted() - grantedBefore;
    if (increment > 0) {
      String last = before.growth().map(asked -> asked.askedAt().toString()).orElse("first");
      tell(
          EventReason.NODE_REQUEST_QUEUED,
          "after " + last + "/" + grantedBefore,
          "Requested %s of type %s, to reach %d."
              .formatted(Texts.count(increment, "Node"), instanceType, growth.granted()),
          increment);
    }
  }

  /**
   * One event for all of a request's progress; its count and names are brought up to date as it
   * goes on.
   */
  void progress(EventReason event, String verb, List<Member> members, Predicate<Member> reached) {
    Growth growth = next.growth().orElseThrow();
    List<String> names =
        members.stream().filter(reached).map(member -> member.host().id().name()).sorted().toList();
    if (!names.isEmpty()) {
      tell(
          event,
          growth.askedAt().toString(),
          "%s %s: %s.".formatted(Texts.count(names.size(), "Node"), verb, Texts.list(names, NAMED)),
          names.size());
    }
  }

  /**
   * Told after what stands on the object: a request may be new and met at once. A target that was
   * left and another one that was reached between two statuses were both met; it is told all the
   * same.
   */
  void onReachingTarget(Growth growth) {
    int last = before.growth().map(Growth::target).orElse(0);
    boolean another = growth.target() != last;
    if (before.condition(PoolCondition.AT_TARGET).isEmpty()
        || !is(next, PoolCondition.AT_TARGET, AtTargetReason.TARGET_MET)
        || !(another || entered(PoolCondition.AT_TARGET, AtTargetReason.TARGET_MET))) {
      return;
    }
    boolean down =
        growth.target() < last
            || (growth.target() == last
                && is(before, PoolCondition.AT_TARGET, AtTargetReason.OVER_TARGET));
    tell(
        down ? EventReason.NODE_POOL_SCALED_DOWN : EventReason.NODE_POOL_SCALED_UP,
        occasion(PoolCondition.AT_TARGET) + "/" + growth.target(),
        "NodePool %s has reached its target of %s."
            .formatted(pool.id().name(), Texts.count(growth.target(), "Node")),
        1);
  }
}
