package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults about machines of which little is known. */
final class PowerMutations {
  private PowerMutations() {}

  static Stream<Mutation> all() {
    return Stream.of(
        Mutation.of(
            141,
            "A machine that failed counts as off, whatever is known of its power",
            seeing(host ->
                host.is(HostPhase.FAILED)
                    ? host.withReport(host.report().withPower(Optional.empty()))
                    : host),
            "failed, power unknown"),
        Mutation.of(
            142,
            "What a person said of one failure of a machine counts for the next",
            seeing(PowerMutations::fencedForEver),
            "fenced once, failed twice"),
        Mutation.of(
            143,
            "A machine is booted while its owner works on it",
            seeing(host -> host.withReport(host.report().withMaintenance(false))),
            "maintenance"),
        Mutation.of(
            144,
            "A boot is asked for again while the power of the machine cannot be read",
            seeing(host ->
                host.is(HostPhase.RUNNING)
                    ? host.withReport(host.report().withPower(Optional.empty()))
                    : host),
            "power unknown during a boot"));
  }

  private static OperatorOverrides seeing(UnaryOperator<Host> change) {
    return OperatorOverrides.AS_BUILT.withMachines(
        Seams.machineSeen((seen, _) -> changed(seen, change)));
  }

  private static MachineSnapshot changed(MachineSnapshot seen, UnaryOperator<Host> change) {
    return seen.withHost(change.apply(seen.host()));
  }

  private static Host fencedForEver(Host host) {
    return host.withOccupancy(
        host.occupancy()
            .withFenced(
                host.occupancy()
                    .fenced()
                    .map(said ->
                        new Host.Fenced(host.tenancy(), host.report().since(), said.at()))));
  }
}
