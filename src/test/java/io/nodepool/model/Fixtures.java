package io.nodepool.model;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.PoolSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Default objects for tests. A test changes what it examines with the {@code with} methods of the
 * records.
 */
public final class Fixtures {
  /** The instance type of the machines: 8 GPUs each, allocated singly. */
  public static final String TYPE = "gd-8xh100ib-i128";

  /** The instant of all objects. */
  public static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private Fixtures() {}

  /** A machine without a fabric. */
  public static Machine machine(String type, String rack, int slot) {
    return new Machine(
        type,
        new Machine.Location("US-EAST-04A", "US-EAST-04", rack, "r" + rack, slot),
        Machine.Interconnect.NONE);
  }

  /** An assignment to a pool without metadata for its Nodes. */
  public static Assignment assignment(PoolId pool) {
    return new Assignment(pool, "default", "op", NOW, NodeTemplate.EMPTY);
  }

  /** A Host of the type without failed deliveries. */
  public static Host host(HostId id, Host.Occupancy occupancy, Host.Report report) {
    return new Host(id, 1, machine(TYPE, "1", 0), occupancy, DeliveryHistory.CLEAN, report);
  }

  /** A spec with this target in Nodes of the type, with IdleOnly. */
  public static PoolSpec spec(int target) {
    return spec(TYPE, target);
  }

  /** A spec with this target in Nodes of a type, with IdleOnly. */
  public static PoolSpec spec(String type, int target) {
    return new PoolSpec(
        PoolSpec.Machines.of(type),
        PoolSpec.Size.ofNodes(target),
        NodeTemplate.EMPTY,
        ConfigurationSpec.DEFAULT,
        PoolSpec.ScaleDownStrategy.IDLE_ONLY,
        0,
        false,
        PoolSpec.Pause.NONE);
  }

  /** The registered Node that a Host joined as: Ready, idle, without metadata. */
  public static Node node(HostId host, String uid, int tenancy) {
    return new Node(
        new Node.Identity(host.name(), uid, NOW, host.uid(), tenancy),
        1,
        NodeMetadata.NONE,
        false,
        Optional.empty(),
        NodeStatus.JOINED.withRegistered(true),
        Node.Finalization.NONE);
  }

  /** A running Pod of a tenant that keeps its Node, g1: one of Job train. */
  public static Pod pod(String namespace, String name) {
    return new Pod(
        new Pod.Id(namespace, name, name + "-uid"),
        1,
        "g1",
        new Pod.Owner("Job", "train", false),
        new Pod.Eviction(false, Duration.ofSeconds(30), Pod.Interruption.NONE),
        new Pod.Execution(true, false, Optional.empty()));
  }

  /** The Pod with a requested deletion. */
  public static Pod ending(Pod pod, Pod.Ending ending) {
    return pod.withExecution(pod.execution().withEnding(ending));
  }
}
