package io.nodepool.vocabulary.metadata;

/**
 * The labels of a Node that exist once per network interface (contract §9 and §20): key patterns
 * that contain the interface name.
 */
public enum NodeInterfaceLabels {
  IB_NEIGHBOR_CURRENT_DEVICE(
      "ib.coreweave.cloud/neighbors.current.{interface}.device",
      "Switch that the interface is connected to.",
      "L90.1.3"),
  IB_NEIGHBOR_CURRENT_PORT_ID(
      "ib.coreweave.cloud/neighbors.current.{interface}.port-id", "Port of that switch.", "203"),
  IB_NEIGHBOR_EXPECTED_DEVICE(
      "ib.coreweave.cloud/neighbors.expected.{interface}.device",
      "Switch that the interface should be connected to.",
      "L90.1.3"),
  IB_NEIGHBOR_EXPECTED_PORT_ID(
      "ib.coreweave.cloud/neighbors.expected.{interface}.port-id",
      "Port that the interface should be connected to.",
      "203"),
  BACKEND_NEIGHBOR_EXPECTED_DEVICE(
      "backend.coreweave.cloud/neighbors.expected.{interface}.device",
      "Switch that the interface of the GPU network should be connected to.",
      "L90.1.3"),
  ADAPTER_PART_NUMBER(
      "net.coreweave.cloud/mellanox.{interface}.part_number",
      "Part number of the adapter.",
      "MCX75310AAS-NEAT"),
  ADAPTER_FIRMWARE(
      "net.coreweave.cloud/mellanox.{interface}.firmware",
      "Version of the adapter's firmware.",
      "28.43.2026");

  private static final String PLACEHOLDER = "{interface}";

  private final String pattern;
  private final String meaning;
  private final String sample;

  NodeInterfaceLabels(String pattern, String meaning, String sample) {
    this.pattern = pattern;
    this.meaning = meaning;
    this.sample = sample;
  }

  /** The key with {@code {interface}} in place of the interface name. */
  public String pattern() {
    return pattern;
  }

  /** The key for one interface, such as {@code ibp0}. */
  public String key(String interfaceName) {
    return pattern.replace(PLACEHOLDER, interfaceName);
  }

  /** What the label means for the interface. */
  public String meaning() {
    return meaning;
  }

  /** An example value. */
  public String sample() {
    return sample;
  }
}
