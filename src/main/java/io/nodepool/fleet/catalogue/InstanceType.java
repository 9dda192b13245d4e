package io.nodepool.fleet.catalogue;

import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Optional;

/**
 * A type of machine that pools may request (contract §13).
 *
 * @param name the identifier that {@code spec.instanceType} names
 * @param gpus its GPUs
 * @param resources the other resources of its Node
 * @param rackSize the number of machines in a rack that is allocated as a whole (18 for NVL72); 0
 *     if machines are allocated singly
 * @param superchip whether CPU and GPU share a package; such types are never spot (decision D27)
 * @param network the network between the machines
 * @param zones the zones where the type is published, in name order; may be empty
 */
public record InstanceType(
    String name,
    Gpus gpus,
    Resources resources,
    int rackSize,
    boolean superchip,
    Network network,
    List<String> zones) {

  /**
   * The GPUs of a machine.
   *
   * @param count their number; 0 for a CPU machine
   * @param model their model; empty for a CPU machine
   * @param memoryGb memory of one GPU in GB as published, 0 for a CPU machine
   */
  public record Gpus(int count, Optional<String> model, int memoryGb) {}

  /**
   * The resources of a machine's Node other than GPUs.
   *
   * @param memoryKi memory in Ki
   * @param ephemeralStorageKi ephemeral storage in Ki
   * @param maxPods the greatest number of Pods on it
   * @param rdmaIb how many {@code rdma/ib} it offers; 0 for none
   */
  public record Resources(
      Processor processor, long memoryKi, long ephemeralStorageKi, int maxPods, int rdmaIb) {}

  /**
   * The processors of a machine.
   *
   * @param vcpus the number of virtual processors, at least 1
   * @param architecture {@code amd64} or {@code arm64}
   * @param family their family, such as {@code epyc}; empty text if it is not known
   */
  public record Processor(int vcpus, String architecture, String family) {}

  /** Copies the list of zones. */
  public InstanceType {
    zones = List.copyOf(zones);
  }

  /** Whether the type is allocated in whole racks only (contract §14). */
  public boolean isRack() {
    return rackSize > 0;
  }

  /** Whether its machines have GPUs. */
  public boolean isGpu() {
    return gpus.count() > 0;
  }

  /** The taint that every Node of the type carries (decision D15). */
  public Taint kindTaint() {
    NodeTaints kind = isGpu() ? NodeTaints.IS_GPU : NodeTaints.IS_CPU_COMPUTE;
    return new Taint(kind.key(), kind.value().orElse(""), kind.effect().word());
  }
}
