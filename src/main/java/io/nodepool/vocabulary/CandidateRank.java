package io.nodepool.vocabulary;

/**
 * The rank of a Node among the Nodes that may leave a pool that has too many. The order of the
 * constants is the order of choice (contract §7, decisions D19 and D71).
 */
public enum CandidateRank implements DefinedWord {
  NOT_REGISTERED("it has not registered yet", "The Node has not registered in its pool yet."),
  CLIENT_REQUEST(
      "a client asked for it",
      "A client put the label compute.coreweave.com/remove-node=true on the Node."),
  AUTOSCALER(
      "the Cluster Autoscaler asked for it",
      "The Cluster Autoscaler put the taint ToBeDeletedByClusterAutoscaler on the Node."),
  UNHEALTHY("it is not Ready", "The Node is not Ready, or its machine failed."),
  OUT_OF_SERVICE(
      "it is idle with a reboot pending or under way",
      "The Node is idle, and its reboot is pending or under way, so that removing it saves the reboot (decision D71)."),
  CORDONED(
      "it is idle and somebody cordoned it",
      "The Node is idle, and another client cordoned it, as kubectl drain does."),
  AUTOSCALER_CANDIDATE(
      "it is idle and a candidate of the Cluster Autoscaler",
      "The Node is idle and carries the taint DeletionCandidateOfClusterAutoscaler."),
  IDLE("it is idle", "The Node has no tenant work."),
  INTERRUPTIBLE(
      "it has interruptible Pods only",
      "The Node has no tenant work other than Pods that may be interrupted."),
  ACTIVE(
      "the pool prefers idle Nodes and has no more",
      "The Node has tenant work; only with the strategy PreferIdle, those with fewest Pods first.");

  private final String text;
  private final String meaning;

  CandidateRank(String text, String meaning) {
    this.text = text;
    this.meaning = meaning;
  }

  /** The rank in a sentence: {@code "Node g1 is chosen: " + text()}. */
  public String text() {
    return text;
  }

  /** The state of a Node with this rank. */
  @Override
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
   * Whether it is a fault, which can come and go. A Node that was chosen for a fault keeps its rank
   * when the fault passes (decision D232).
   */
  public boolean isFault() {
    return this == NOT_REGISTERED || this == UNHEALTHY;
  }
}
