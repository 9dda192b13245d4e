package io.nodepool.vocabulary;

/**
 * How a machine is booted anew. A later constant is stronger; of two requests for one machine the
 * stronger one is carried out (decision D65). Its word is written in a Host's spec and in the
 * fleet's offer.
 */
public enum BootKind implements DefinedWord {
  VERIFICATION("No boot: the fleet verifies the machine again, as it does after each boot."),
  REBOOT("The operating system restarts."),
  POWER_RESET("The machine is powered off and on."),
  HOST_RESET("The host is reset, without its DPU."),
  HOST_AND_DPU_RESET("The host and its DPU are reset.");

  private final String meaning;

  BootKind(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
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
