package io.nodepool.vocabulary.metadata;

/** What a taint does to Pods that do not tolerate it. */
public enum TaintEffect {
  NO_SCHEDULE("NoSchedule"),
  PREFER_NO_SCHEDULE("PreferNoSchedule"),
  NO_EXECUTE("NoExecute");

  private final String word;

  TaintEffect(String word) {
    this.word = word;
  }

  /** The word on the wire. */
  public String word() {
    return word;
  }
}
