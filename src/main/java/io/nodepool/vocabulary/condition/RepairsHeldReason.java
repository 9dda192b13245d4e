package io.nodepool.vocabulary.condition;

/**
 * The reasons of the condition RepairsHeld: what holds the first Node that waits. Specific to this
 * operator.
 */
public enum RepairsHeldReason implements PoolCondition.PoolReason {
  ALERT_SUSPECTED(
      "An alert is in doubt, a false alarm, or held, and nothing is done for it but on a machine that did not pass a verification. More verifications, a day, or a release by a person end that; status.repairs.suspects says which."),
  TOO_MUCH_WORK_ENDED(
      "The work of so many Nodes was ended for alerts within 24 hours without a failed verification that only idle Nodes are repaired. A day, or a release by a person, ends that."),
  TOO_MANY_SET_ASIDE(
      "So many Hosts were set aside for alerts within 24 hours that no other one is. A day, or a release by a person, ends that."),
  WRITE_REFUSED("Writes for a Node fail; the others go on, and it is tried again."),
  TOO_MANY_UNAVAILABLE(
      "So many Nodes are unavailable, for whatever cause, that no other one is cordoned. The others follow as Nodes come back."),
  SIGNALS_STALE(
      "The source of an alert has not confirmed it for long, or not since the machine's last boot. A heartbeat of the source, or the end of the alert, ends that."),
  MACHINE_HELD(
      "The owner works on the machine, or its fleet does not know its power: nothing begins on it. The end of the maintenance, or a new reading of the power, ends that."),
  FLEET_UNKNOWN("The fleet cannot be reached, and nothing is done to its machines."),
  UNWATCHED(
      "No operator watched the cluster for a while. Cordons are made; repairs begin when it has been watched again for as long (option --repair-hold)."),
  CATALOGUE_UNREADABLE(
      "The changes of the alert catalogue could not be read since the operator started, so it is not known what alerts ask. What is cordoned stays so; the corrected ConfigMap, or its deletion, ends that."),
  NOT_OFFERED("The fleet does not offer the boot that an alert asks for: a person has to act."),
  ONLY_OBSERVED("An annotation of the pool has it only observe alerts.");

  private final Facts facts;

  RepairsHeldReason(String meaning) {
    this.facts = new Facts(PoolCondition.REPAIRS_HELD, ConditionStatus.TRUE, meaning);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
