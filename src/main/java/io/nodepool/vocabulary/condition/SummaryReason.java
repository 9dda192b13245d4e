package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.DefinedWord;

/**
 * The most important fact about a NodePool, in one word: the first reason that applies. Reasons
 * that need a person come first, then waits, then work under way. Specific to this operator.
 */
public enum SummaryReason implements DefinedWord {
  DELETION_FAILS("It is being deleted, and a write of a removal keeps failing."),
  DELETING("It is being deleted, and its Nodes are being removed."),
  INVALID("The spec is invalid; the pool does not grow until it is changed."),
  CONFIGURATION_MISSING("The fleet does not offer the active configuration any more."),
  FLEET_UNKNOWN("The fleet's offer cannot be read; the pool does not grow."),
  INTERNAL_ERROR(
      "The API server refuses what the pool asks for, or a machine of it cannot be read."),
  DISABLED(
      "The active configuration is disabled, since machines did not boot it; the pool does not grow."),
  REBOOTS_FAILED(
      "Nodes in a row did not come back from their reboots; a person has to release the next one."),
  PAUSED("A user holds the pool as it is."),
  ROLLOUT_PAUSED("A rollout paused by itself, after failures."),
  REPAIRS_HELD("Nodes wait for a repair, and something has to change first."),
  RACK_ALERT("A rack has an alert for which a person has to act."),
  OVER_QUOTA("The growth waits, since the target exceeds the quota."),
  NO_QUOTA("The growth waits, since there is no quota for the instance type."),
  WAITS_FOR_MACHINES("The growth waits, since too few machines that it admits are free."),
  STAGING_FAILS("It is not known what some Nodes boot, or their configuration is not staged."),
  ROLLING_OUT("A rollout of the active configuration is under way."),
  NODES_NOT_READY("Nodes are not Ready, or their machines do not run."),
  NODES_ALERTING("Nodes show alerts about their machines."),
  OBSERVING("Nodes have alerts, and an annotation has the pool only observe them."),
  GROWING("Nodes are being added."),
  SHRINKING("The pool has more Nodes than its target."),
  ROLLOUT_STOPPED("A user stopped a rollout, and Nodes are not up to date."),
  REBOOT_PENDING("Nodes have to reboot to use the active configuration."),
  READY("The pool has its target number of Nodes, and nothing of the above.");

  private final String meaning;

  SummaryReason(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
  }
}
