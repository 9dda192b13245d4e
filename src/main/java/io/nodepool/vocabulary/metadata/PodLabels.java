package io.nodepool.vocabulary.metadata;

/** The labels of a Pod that define how it may be interrupted (contract §11). */
public enum PodLabels implements MetadataKey {
  INTERRUPTABLE(
      "qos.coreweave.cloud/interruptable",
      "With the value true the Pod may be evicted at once, with a grace period of one second. It does not keep its Node active.",
      "true"),
  INTERRUPTABLE_COM(
      "qos.coreweave.com/interruptable",
      "The same as qos.coreweave.cloud/interruptable under the other domain of the provider; both are honoured.",
      "true"),
  INTERRUPTIBLE(
      "qos.coreweave.cloud/interruptible",
      "The same as qos.coreweave.cloud/interruptable in the other spelling; both are honoured.",
      "true"),
  INTERRUPTIBLE_COM(
      "qos.coreweave.com/interruptible",
      "The same as qos.coreweave.cloud/interruptable under the other domain and in the other spelling.",
      "true"),
  GRACEFUL_INTERRUPTIBLE(
      "qos.coreweave.cloud/graceful-interruptible",
      "With the value true the Pod is deleted with its own termination grace period when its Node is needed. It does not keep its Node active. It takes precedence over interruptable if a Pod has both.",
      "true"),
  GRACEFUL_INTERRUPTIBLE_COM(
      "qos.coreweave.com/graceful-interruptible",
      "The same as qos.coreweave.cloud/graceful-interruptible under the other domain of the provider; both are honoured.",
      "true");

  private final Entry entry;

  PodLabels(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample, Access.of(KeyWriter.CLIENT));
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
