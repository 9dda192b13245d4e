package io.nodepool.vocabulary.condition;

import java.util.Optional;

/** The reasons of the condition Validated (the contract §4). */
public enum ValidatedReason implements PoolReason {
  VALID(
      "Valid",
      ConditionStatus.TRUE,
      "The spec can be carried out as it stands.",
      Optional.of("NodePool configuration is valid.")),
  INVALID(
      "Invalid",
      ConditionStatus.FALSE,
      "The spec cannot be carried out: an instance type that does not exist or is not in the zone, a size that is not whole racks, an impossible affinity, labels, annotations or taints that Nodes cannot have. Nothing grows until it is changed; the Nodes that exist stay as they are.",
      Optional.empty()),
  INTERNAL_ERROR(
      "InternalError",
      ConditionStatus.UNKNOWN,
      "The spec could not be checked to the end, because the fleet did not answer.",
      Optional.empty());

  private final Facts facts;

  ValidatedReason(String word, ConditionStatus status, String meaning, Optional<String> message) {
    this.facts = new Facts(PoolCondition.VALIDATED, word, status, meaning, message);
  }

  @Override
  public Facts facts() {
    return facts;
  }
}
