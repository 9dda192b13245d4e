package io.nodepool.vocabulary.metadata;

/** The labels of a Namespace that the operator uses (decision D17). */
public enum NamespaceLabels implements MetadataKey {
  ORGANIZATION(
      "ns.coreweave.cloud/org",
      "Owner of the Namespace: control-plane for the provider's own, else the organisation id. Pods in a control-plane Namespace never keep a Node active.",
      "control-plane");

  /** The value of {@link #ORGANIZATION} on the provider's Namespaces. */
  public static final String CONTROL_PLANE = "control-plane";

  private final Entry entry;

  NamespaceLabels(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample, Access.of(KeyWriter.OPERATOR));
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
