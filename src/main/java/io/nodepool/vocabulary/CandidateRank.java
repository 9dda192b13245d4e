package io.nodepool.vocabulary;

/**
 * The rank of a Node among those that may leave a pool with too many Nodes. The order of the
 * constants is the order of choice (contract §7, decisions D19 and D71).
 */
public enum CandidateRank implements Word {
  NOT_REGISTERED(
      "NotRegistered", "it has not registered yet", "The Node has not registered in its pool yet."),
  CLIENT_REQUEST(
      "ClientRequest",
      "a client asked for it",
      "A client put the label compute.coreweave.com/remove-node=true on the Node."),
  AUTOSCALER(
      "Autoscaler",
      "the Cluster Autoscaler asked for it",
      "The Cluster Autoscaler put the taint ToBeDeletedByClusterAutoscaler on the Node."),
  UNHEALTHY("Unhealthy", "it is not Ready", "The Node is not Ready, or its machine failed."),
  OUT_OF_SERVICE(
      "OutOfService",
      "it is idle and out of service for a reboot",
      "The Node is idle, and its reboot is pending or under way, so that removing it saves the reboot (decision D71)."),
  CORDONED(
      "Cordoned",
      "it is idle and somebody cordoned it",
      "The Node is idle, and another client cordoned it, as kubectl drain does."),
  AUTOSCALER_CANDIDATE(
      "AutoscalerCandidate",
      "it is idle and a candidate of the Cluster Autoscaler",
      "The Node is idle and carries the taint DeletionCandidateOfClusterAutoscaler."),
  IDLE("Idle", "it is idle", "The Node has no tenant work."),
  INTERRUPTIBLE(
      "Interruptible",
      "it has interruptible Pods only",
      "The Node has no tenant work other than Pods that may be interrupted."),
  ACTIVE(
      "Active",
      "the pool prefers idle Nodes and has no more",
      "The Node has tenant work; only with the strategy PreferIdle, those with fewest Pods first.");

  private final String word;
  private final String text;
  private final String meaning;

  CandidateRank(String word, String text, String meaning) {
    this.word = word;
    this.text = text;
    this.meaning = meaning;
  }

  /** The rank as written in a Node's record. */
  @Override
  public String word() {
    return word;
  }

  /** The rank in a sentence: {@code "Node g1 is chosen: " + text()}. */
  public String text() {
    return text;
  }

  /** The state of a Node with this rank. */
  public String meaning() {
    return meaning;
  }

  /**
   * Whether a client requested the removal of this Node; the pool does not choose another Node in
   * its place.
   */
  public boolean isRequest() {
    return this == CLIENT_REQUEST || this == AUTOSCALER;
  }

  /**
   * Whether it is a fault, which can come and go. A Node that was chosen for one keeps its rank
   * when the fault passes (decision D232).
   */
  public boolean isFault() {
    return this == NOT_REGISTERED || this == UNHEALTHY;
  }
}
