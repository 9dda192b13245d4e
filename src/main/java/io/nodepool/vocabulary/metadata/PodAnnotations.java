package io.nodepool.vocabulary.metadata;

/** The annotations of a Pod that the simulated data centre reads. */
public enum PodAnnotations implements MetadataKey {
  RUN_FOR(
      "fleet.nodepool.io/run-for",
      "Specific to this operator, on simulated Nodes: how long the containers of the Pod run each time before they exit; without it they do not exit by themselves. --speed does not change it.",
      "30s"),
  CHECKPOINT_EVERY(
      "fleet.nodepool.io/checkpoint-every",
      "Specific to this operator, in drills: how often the work of the Pod is saved; without it, all work of a Pod that ends early is lost.",
      "30m"),
  EXIT_CODE(
      "fleet.nodepool.io/exit-code",
      "Specific to this operator, on simulated Nodes, beside run-for: the code from 0 to 255 with which the containers exit; 0 without it.",
      "1");

  private final Entry entry;

  PodAnnotations(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample, Access.of(KeyWriter.CLIENT));
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
