package io.nodepool.vocabulary.metadata;

import java.util.Set;

/**
 * The annotations of a Node that are defined: CoreWeave's (contract §10) and the operator's own,
 * under {@code nodepool.io}.
 */
public enum NodeAnnotations implements MetadataKey {
  CORDON_REASON(
      "node.coreweave.cloud/cordonReason",
      "Why automation cordoned the Node: tokens joined by commas. This operator writes the causes of the disruption with its own cordon, and removes them with it.",
      "KernelDeadlock,NLCCPendingExitProduction",
      Access.deciding(KeyWriter.OPERATOR)),
  TENANCY(
      "fleet.nodepool.io/tenancy",
      "Specific to this operator: the tenancy of its Host that this Node belongs to, a decimal integer. A Node of an earlier tenancy is removed.",
      "3",
      Access.of(KeyWriter.FLEET)),
  HOST_UID(
      "fleet.nodepool.io/host-uid",
      "Specific to this operator: UID of the Host that joined as this Node.",
      "5f0c7c1e-4d1b-4a86-8c55-0d7b3f8f1f0a",
      Access.of(KeyWriter.FLEET)),
  APPLIED_METADATA(
      "nodepool.io/applied-metadata",
      "Specific to this operator: what was applied to the Node from spec.nodeLabels, spec.nodeAnnotations and spec.nodeTaints, as JSON, so that a key removed from the spec is removed from the Node and a foreign key stays.",
      "{\"labels\":{\"team\":\"a\"}}",
      Access.of(KeyWriter.OPERATOR)),
  REBOOT_POLICY(
      "nodepool.io/reboot-policy",
      "Specific to this operator, beside the label node.coreweave.cloud/pending-state: Immediate interrupts the Node's work; WhenIdle, as without it, waits for the end of that work. Immediate belongs to one request: one beside which it is set, or that comes within 2 minutes. Removed when that is committed or ends, and after 2 minutes without one.",
      NodeAnnotations.IMMEDIATE,
      Access.deciding(KeyWriter.OPERATOR, KeyWriter.CLIENT)),
  REBOOT_FAILED(
      "nodepool.io/reboot-failed",
      "Specific to this operator: the reboot from which the Node's machine did not come back, as number and start of the disruption. The Node stays cordoned until it may leave its pool, or its machine comes back.",
      "3/2026-01-01T00:00:00Z",
      Access.deciding(KeyWriter.OPERATOR)),
  REPAIR(
      "nodepool.io/repair",
      "Specific to this operator: off keeps the Node's machine from being repaired, whatever alerts stand about it. What is carried out already goes on.",
      NodeAnnotations.OFF,
      Access.deciding(KeyWriter.CLIENT)),
  REMOVAL(
      "nodepool.io/removal",
      "Specific to this operator: the stage of the Node's disruption, as JSON: version, number, stage (Requested, Admitted, PassedOver, Committed), causes, owner of the cordon, and the deadlines of the drain.",
      "{\"v\":1,\"seq\":1,\"stage\":\"Admitted\",\"causes\":[{\"cause\":\"ScaleDown\",\"ref\":\"Idle\",\"at\":\"2026-01-01T00:00:00Z\"}],\"cordon\":\"Ours\"}",
      Access.deciding(KeyWriter.OPERATOR));

  /** The value of {@link #REBOOT_POLICY} by which a reboot interrupts the Node's work. */
  public static final String IMMEDIATE = "Immediate";

  /** The value of {@link #REPAIR} by which the Node's machine is not repaired. */
  public static final String OFF = "off";

  /** The keys of the annotations that decisions depend on. */
  public static final Set<String> OF_DECISIONS = MetadataKey.ofDecisions(values());

  private final Entry entry;

  NodeAnnotations(String key, String meaning, String sample, Access access) {
    this.entry = new Entry(key, meaning, sample, access);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
