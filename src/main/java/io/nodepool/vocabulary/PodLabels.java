package io.nodepool.vocabulary;

/** The labels of a Pod that say how it may be interrupted (the contract §11). */
public enum PodLabels implements MetadataKey {
  INTERRUPTABLE(
      "qos.coreweave.cloud/interruptable",
      "With the value true the Pod may be evicted at once. It does not keep its Node active.",
      "true"),
  GRACEFUL_INTERRUPTIBLE(
      "qos.coreweave.cloud/graceful-interruptible",
      "With the value true the Pod is deleted with its own termination grace when its Node is needed.",
      "true"),
  GRACEFUL_INTERRUPTIBLE_COM(
      "qos.coreweave.com/graceful-interruptible",
      "The same under the domain that the other half of the documentation uses; both are honoured.",
      "true");

  private final Entry entry;

  PodLabels(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
