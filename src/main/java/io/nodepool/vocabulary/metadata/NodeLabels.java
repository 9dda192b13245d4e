package io.nodepool.vocabulary.metadata;

import java.util.Set;

/**
 * The labels of a Node that are defined (contract §9, §15 and §20). Labels whose key contains an
 * interface name are in {@link NodeInterfaceLabels}.
 */
public enum NodeLabels implements MetadataKey {
  NODE_POOL(
      "compute.coreweave.com/node-pool",
      "Name of the NodePool that the Node belongs to. Clients select by it; changing it by hand does not move the Node.",
      "gpu-train",
      Access.deciding(KeyWriter.FLEET, KeyWriter.OPERATOR)),
  NODE_POOL_UID(
      "compute.coreweave.com/node-pool-uid",
      "UID of the NodePool that the Node belongs to. The Cluster Autoscaler finds the Nodes of its groups by it.",
      "9311678d-4064-45b8-8439-b943250e5852",
      Access.deciding(KeyWriter.FLEET, KeyWriter.OPERATOR)),
  COMPUTE_CLASS(
      "compute.coreweave.com/compute-class",
      "Compute class of the pool: default or spot.",
      "default",
      Access.deciding(KeyWriter.FLEET, KeyWriter.OPERATOR)),
  REMOVE_NODE(
      "compute.coreweave.com/remove-node",
      "Written by a client: when the target falls, this Node is removed first. Cluster Autoscaler 1.34.0 to 1.34.2 writes it.",
      "true",
      Access.deciding(KeyWriter.CLIENT)),
  INSTANCE_TYPE(
      "node.kubernetes.io/instance-type", "Instance type of the Node.", "gd-8xh100ib-i128"),
  LEGACY_TYPE(
      "node.kubernetes.io/type",
      "Instance type of the Node under its older key.",
      "gd-8xh100ib-i128"),
  ARCHITECTURE("kubernetes.io/arch", "Processor architecture of the Node.", "amd64"),
  OPERATING_SYSTEM("kubernetes.io/os", "Operating system of the Node.", "linux"),
  HOSTNAME("kubernetes.io/hostname", "Name of the Node as its kubelet reports it.", "gd90782"),
  BETA_ARCHITECTURE(
      "beta.kubernetes.io/arch",
      "Processor architecture under its older key; set when the Node is created, so that no controller has to add it.",
      "amd64"),
  BETA_OPERATING_SYSTEM(
      "beta.kubernetes.io/os",
      "Operating system under its older key; set when the Node is created, so that no controller has to add it.",
      "linux"),
  REGION("topology.kubernetes.io/region", "Region of the Node.", "US-EAST-04"),
  ZONE("topology.kubernetes.io/zone", "Availability zone of the Node.", "US-EAST-04A"),
  TYPE(
      "node.coreweave.cloud/type",
      "Instance type of the Node, read by older clients.",
      "gd-8xh100ib-i128"),
  CLASS("node.coreweave.cloud/class", "Whether the Node has GPUs: gpu or cpu.", "gpu"),
  STATE(
      "node.coreweave.cloud/state",
      "Lifecycle state of the Node. Tenant work runs on production Nodes only. While its machine is rebooted or verified it is the requested state; from the stop of its machine until the Node is gone it is zap, or triage if its Host is set aside or failed.",
      "production",
      Access.deciding(KeyWriter.FLEET, KeyWriter.OPERATOR)),
  PENDING_STATE(
      "node.coreweave.cloud/pending-state",
      "Requested state: production-reboot, production-powerreset, production-reconfigure-powercycle-test, or, specific to this operator, production-verification. Clients write it to request that state, and take it off to cancel the request; the operator takes it off when the Node is back in production.",
      "production-powerreset",
      Access.deciding(KeyWriter.OPERATOR, KeyWriter.CLIENT)),
  RESERVED(
      "node.coreweave.cloud/reserved",
      "Reservation of the Node: the organisation id on a production Node, control-plane on a control-plane Node, the state otherwise.",
      "cw9a2f",
      Access.deciding(KeyWriter.FLEET, KeyWriter.OPERATOR)),
  RESERVED_DESIRED(
      "node.coreweave.cloud/reserved-desired",
      "Wanted reservation of the Node. While it differs from reserved, the Node is pending and takes no new tenant work.",
      "control-plane",
      Access.deciding(KeyWriter.CLIENT)),
  RACK("node.coreweave.cloud/rack", "Rack of the machine.", "169"),
  FIRMWARE_BUNDLE_CURRENT(
      "node.coreweave.cloud/node-fwbundle.current",
      "Bundle of firmware that the machine has.",
      "gd-8xh100ib-i128-2026.10.1"),
  FIRMWARE_BUNDLE_TARGET(
      "node.coreweave.cloud/node-fwbundle.target",
      "Bundle of firmware that the machine should have; another one while it is updated.",
      "gd-8xh100ib-i128-2026.10.1"),
  CLUSTER("cks.coreweave.com/cluster", "Name of the cluster that the Node is in.", "train"),
  ORGANIZATION(
      "cks.coreweave.com/org-id", "Identifier of the organisation whose Node it is.", "cw623e"),
  SLOT("node.coreweave.cloud/slot", "Slot of the machine in its rack.", "7"),
  RACK_NAME(
      "ds.coreweave.com/physical-topology.rack-name",
      "Name of the rack, unique in the data centres.",
      "dh1-r169-us-east-08a"),
  NVLINK_DOMAIN(
      "ds.coreweave.com/nvlink.domain",
      "NVLink domain of the machine, unique everywhere; all Nodes of an NVL72 rack share it.",
      "DH4-016-US-EAST-02A"),
  GPU_COUNT("gpu.nvidia.com/count", "Number of GPUs of the Node.", "8"),
  GPU_CLASS("gpu.nvidia.com/class", "Class of the GPUs.", "H100"),
  GPU_MODEL("gpu.nvidia.com/model", "Model of the GPUs; empty on a Node without GPUs.", "H200"),
  GPU_MEMORY(
      "gpu.nvidia.com/vram",
      "Memory of one GPU: the thousands of MiB that its driver reports, else the GB as published.",
      "81"),
  GPU_VENDOR("gpu.coreweave.cloud/vendor", "Vendor of the GPUs.", "NVIDIA"),
  GPU_DRIVER_VERSION(
      "gpu.coreweave.cloud/driver-version",
      "Version of the GPU driver that the Node booted with.",
      "580.65.06"),
  CPU_CORES("cpu.coreweave.cloud/cores", "Number of processor cores of the Node.", "64"),
  CPU_FAMILY("cpu.coreweave.cloud/family", "Family of the processors of the Node.", "epyc"),
  ETHERNET_SPEED("ethernet.coreweave.cloud/speed", "Speed of the Ethernet adapter.", "100G"),
  IB_FABRIC(
      "ib.coreweave.cloud/fabric",
      "InfiniBand fabric of the Node; empty without one.",
      "US-EAST-15A-FAB66"),
  IB_LEAFGROUP(
      "ib.coreweave.cloud/leafgroup",
      "Identifier of the group of leaf switches that the Node is connected to, a number; empty without one.",
      "856886992745"),
  IB_LEAVES_CURRENT(
      "ib.coreweave.cloud/leaves.current",
      "Identifiers of the leaf switches that the Node is connected to, in the order of its interfaces.",
      "9011_9012"),
  IB_LEAVES_EXPECTED(
      "ib.coreweave.cloud/leaves.expected",
      "Identifiers of the leaf switches that the Node should be connected to.",
      "9011_9012"),
  IB_PORTS_CURRENT(
      "ib.coreweave.cloud/ports.current",
      "Identifiers of the ports of those switches that it is connected to.",
      "203_203"),
  IB_PORTS_EXPECTED(
      "ib.coreweave.cloud/ports.expected",
      "Identifiers of the ports that it should be connected to.",
      "203_203"),
  IB_SPEED("ib.coreweave.cloud/speed", "Speed of all InfiniBand adapters together.", "3200G"),
  IB_SPEED_CURRENT("ib.coreweave.cloud/speed.current", "Speed at which they run.", "3200G"),
  IB_SPEED_EXPECTED(
      "ib.coreweave.cloud/speed.expected", "Speed at which they should run.", "3200G"),
  IB_SUPERPOD(
      "ib.coreweave.cloud/superpod",
      "Superpod of the InfiniBand fabric that the Node is in; empty without one.",
      "2"),
  BACKEND_ENABLED(
      "backend.coreweave.cloud/enabled",
      "Whether the Node has a network between the GPUs.",
      "true"),
  BACKEND_FLAVOR(
      "backend.coreweave.cloud/flavor",
      "Kind of the network between the GPUs: infiniband or roce.",
      "infiniband"),
  BACKEND_FABRIC(
      "backend.coreweave.cloud/fabric",
      "Fabric of the network between the GPUs; empty without one.",
      "US-EAST-15A-FAB66"),
  BACKEND_LEAFGROUP(
      "backend.coreweave.cloud/leafgroup",
      "Identifier of the group of leaf switches in that fabric; empty without one.",
      "856886992745"),
  BACKEND_LEAFGROUP_NAME(
      "backend.coreweave.cloud/leafgroup-name", "Name of that group of leaf switches.", "90.1-DH1"),
  BACKEND_SUPERPOD(
      "backend.coreweave.cloud/superpod", "Superpod of that fabric; empty without one.", "2"),
  BACKEND_SPEED_CURRENT(
      "backend.coreweave.cloud/speed.current",
      "Speed at which all adapters of that network together run.",
      "3200G"),
  BACKEND_SPEED_EXPECTED(
      "backend.coreweave.cloud/speed.expected", "Speed at which they should run.", "3200G"),
  PENDING_PREEMPTION(
      "qos.coreweave.cloud/pending-preemption",
      "The spot Node will be reclaimed; set together with its cordon.",
      "true",
      Access.deciding(KeyWriter.OPERATOR)),
  EVICTED_AT(
      "qos.coreweave.cloud/evicted-at",
      "When the drain of a reclaimed spot Node began, as 20060102T150405Z, because a label value cannot contain a colon.",
      "20261121T050200Z",
      Access.deciding(KeyWriter.OPERATOR)),
  SYSTEM_CRITICAL(
      "cks.coreweave.cloud/system-critical",
      "Set by a client through spec.nodeLabels: the Node may run system-critical workloads of the cluster.",
      "true",
      Access.of(KeyWriter.OPERATOR)),
  DRA_GPU_ENABLED(
      "node.coreweave.cloud/dra-gpu-enabled",
      "Set by a client through spec.nodeLabels: the GPUs of the Node are given out by dynamic resource allocation. The Cluster Autoscaler's provider asks for it.",
      "true",
      Access.of(KeyWriter.OPERATOR)),
  SUNK_NODESET(
      "sunk.coreweave.com/nodeset",
      "NodeSet that uses the Node; written by SUNK.",
      "h100",
      Access.of(KeyWriter.CLIENT)),
  SUNK_NAMESPACE(
      "sunk.coreweave.com/namespace",
      "Namespace of the NodeSet that uses the Node; written by SUNK.",
      "tenant-slurm",
      Access.of(KeyWriter.CLIENT)),
  SUNK_CLUSTER(
      "sunk.coreweave.com/cluster",
      "Slurm cluster that uses the Node; written by SUNK.",
      "slurm",
      Access.of(KeyWriter.CLIENT)),
  SUNK_POD(
      "sunk.coreweave.com/pod",
      "Pod of the Slurm daemon on the Node; written by SUNK.",
      "slurm-h100-000-001",
      Access.of(KeyWriter.CLIENT)),
  SUNK_NODE(
      "sunk.coreweave.com/node",
      "Set by hand on older clusters to give a Node to SUNK.",
      "true",
      Access.of(KeyWriter.CLIENT));

  /** The keys of the labels that decisions depend on. */
  public static final Set<String> OF_DECISIONS = MetadataKey.ofDecisions(values());

  private final Entry entry;

  NodeLabels(String key, String meaning, String sample) {
    this(key, meaning, sample, Access.of(KeyWriter.FLEET));
  }

  NodeLabels(String key, String meaning, String sample, Access access) {
    this.entry = new Entry(key, meaning, sample, access);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}
