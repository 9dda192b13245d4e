package io.nodepool.plan;

import io.nodepool.model.Condition;
import io.nodepool.model.Growth;
import io.nodepool.model.Member;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolStatus;
import io.nodepool.vocabulary.AtTargetReason;
import io.nodepool.vocabulary.CapacityReason;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.NodesRemovedReason;
import io.nodepool.vocabulary.PoolCondition;
import io.nodepool.vocabulary.PoolReason;
import io.nodepool.vocabulary.QuotaReason;
import io.nodepool.vocabulary.ValidatedReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What is said about a pool. Its events are the difference between the status that stands on the
 * object and the next one: they are told before that one is written, so a crash repeats them under
 * the same name and never loses them.
 */
final class Report {
  private static final int NAMED = 5;

  private Report() {}

  /** Conditions from findings; transition times follow those of the published ones. */
  static Map<PoolCondition, Condition> conditions(
      PoolStatus published, Instant now, Finding... findings) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    for (Finding finding : findings) {
      Condition next = finding.at(now);
      PoolCondition type = finding.reason().condition();
      conditions.put(type, published.condition(type).map(next::following).orElse(next));
    }
    return conditions;
  }

  /** The published conditions, with these findings in place of their own. */
  static Map<PoolCondition, Condition> keep(
      PoolStatus published, Instant now, Finding... findings) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    conditions.putAll(published.conditions());
    conditions.putAll(conditions(published, now, findings));
    return conditions;
  }

  /** The events that lie between the published status and {@code next}. */
  static List<Notice> notices(
      PoolSnapshot seen, PoolStatus next, Optional<EventReason> invalidCause) {
    Pool pool = seen.pool();
    Teller teller = new Teller(pool, pool.status(), next, new ArrayList<>());
    if (pool.status().conditions().isEmpty()) {
      teller.tell(
          EventReason.NODE_POOL_CREATED,
          "created",
          "NodePool %s is created.".formatted(pool.id().name()),
          1);
    }
    invalidCause.ifPresent(
        cause -> teller.onEntering(PoolCondition.VALIDATED, ValidatedReason.INVALID, cause));
    teller.onEntering(PoolCondition.QUOTA, QuotaReason.OVER, EventReason.OVER_QUOTA);
    teller.onEntering(
        PoolCondition.QUOTA, QuotaReason.NOT_SET, EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    teller.onEntering(
        PoolCondition.QUOTA, QuotaReason.INTERNAL_ERROR, EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    metadata(seen, teller);
    growth(seen, teller);
    removal(teller);
    return teller.told();
  }

  /**
   * Told before the status says so, and no Node is changed before that: so all that are to be
   * brought there are seen here. Named after what stands on the object, which a crash does not
   * change.
   */
  private static void metadata(PoolSnapshot seen, Teller teller) {
    PoolStatus before = teller.before();
    if (before.nodeMetadata().isEmpty()
        || before.nodeMetadata().equals(teller.next().nodeMetadata())) {
      return;
    }
    List<String> names = Metadata.outdated(seen.pool(), seen.members());
    if (!names.isEmpty()) {
      teller.tell(
          EventReason.NODE_POOL_METADATA,
          "after generation " + before.observedGeneration(),
          "Bringing the labels, annotations and taints of the spec to %s: %s."
              .formatted(Texts.count(names.size(), "Node"), Texts.list(names, NAMED)),
          names.size());
    }
  }

  private static void growth(PoolSnapshot seen, Teller teller) {
    PoolStatus before = teller.before();
    PoolStatus next = teller.next();
    teller.onLeavingSufficient();
    if (next.growth().isEmpty()) {
      return;
    }
    Growth growth = next.growth().get();
    teller.onGrant(growth, seen.pool().spec().instanceType());
    if (next.held() > before.held()) {
      teller.progress(
          EventReason.NODE_ASSIGNED,
          "assigned",
          seen.members(),
          member -> !member.host().assignment().orElseThrow().at().isBefore(growth.askedAt()));
    }
    if (next.currentNodes() > before.currentNodes()) {
      teller.progress(
          EventReason.NODE_REGISTERED,
          "registered",
          seen.members(),
          member -> member.isCurrent() && joinedSince(member, growth.askedAt()));
    }
    teller.onReachingTarget(growth);
  }

  /** Nodes tell their creation in whole seconds. */
  private static boolean joinedSince(Member member, Instant askedAt) {
    return member
        .node()
        .filter(node -> !node.createdAt().isBefore(askedAt.truncatedTo(ChronoUnit.SECONDS)))
        .isPresent();
  }

  private static void removal(Teller teller) {
    PoolStatus before = teller.before();
    PoolStatus next = teller.next();
    int gone = before.currentNodes() - next.currentNodes();
    if (teller.entered(PoolCondition.NODES_REMOVED, NodesRemovedReason.PENDING)
        && before.currentNodes() > 0) {
      teller.tell(
          EventReason.NODE_POOL_REMOVE_NODES,
          "deleted",
          "Removing %s: the NodePool is being deleted."
              .formatted(Texts.count(before.currentNodes(), "Node")),
          before.currentNodes());
    }
    if (gone > 0) {
      teller.tell(
          EventReason.NODE_DELETED,
          "from " + before.currentNodes(),
          "Deleted %s; %d left.".formatted(Texts.count(gone, "Node"), next.currentNodes()),
          gone);
    }
    if (teller.entered(PoolCondition.NODES_REMOVED, NodesRemovedReason.COMPLETE)) {
      teller.tell(EventReason.NODE_POOL_NODES_REMOVED, "deleted", "All Nodes are removed.", 1);
      teller.tell(
          EventReason.NODE_POOL_DELETED,
          "deleted",
          "NodePool %s is deleted.".formatted(teller.pool().id().name()),
          1);
    }
  }

  /** Collects the events of one status change. */
  private record Teller(Pool pool, PoolStatus before, PoolStatus next, List<Notice> told) {
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
     * A capacity that could not be read is not known to be insufficient; that of a pool that is
     * being deleted is not looked at any more.
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
          members.stream()
              .filter(reached)
              .map(member -> member.host().id().name())
              .sorted()
              .toList();
      if (!names.isEmpty()) {
        tell(
            event,
            growth.askedAt().toString(),
            "%s %s: %s."
                .formatted(Texts.count(names.size(), "Node"), verb, Texts.list(names, NAMED)),
            names.size());
      }
    }

    void onReachingTarget(Growth growth) {
      if (!entered(PoolCondition.AT_TARGET, AtTargetReason.TARGET_MET)
          || before.condition(PoolCondition.AT_TARGET).isEmpty()) {
        return;
      }
      int last = before.growth().map(Growth::target).orElse(0);
      boolean down =
          growth.target() < last
              || (growth.target() == last
                  && is(before, PoolCondition.AT_TARGET, AtTargetReason.OVER_TARGET));
      tell(
          down ? EventReason.NODE_POOL_SCALED_DOWN : EventReason.NODE_POOL_SCALED_UP,
          growth.askedAt() + "/" + growth.target(),
          "NodePool %s has reached its target of %s."
              .formatted(pool.id().name(), Texts.count(growth.target(), "Node")),
          1);
    }
  }
}
