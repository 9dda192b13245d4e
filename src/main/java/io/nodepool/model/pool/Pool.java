package io.nodepool.model.pool;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.NodeTemplateRules;
import io.nodepool.fleet.PoolId;
import java.time.Instant;
import java.util.Optional;

/**
 * A NodePool as last seen.
 *
 * @param version grows with every change of the object
 * @param guarded whether our finalizer is on the object, so that it cannot go before its Nodes
 * @param status what was last published on it
 */
public record Pool(
    PoolId id,
    long version,
    long generation,
    Instant createdAt,
    Optional<Instant> deletionRequestedAt,
    boolean guarded,
    PoolSpec spec,
    PoolStatus status) {
  /** Whether its deletion was asked for. */
  public boolean isTerminating() {
    return deletionRequestedAt.isPresent();
  }

  /**
   * What its Nodes are to carry of its spec; empty while it is leaving, while its status does not
   * speak of the spec's metadata yet, and where that cannot be given to Nodes.
   */
  public Optional<NodeTemplate> followed() {
    return !isTerminating()
            && !keepsMetadata()
            && status.nodeMetadata().equals(spec.node().fingerprint())
        ? Optional.of(spec.node().permitted())
        : Optional.empty();
  }

  /**
   * Whether its Nodes keep what they were given of an earlier spec, since the metadata of the
   * present one cannot be given to Nodes.
   */
  public boolean keepsMetadata() {
    return !isTerminating() && !NodeTemplateRules.problems(spec.node()).isEmpty();
  }

  /** This pool under another version. */
  public Pool withVersion(long next) {
    return new Pool(id, next, generation, createdAt, deletionRequestedAt, guarded, spec, status);
  }

  /** This pool with another spec, in its next generation. */
  public Pool withSpec(PoolSpec next) {
    return new Pool(
        id, version, generation + 1, createdAt, deletionRequestedAt, guarded, next, status);
  }

  /** This pool once its deletion was asked for, which is a generation of its own. */
  public Pool withDeletionRequested(Instant at) {
    return new Pool(id, version, generation + 1, createdAt, Optional.of(at), guarded, spec, status);
  }

  /** This pool with our finalizer or without it. */
  public Pool withGuard(boolean next) {
    return new Pool(id, version, generation, createdAt, deletionRequestedAt, next, spec, status);
  }

  /** This pool with another status. */
  public Pool withStatus(PoolStatus next) {
    return new Pool(id, version, generation, createdAt, deletionRequestedAt, guarded, spec, next);
  }
}
