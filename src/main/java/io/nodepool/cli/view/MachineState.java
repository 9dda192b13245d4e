package io.nodepool.cli.view;

/**
 * The state of a machine. Each state has a symbol of its own, so that it is readable without
 * colour.
 */
public enum MachineState {
  BUSY("busy", '●', '@', Tone.GOOD, "its Node runs work of a tenant"),
  IDLE("idle", '○', 'o', Tone.CALM, "its Node runs no work of a tenant"),
  BOOTING("booting", '◐', 'b', Tone.WORK, "assigned to a pool, not running yet"),
  JOINING("joining", '◌', 'j', Tone.WORK, "running; its Node is not registered yet"),
  CORDONED("cordoned", '⊘', 'c', Tone.WARN, "its Node accepts no new Pods"),
  DRAINING("draining", '▼', 'v', Tone.WARN, "its Node is being removed from its pool"),
  REBOOTING("rebooting", '↻', 'r', Tone.WORK, "rebooted or verified; its Node stays in its pool"),
  NOT_READY("not ready", '?', '?', Tone.BAD, "its Node is not Ready"),
  STOPPED("stopped", '□', 's', Tone.FAINT, "powered off, still assigned"),
  CLEANING("cleaning", '~', '~', Tone.FAINT, "released, its disks are being wiped"),
  FREE("free", '·', '.', Tone.FAINT, "may be assigned to a pool"),
  SET_ASIDE(
      "set aside", '!', '!', Tone.BAD, "not assigned until `kubectl nodepool host release NAME`"),
  FAILED("failed", '✗', 'x', Tone.BAD, "reported by its fleet as out of service"),
  UNREPORTED("unreported", '-', '-', Tone.BAD, "its fleet has not reported a phase");

  private final String word;
  private final char symbol;
  private final char ascii;
  private final Tone tone;
  private final String meaning;

  MachineState(String word, char symbol, char ascii, Tone tone, String meaning) {
    this.word = word;
    this.symbol = symbol;
    this.ascii = ascii;
    this.tone = tone;
    this.meaning = meaning;
  }

  /** The word for the state. */
  public String word() {
    return word;
  }

  /** The symbol of a machine in this state. */
  public char symbol(boolean unicode) {
    return unicode ? symbol : ascii;
  }

  /** The meaning of the state. */
  public String meaning() {
    return meaning;
  }

  Tone tone() {
    return tone;
  }
}
