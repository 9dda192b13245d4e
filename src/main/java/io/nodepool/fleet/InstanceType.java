package io.nodepool.fleet;

import io.nodepool.vocabulary.NodeTaints;
import java.util.List;
import java.util.Optional;

/**
 * A kind of machine that pools may ask for (the contract §13).
 *
 * @param name the identifier that {@code spec.instanceType} names
 * @param gpus how many GPUs, 0 for a CPU machine
 * @param gpuModel the model of the GPUs; empty for a CPU machine
 * @param gpuMemoryGb memory of one GPU in GB as published, 0 for a CPU machine
 * @param vcpus how many virtual processors, at least 1
 * @param memoryKi memory that its Node reports, in Ki
 * @param ephemeralStorageKi ephemeral storage that its Node reports, in Ki
 * @param architecture {@code amd64} or {@code arm64}
 * @param maxPods how many Pods its Node takes
 * @param rackSize how many machines make the rack that is given out as one (18 for NVL72), 0 if
 *     machines are given out singly
 * @param superchip whether CPU and GPU share a package; such types are never spot (decision 27)
 * @param network the network between the machines
 * @param zones the zones where the type is published, in name order; may be empty
 */
public record InstanceType(
    String name,
    int gpus,
    Optional<String> gpuModel,
    int gpuMemoryGb,
    int vcpus,
    long memoryKi,
    long ephemeralStorageKi,
    String architecture,
    int maxPods,
    int rackSize,
    boolean superchip,
    Network network,
    List<String> zones) {

  /** Copies the list of zones, so that the record is immutable. */
  public InstanceType {
    zones = List.copyOf(zones);
  }

  /** Whether the type is given out in whole racks only (the contract §14). */
  public boolean isRack() {
    return rackSize > 0;
  }

  /** Whether its machines have GPUs. */
  public boolean isGpu() {
    return gpus > 0;
  }

  /** Whether the type is published for a zone. */
  public boolean inZone(String zone) {
    return zones.contains(zone);
  }

  /** The taint that every Node of the type carries (decision D15). */
  public Taint kindTaint() {
    NodeTaints kind = isGpu() ? NodeTaints.IS_GPU : NodeTaints.IS_CPU_COMPUTE;
    return new Taint(kind.key(), kind.value().orElse(""), kind.effect().word());
  }
}
