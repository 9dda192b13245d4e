package io.nodepool.drill.script;

import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.whatif.Question;
import java.time.Duration;
import java.util.Optional;

/** A deed of a script. */
public sealed interface Deed {
  /** A client of NodePools makes a change. */
  record Ask(Question question) implements Deed {}

  /** A NodePool is deleted. */
  record DeletePool(String pool) implements Deed {}

  /** Something happens to machines, or to their Nodes. */
  record ToMachines(MachineSelection machines, Fault fault) implements Deed {}

  /** A workload wants another number of Pods. */
  record ScaleWorkload(WorkloadManifest workload, int replicas) implements Deed {}

  /** The operator is ended; another one starts after this time. */
  record RestartOperator(Duration down) implements Deed {}

  /** The operator is paused, as the process of a paused machine is. */
  record PauseOperator(Duration time) implements Deed {}

  /** The API server does not answer. */
  record ApiOutage(Duration time) implements Deed {}

  /** A fault of a machine or its Node. */
  sealed interface Fault {
    /** It is cordoned by a person. */
    record Cordon() implements Fault {}

    /** It is uncordoned by a person. */
    record Uncordon() implements Fault {}

    /** It is cordoned and its Pods are evicted by a person. */
    record DrainByHand() implements Fault {}

    /**
     * Its reboot is requested.
     *
     * @param immediate whether it is done even if the Node is busy
     */
    record Reboot(LifecycleState state, boolean immediate) implements Fault {}

    /**
     * Its fleet takes it back, and offers it to spot pools again after this time; never if empty.
     */
    record Preempt(Optional<Duration> time) implements Fault {}

    /** It has no power for this time; forever if empty. */
    record LosePower(Optional<Duration> time) implements Fault {}

    /** Its fleet reports it as failed for this time; forever if empty. */
    record Fail(Optional<Duration> time) implements Fault {}

    /** Its kubelet does not answer. */
    record Silence(Duration time) implements Fault {}

    /**
     * A monitor reports an alert about it.
     *
     * @param isFalse whether nothing is wrong: no boot ends it
     * @param time when it ends at the latest; empty if only a boot ends it
     */
    record ReportAlert(String name, boolean isFalse, Optional<Duration> time) implements Fault {}

    /** Its owner works on it. */
    record Maintain(Duration time) implements Fault {}

    /** A person releases it after it was set aside. */
    record Release() implements Fault {}
  }
}
