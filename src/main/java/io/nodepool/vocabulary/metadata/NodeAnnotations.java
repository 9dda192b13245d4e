package io.nodepool.vocabulary.metadata;

import io.nodepool.vocabulary.NotActedOn;

/**
 * The annotations of a Node that have a meaning: CoreWeave's (the contract §10) and our own, under
 * {@code nodepool.io}.
 */
public enum NodeAnnotations implements MetadataKey {
  @NotActedOn
  CORDON_REASON(
      "node.coreweave.cloud/cordonReason",
      "Why automation cordoned the Node: tokens joined by commas.",
      "KernelDeadlock,NLCCPendingExitProduction"),
  TENANCY(
      "fleet.nodepool.io/tenancy",
      "Ours: which tenancy of its Host this Node belongs to, a decimal integer. A Node of an earlier tenancy is a leftover.",
      "3"),
  HOST_UID(
      "fleet.nodepool.io/host-uid",
      "Ours: UID of the Host that this Node is the projection of.",
      "5f0c7c1e-4d1b-4a86-8c55-0d7b3f8f1f0a"),
  APPLIED_METADATA(
      "nodepool.io/applied-metadata",
      "Ours: what the operator applied to the Node from spec.nodeLabels, spec.nodeAnnotations and spec.nodeTaints, as JSON, so that a key taken out of the spec goes and a foreign one stays.",
      "{\"labels\":{\"team\":\"a\"}}"),
  REMOVAL(
      "nodepool.io/removal",
      "Ours: where the Node stands on its way out of its pool, as JSON: stage (Requested, Marked, Draining), cause, instant, and the deadline of the drain.",
      "{\"stage\":\"Marked\",\"cause\":\"Idle\",\"at\":\"2026-01-01T00:00:00Z\",\"cordon\":true}");

  private final Entry entry;

  NodeAnnotations(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
