package io.nodepool.vocabulary;

/**
 * How a machine is booted anew. A later constant is stronger; of two requests for one machine the
 * stronger one is carried out (decision D65). Its word is written in a Host's spec and in the
 * fleet's offer.
 */
public enum BootKind implements DefinedWord {
  VERIFICATION(
      "Verification", "No boot: the fleet verifies the machine again, as it does after each boot."),
  REBOOT("Reboot", "The operating system restarts."),
  POWER_RESET("PowerReset", "The machine is powered off and on."),
  HOST_RESET("HostReset", "The host is reset, without its DPU."),
  HOST_AND_DPU_RESET("HostAndDpuReset", "The host and its DPU are reset.");

  private final Definition definition;

  BootKind(String word, String meaning) {
    this.definition = new Definition(word, meaning);
  }

  @Override
  public Definition definition() {
    return definition;
  }

  /** Whether the machine is on another boot afterwards. */
  public boolean boots() {
    return this != VERIFICATION;
  }

  /** The stronger one of this and another kind. */
  public BootKind or(BootKind other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
