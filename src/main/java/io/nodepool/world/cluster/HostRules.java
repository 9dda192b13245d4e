package io.nodepool.world.cluster;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import java.util.Optional;

/** The validation rules of the Host's definition, which compare a write with the stored Host. */
final class HostRules {
  private HostRules() {}

  /** The rule that a change of a Host violates. */
  static Optional<String> violated(Host before, Host next) {
    boolean assigned = next.assignment().isPresent();
    boolean wasAssigned = before.assignment().isPresent();
    if (!next.machine().equals(before.machine())) {
      return Optional.of("spec.machine cannot be changed");
    }
    if (wasAssigned && assigned && !holder(before).equals(holder(next))) {
      return Optional.of("the Host is assigned to another pool");
    }
    if (!wasAssigned && assigned && next.report().phase() != HostPhase.FREE) {
      return Optional.of("only a Host whose status.phase is Free can be assigned");
    }
    if (next.tenancy() != before.tenancy() + (!wasAssigned && assigned ? 1 : 0)) {
      return Optional.of("spec.tenancy counts assignments");
    }
    if (wasAssigned
        && !assigned
        && before.power() != Host.Power.OFF
        && next.report().phase() != HostPhase.FREE) {
      return Optional.of("the machine runs for its pool");
    }
    if (!assigned && !next.boot().equals(before.boot())) {
      return Optional.of("spec.boot can be changed only while the Host is assigned");
    }
    return next.boot().isPresent() && before.boot().isPresent()
        ? countedDown(before.boot().get(), next.boot().get())
        : Optional.empty();
  }

  private static Optional<PoolId> holder(Host host) {
    return host.assignment().map(assignment -> assignment.pool());
  }

  private static Optional<String> countedDown(BootRequest before, BootRequest next) {
    return next.from().equals(before.from())
            && next.isOf(before.operation())
            && next.attempt() < before.attempt()
        ? Optional.of("spec.boot.try counts the tries of one operation")
        : Optional.empty();
  }
}
