package io.nodepool.vocabulary;

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
      "The spec cannot be carried out: an instance type that does not exist or is not in the zone, a size that is not whole racks, an impossible affinity. Nothing grows until it is changed; the Nodes that exist stay.",
      Optional.empty()),
  INTERNAL_ERROR(
      "InternalError",
      ConditionStatus.UNKNOWN,
      "The spec could not be checked to the end, because the fleet did not answer.",
      Optional.empty());

  private final String word;
  private final ConditionStatus status;
  private final String meaning;
  private final Optional<String> message;

  ValidatedReason(String word, ConditionStatus status, String meaning, Optional<String> message) {
    this.word = word;
    this.status = status;
    this.meaning = meaning;
    this.message = message;
  }

  @Override
  public PoolCondition condition() {
    return PoolCondition.VALIDATED;
  }

  @Override
  public String word() {
    return word;
  }

  @Override
  public ConditionStatus status() {
    return status;
  }

  @Override
  public String meaning() {
    return meaning;
  }

  @Override
  public Optional<String> message() {
    return message;
  }
}
