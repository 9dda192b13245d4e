package io.nodepool.fleet.affinity;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The labels of a Node that its machine determines; an affinity may use them. */
public enum PlacementLabel {
  HOSTNAME(NodeLabels.HOSTNAME, (host, machine) -> host.name()),
  INSTANCE_TYPE(NodeLabels.INSTANCE_TYPE, (host, machine) -> machine.instanceType()),
  REGION(NodeLabels.REGION, (host, machine) -> machine.location().region()),
  ZONE(NodeLabels.ZONE, (host, machine) -> machine.location().zone()),
  RACK(NodeLabels.RACK, (host, machine) -> machine.rack()),
  RACK_NAME(NodeLabels.RACK_NAME, (host, machine) -> machine.location().rackName()),
  SLOT(NodeLabels.SLOT, (host, machine) -> Integer.toString(machine.slot())),
  NVLINK_DOMAIN(NodeLabels.NVLINK_DOMAIN, (host, machine) -> machine.interconnect().nvlinkDomain()),
  FABRIC(NodeLabels.BACKEND_FABRIC, (host, machine) -> machine.interconnect().fabric()),
  LEAFGROUP(
      NodeLabels.BACKEND_LEAFGROUP, (host, machine) -> machine.interconnect().leafgroup().id()),
  SUPERPOD(NodeLabels.BACKEND_SUPERPOD, (host, machine) -> machine.interconnect().superpod());

  private final NodeLabels label;
  private final BiFunction<HostId, Machine, String> value;

  PlacementLabel(NodeLabels label, BiFunction<HostId, Machine, String> value) {
    this.label = label;
    this.value = value;
  }

  /** The label's key. */
  public String key() {
    return label.key();
  }

  /** The placement label with this key; empty if there is none. */
  public static Optional<PlacementLabel> of(String key) {
    return Stream.of(values()).filter(each -> each.key().equals(key)).findFirst();
  }

  /** The value of a label on the Node of a machine; empty text if the Node does not have it. */
  static String valueOf(String key, HostId host, Machine machine) {
    return of(key).map(placement -> placement.value.apply(host, machine)).orElse("");
  }
}
