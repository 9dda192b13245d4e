package io.nodepool.vocabulary;

/**
 * The states of a Node's lifecycle that this operator sets (contract §9, §10, §12): the state for
 * tenant work, the states that clients request by the label {@code
 * node.coreweave.cloud/pending-state}, and the states in which the Node leaves. The word is the
 * value of a label, and the reason of a condition.
 */
public enum LifecycleState implements DefinedWord {
  PRODUCTION("production", "The Node is for the work of its tenant."),
  REBOOT("production-reboot", "The machine is rebooted, and verified afterwards."),
  POWER_RESET(
      "production-powerreset", "The machine is powered off and on, and verified afterwards."),
  RECONFIGURE(
      "production-reconfigure-powercycle-test",
      "The machine is powered off and on with the configuration that is staged for it, and verified afterwards."),
  VERIFICATION(
      "production-verification",
      "Specific to this operator: the machine is verified without a boot."),
  ZAP("zap", "The machine is stopped, and cleaned once the Node is deleted."),
  TRIAGE(
      "triage",
      "The machine is stopped, and stays out of use once the Node is deleted: its Host is set aside, or its fleet says that it failed.");

  private final String word;
  private final String meaning;

  LifecycleState(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  @Override
  public String word() {
    return word;
  }

  @Override
  public String meaning() {
    return meaning;
  }

  /** Whether a client can request it. */
  public boolean isRequestable() {
    return switch (this) {
      case REBOOT, POWER_RESET, RECONFIGURE, VERIFICATION -> true;
      case PRODUCTION, ZAP, TRIAGE -> false;
    };
  }
}
