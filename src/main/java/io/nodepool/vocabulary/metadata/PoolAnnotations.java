package io.nodepool.vocabulary.metadata;

/**
 * The annotations of a NodePool that the operator reads; all are its own, under {@code
 * nodepool.io}.
 */
public enum PoolAnnotations implements MetadataKey {
  NODE_AFFINITY(
      "nodepool.io/node-affinity",
      "Specific to this operator: which machines of the instance type the pool admits, as a label selector over fixed properties of a machine, such as rack, superpod or host name.",
      "node.coreweave.cloud/rack in (169,170)"),
  PAUSED(
      "nodepool.io/paused",
      "Specific to this operator: true holds the pool as it is: no Node begins to leave because the target fell, and none gets its turn in a rollout; those that are not drained yet are taken back. Growth, requests of clients, preemptions, the replacement of failed machines and the deletion of the pool go on. Another value than true and false counts as true, and the conditions say so.",
      "true"),
  RELEASE(
      "nodepool.io/release-failed-reboots",
      "Specific to this operator: ends the hold of this name, which status.failedReboots.heldSince has: further Nodes that did not come back from their reboots may leave. It ends no later hold.",
      "2026-01-01T00:00:00Z"),
  RELEASE_HELD(
      "nodepool.io/release",
      "Specific to this operator: an instant. What was set aside for alerts until then counts no more in the limits of repairs, so what these hold then is free, once. An instant in the future, or another value, releases nothing, and the status says so.",
      "2026-01-01T00:00:00Z"),
  RELEASE_SUSPECTS(
      "nodepool.io/release-suspects",
      "Specific to this operator: alerts that are not in doubt until an instant, ALERT/UNTIL, several separated by commas: machines are repaired for them within the limits, whatever was found. What cannot be read releases nothing, and the status says so.",
      "GPUFallenOffBus/2026-01-01T00:00:00Z"),
  REPAIR(
      "nodepool.io/repair",
      "Specific to this operator: observe shows what would be repaired, and repairs nothing; act, as without it, repairs machines as the alert catalogue says. Another value counts as observe, and the status says so.",
      PoolAnnotations.OBSERVE),
  VERIFICATION_JOB(
      "nodepool.io/verification-job",
      "Specific to this operator: the ConfigMap, in the operator's Namespace for such Jobs, whose key job.yaml is a Job. Each machine that was booted for its repair has to pass it, on its Node, before tenants get that.",
      "gpu-check"),
  REPAIR_MAX_UNAVAILABLE(
      "nodepool.io/repair-max-unavailable",
      "Specific to this operator: the limit of unavailable Nodes for repairs. While this many Nodes are unavailable, whatever the cause, no further Node is cordoned for a repair. A number, or a percentage of the pool; default: 20%, at least 2. For rack types it counts racks. With any other value the pool only observes alerts, and its status says so.",
      "10%"),
  REPAIR_MAX_AT_ONCE(
      "nodepool.io/repair-max-at-once",
      "Specific to this operator: the greatest number of Nodes that are repaired at the same time, including Nodes that are removed because they did not come back. A number, or a percentage of the pool; default: 5%, at least 1. One repair begins each minute, and all pools together have at most 10. With any other value the pool only observes alerts, and its status says so.",
      "3"),
  PRESERVE(
      "nodepool.io/preserve",
      "Specific to this operator: true keeps a Node for inspection that is taken out of service for an alert, once it is drained: its machine runs for up to 72 h, outside the size of the pool, which gets another one. One Node of a pool at a time. Removed, it ends that; so do the deletion of the pool and the fleet's notice to a spot pool. Another value keeps none.",
      "true"),
  PROMOTE(
      "nodepool.io/promote",
      "Specific to this operator, a command: true makes the pending configuration the active one, and is removed when it is accepted. false is no command and stays; another value is refused.",
      "true",
      Access.of(KeyWriter.OPERATOR, KeyWriter.CLIENT)),
  ROLLBACK(
      "nodepool.io/rollback",
      "Specific to this operator, a command: the configuration to go back to, by its profile; empty text for the one before the active one. Removed when it is accepted.",
      "ncore-2.12.0_6.8.0-60-generic_580.65.06_v1.34.4",
      Access.of(KeyWriter.OPERATOR, KeyWriter.CLIENT)),
  ROLLOUT(
      "nodepool.io/rollout",
      "Specific to this operator, a command: start begins or continues a rollout of the active configuration, stop pauses it. Removed when it is accepted.",
      PoolAnnotations.START,
      Access.of(KeyWriter.OPERATOR, KeyWriter.CLIENT)),
  ACCEPTED_COMMAND(
      "nodepool.io/accepted-command",
      "Specific to this operator, written by it: the last accepted command, as JSON, with its number, that of the last one that had been carried out then (after), and the UID of its NodePool; on another NodePool it is void. status.configuration.command is the number of the last one that was carried out.",
      "{\"number\":1,\"poolUid\":\"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\",\"promote\":true}",
      Access.of(KeyWriter.OPERATOR)),
  ROLLOUT_MAX_UNAVAILABLE(
      "nodepool.io/rollout-max-unavailable",
      "Specific to this operator: a rollout begins a Node only while fewer Nodes than this are unavailable, whatever the cause: a number, or a percentage of the pool. Without it, the larger one of 1 and 5%. For rack types it counts racks.",
      "10%"),
  ROLLOUT_CANARY(
      "nodepool.io/rollout-canary",
      "Specific to this operator: the number of Nodes that a rollout brings up to date first. Without it, none.",
      "2"),
  ROLLOUT_SOAK(
      "nodepool.io/rollout-soak",
      "Specific to this operator: how long the first Nodes must have been up to date before the others begin, such as 30m.",
      "30m"),
  ROLLOUT_EVICT(
      "nodepool.io/rollout-evict",
      "Specific to this operator: true lets the rollouts that are started from then on drain busy Nodes; without it they are begun once they are idle. Removed, or set to false, it releases the Nodes that are drained and not stopped yet.",
      "true");

  /**
   * The value of {@link #PROMOTE} that is a command, of {@link #PAUSED} that pauses, and of {@link
   * #PRESERVE} that keeps Nodes.
   */
  public static final String TRUE = "true";

  /**
   * The value of {@link #PROMOTE} that is no command, and of {@link #PAUSED} that does not pause.
   */
  public static final String FALSE = "false";

  /** The value of {@link #REPAIR} by which machines are repaired. */
  public static final String ACT = "act";

  /** The value of {@link #REPAIR} by which no machine is repaired. */
  public static final String OBSERVE = "observe";

  /** The value of {@link #ROLLOUT} that begins or continues a rollout. */
  public static final String START = "start";

  /** The value of {@link #ROLLOUT} that pauses a rollout. */
  public static final String STOP = "stop";

  private final Entry entry;

  PoolAnnotations(String key, String meaning, String sample) {
    this(key, meaning, sample, Access.of(KeyWriter.CLIENT));
  }

  PoolAnnotations(String key, String meaning, String sample, Access access) {
    this.entry = new Entry(key, meaning, sample, access);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
