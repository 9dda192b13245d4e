package io.nodepool.simulated;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The repairs of components of a running simulated machine, which take as long as a reboot. Pure: a
 * request that is not answered is recorded on the Host, so a data centre that restarts continues
 * where it stopped.
 */
final class RepairedComponents {
  private final DataCentre.Timings timings;
  private final MachineHealth health;

  RepairedComponents(DataCentre dataCentre, MachineHealth health) {
    this.timings = dataCentre.timings();
    this.health = health;
  }

  /** The answer to the oldest request without an answer. */
  Next next(Host host, Instant now) {
    return host.unansweredRepairs()
        .min(Comparator.comparing(ComponentRepair::at))
        .map(request -> {
          Instant end = request.at().plus(timings.reboot());
          return now.isBefore(end) ? Next.at(end) : answered(host, request, now);
        })
        .orElse(Next.NOTHING);
  }

  private Next answered(Host host, ComponentRepair request, Instant now) {
    boolean helps = health.isOfComponent(host, request.alert(), now);
    List<ComponentRepair.RepairAnswer> answers = new ArrayList<>(host.report().repairs());
    answers.removeIf(each -> host.repair(each.alert()).isEmpty());
    answers.removeIf(each -> each.alert().equals(request.alert()));
    answers.add(
        new ComponentRepair.RepairAnswer(
            request.alert(),
            request.attempt(),
            helps,
            now,
            helps ? "The component was restarted." : "The component fails again."));
    answers.sort(Comparator.comparing(ComponentRepair.RepairAnswer::alert));
    return Next.report(host, host.report().withRepairs(answers));
  }
}
