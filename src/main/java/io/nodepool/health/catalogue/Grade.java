package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.DefinedWord;

/** What is done about an alert, from the weakest to the strongest (decisions D29, D30 and D75). */
public enum Grade implements DefinedWord {
  NONE("none", "Nothing is done: the alert reports what is over."),
  WATCH("watch", "The alert is shown on the Node and counted; nothing else is done."),
  MANUAL("manual", "A person has to look at it; nothing is done automatically."),
  RACK_INVESTIGATION(
      "rack investigation",
      "A person has to look at the whole rack; nothing is done automatically."),
  REPAIR_DPU(
      "repair DPU",
      "A component on the DPU is restarted or updated at once, without a cordon or a drain."),
  RESET_HOST_WHEN_IDLE(
      "reset host when idle",
      "The Node is cordoned at once; once it is idle, its host is reset without the DPU."),
  RESET_HOST_AND_DPU_WHEN_IDLE(
      "reset host and DPU when idle",
      "The Node is cordoned at once; once it is idle, its host and its DPU are reset."),
  REBOOT_WHEN_IDLE(
      "reboot when idle",
      "The Node is cordoned at once; once it is idle, its machine is rebooted."),
  REBOOT_NOW(
      "reboot now", "The Node is cordoned, its work ends at once, and its machine is rebooted."),
  OUT_WHEN_IDLE(
      "out when idle",
      "The Node is cordoned at once; once it is idle, its machine is taken out of service and another one replaces it."),
  OUT_NOW(
      "out now",
      "The Node is cordoned, its work ends at once, its machine is taken out of service, and another one replaces it.");

  private final String word;
  private final String meaning;

  Grade(String word, String meaning) {
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

  /** Whether it does not wait for an idle Node. Only such an alert can override eviction. */
  public boolean isNow() {
    return this == REBOOT_NOW || this == OUT_NOW;
  }

  /** Whether the machine is taken out of service. */
  public boolean takesOut() {
    return this == OUT_WHEN_IDLE || this == OUT_NOW;
  }

  /** Whether something is done to the machine. */
  public boolean repairs() {
    return boots() || takesOut() || this == REPAIR_DPU;
  }

  /** Whether the same machine is on another boot afterwards. */
  public boolean boots() {
    return switch (this) {
      case RESET_HOST_WHEN_IDLE, RESET_HOST_AND_DPU_WHEN_IDLE, REBOOT_WHEN_IDLE, REBOOT_NOW -> true;
      case NONE, WATCH, MANUAL, RACK_INVESTIGATION, REPAIR_DPU, OUT_WHEN_IDLE, OUT_NOW -> false;
    };
  }
}
