package io.nodepool.vocabulary.condition;

/**
 * The condition of a Node while an alert about its machine is active (contract §20).
 *
 * @param type the name of the alert
 */
public record AlertCondition(String type) implements ConditionType {
  private static final String TRIGGERED = "Alert triggered ";

  /** Its reason, by which it is recognised. */
  public String reason() {
    return TRIGGERED + type;
  }

  /** Whether a condition of this type and reason belongs to an alert. */
  public static boolean is(String type, String reason) {
    return reason.equals(TRIGGERED + type);
  }
}
