package io.nodepool.model.pool;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.NodeTemplateRules;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * A NodePool as last observed.
 *
 * @param version grows with every change of the object
 * @param guarded whether the operator's finalizer is on the object, so that the object exists until
 *     its Nodes are removed
 * @param status its last published status
 */
@RecordBuilder
public record Pool(
    PoolId id,
    long version,
    long generation,
    Instant createdAt,
    Optional<Instant> deletionRequestedAt,
    boolean guarded,
    PoolSpec spec,
    PoolStatus status)
    implements PoolCopy.With {
  public Pool {
    status = status.on(id.uid(), spec.configuration().commands());
  }

  /** Whether its deletion was requested. */
  public boolean isTerminating() {
    return deletionRequestedAt.isPresent();
  }

  /** The published state of the repairs of its machines. */
  public RepairState repairs() {
    return status.repairs();
  }

  /**
   * The metadata of its spec to apply to its Nodes; empty while the pool is being deleted, while
   * the spec's metadata is not published yet, and if Nodes cannot have that metadata.
   */
  public Optional<NodeTemplate> followed() {
    return !isTerminating()
            && !keepsMetadata()
            && status.nodeMetadata().equals(spec.node().fingerprint())
        ? Optional.of(spec.node().permitted())
        : Optional.empty();
  }

  /** This pool, whose spec may contain only these reserved keys. */
  public Pool allowing(KeyExceptions exceptions) {
    NodeTemplate node = spec.node().allowing(exceptions);
    return node.equals(spec.node()) ? this : withAnnotated(spec.withNode(node));
  }

  /**
   * Whether its Nodes keep the metadata of an earlier spec, because Nodes cannot have the present
   * spec's metadata.
   */
  public boolean keepsMetadata() {
    return !isTerminating() && !NodeTemplateRules.problems(spec.node()).isEmpty();
  }

  /** This pool with another spec, in its next generation. */
  @Override
  public Pool withSpec(PoolSpec next) {
    return new Pool(
        id, version, generation + 1, createdAt, deletionRequestedAt, guarded, next, status);
  }

  /** This pool with another part of its spec that annotations hold, in the same generation. */
  public Pool withAnnotated(PoolSpec next) {
    return new Pool(id, version, generation, createdAt, deletionRequestedAt, guarded, next, status);
  }

  /** This pool after its deletion was requested, which increments the generation. */
  public Pool withDeletionRequested(Instant at) {
    return new Pool(id, version, generation + 1, createdAt, Optional.of(at), guarded, spec, status);
  }
}
