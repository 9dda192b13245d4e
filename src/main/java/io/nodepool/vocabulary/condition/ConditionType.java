package io.nodepool.vocabulary.condition;

/** The type of a condition that the operator sets on Nodes. */
public sealed interface ConditionType permits NodeCondition, AlertCondition {
  /** The condition's type on the wire. */
  String type();
}
