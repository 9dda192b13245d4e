package io.nodepool.plan.report;

import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.condition.AcceptedReason;
import io.nodepool.vocabulary.condition.AllocatedReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.MetadataSyncedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SufficientCapacityReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The four conditions of the oldest reference (seed 002), derived from the conditions of a plan and
 * from its snapshot. They report nothing that the newer ones do not, and no decision depends on
 * them (decisions D244 to D246).
 */
public record OldestConditions(InstanceCatalogue catalogue) {
  static final String SYNCED =
      "All Nodes of the NodePool that stay have the labels, annotations and taints of its spec.";
  static final String OUTDATED =
      "Not all Nodes of the NodePool have the labels, annotations and taints of its spec.";
  static final String NONE_JOINED = "No Node of the NodePool has joined the cluster yet.";
  static final String NOT_READ =
      "Machines of the NodePool cannot be read, and so not what their Nodes have.";

  /** The snapshot without these conditions, so that a plan does not repeat them. */
  public static PoolSnapshot without(PoolSnapshot seen) {
    Pool pool = seen.pool();
    Map<PoolCondition, Condition> current = new EnumMap<>(PoolCondition.class);
    current.putAll(pool.status().conditions());
    return current.keySet().removeIf(type -> !type.isCurrent())
        ? seen.withPool(pool.withStatus(pool.status().withConditions(current)))
        : seen;
  }

  /**
   * The plan with these conditions in its status.
   *
   * @param seen the snapshot with the published ones
   */
  public PoolPlan beside(PoolPlan plan, PoolSnapshot seen, Instant now) {
    PoolStatus published = seen.pool().status();
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    conditions.putAll(plan.status().conditions());
    for (Finding finding : findings(plan.status(), seen)) {
      conditions.put(finding.reason().condition(), finding.after(published, now));
    }
    // While a pool is being deleted, conditions that are not about its deletion stay as they were.
    if (seen.pool().isTerminating()) {
      published
          .conditions()
          .forEach((type, condition) -> {
            if (!type.isCurrent() && type != PoolCondition.ALLOCATED) {
              conditions.put(type, condition);
            }
          });
    }
    return plan.withStatus(plan.status().withConditions(conditions));
  }

  private List<Finding> findings(PoolStatus status, PoolSnapshot seen) {
    List<Finding> findings = new ArrayList<>();
    Optional<Finding> accepted = accepted(status, seen);
    accepted.ifPresent(findings::add);
    allocated(status, accepted).ifPresent(findings::add);
    findings.add(metadataSynced(seen));
    sufficientCapacity(status, seen).ifPresent(findings::add);
    return findings;
  }

  private Optional<Finding> accepted(PoolStatus status, PoolSnapshot seen) {
    return status.condition(PoolCondition.VALIDATED).orElse(null)
            instanceof Condition(ValidatedReason reason, String message, Instant _)
        ? Optional.of(
            new Finding(
                switch (reason) {
                  case VALID -> AcceptedReason.ACCEPTED;
                  case INVALID ->
                      isElsewhere(seen) ? AcceptedReason.POLICY_VIOLATION : AcceptedReason.INVALID;
                  case NODE_CONFIG_INTERNAL_ERROR, INTERNAL_ERROR -> AcceptedReason.INTERNAL_ERROR;
                },
                message))
        : Optional.empty();
  }

  /** Whether the instance type exists, and is not offered in the zone. */
  private boolean isElsewhere(PoolSnapshot seen) {
    String type = seen.pool().spec().instanceType();
    return seen.offer() instanceof PoolSnapshot.Offer.Known known
        && catalogue.find(type).isPresent()
        && !known.offer().instanceTypes().contains(type);
  }

  private static Optional<Finding> allocated(PoolStatus status, Optional<Finding> accepted) {
    if (!(status.condition(PoolCondition.AT_TARGET).orElse(null)
        instanceof Condition(AtTargetReason reason, String message, Instant _))) {
      return Optional.empty();
    }
    Optional<Finding> violation =
        accepted.filter(each -> each.reason() == AcceptedReason.POLICY_VIOLATION);
    if (reason == AtTargetReason.UNDER_TARGET && violation.isPresent()) {
      return Optional.of(new Finding(AllocatedReason.POLICY_VIOLATION, violation.get().message()));
    }
    return Optional.of(
        new Finding(
            switch (reason) {
              case TARGET_MET -> AllocatedReason.COMPLETE;
              case PENDING_DELETE -> AllocatedReason.PENDING_DELETE;
              case OVER_TARGET -> AllocatedReason.OVER_TARGET;
              case UNDER_TARGET -> AllocatedReason.UNDER_TARGET;
              case INTERNAL_ERROR -> AllocatedReason.INTERNAL_ERROR;
            },
            message));
  }

  /** Compares the records of applied metadata on Nodes; Nodes that leave do not count. */
  private static Finding metadataSynced(PoolSnapshot seen) {
    Pool pool = seen.pool();
    Members members = seen.members();
    boolean joined = members.byState().anyJoined();
    if (joined
        && (pool.keepsMetadata() || members.byState().anyWithout(pool.spec().node().permitted()))) {
      return new Finding(MetadataSyncedReason.PENDING, OUTDATED);
    }
    if (MissingHosts.of(seen).isPresent()
        || !seen.unread().isEmpty()
        || members.count(Members.Trait.UNREAD) > 0) {
      return new Finding(MetadataSyncedReason.UNKNOWN, NOT_READ);
    }
    return joined || pool.spec().target() == 0
        ? new Finding(MetadataSyncedReason.SYNCED, SYNCED)
        : new Finding(MetadataSyncedReason.PENDING, NONE_JOINED);
  }

  private static Optional<Finding> sufficientCapacity(PoolStatus status, PoolSnapshot seen) {
    return status.condition(PoolCondition.CAPACITY).orElse(null)
            instanceof Condition(CapacityReason reason, String message, Instant _)
        ? Optional.of(
            new Finding(
                switch (reason) {
                  case SUFFICIENT -> SufficientCapacityReason.SUFFICIENT;
                  case PARTIAL, PARTIAL_NODE_AFFINITY -> SufficientCapacityReason.PARTIAL;
                  case NONE_AVAILABLE, NONE_AVAILABLE_NODE_AFFINITY ->
                      SufficientCapacityReason.NONE_AVAILABLE;
                  case QUEUED_AWAITING_CAPACITY ->
                      isAnyFree(seen)
                          ? SufficientCapacityReason.PARTIAL
                          : SufficientCapacityReason.NONE_AVAILABLE;
                  case INTERNAL_ERROR, NOT_CHECKED -> SufficientCapacityReason.INTERNAL_ERROR;
                },
                message))
        : Optional.empty();
  }

  /** Whether the pool may take a free machine, even if other pools wait for it. */
  private static boolean isAnyFree(PoolSnapshot seen) {
    PoolSpec spec = seen.pool().spec();
    Affinity affinity = spec.affinity();
    return seen.free().now().of(spec.isSpot()).stream()
        .anyMatch(host -> affinity.admits(host.id(), host.machine()));
  }
}
