package io.nodepool.world.cluster;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.PodRun;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes of the virtual world's machines and their kubelets, as compare-and-set. */
final class WorldMachines {
  private final WorldStore store;
  private final WorldNodes nodes;
  private final AppliedWrites appliedWrites;
  private final SortedMap<String, Integer> powerCycles = new TreeMap<>();

  /** By configuration, then by machine. */
  private final SortedMap<String, SortedMap<String, Integer>> powerCyclesInto = new TreeMap<>();

  WorldMachines(WorldStore store, WorldNodes nodes, AppliedWrites appliedWrites) {
    this.store = store;
    this.nodes = nodes;
    this.appliedWrites = appliedWrites;
  }

  /** The number of power cycles of each machine, counted from its reports. */
  SortedMap<String, Integer> powerCycles() {
    return Collections.unmodifiableSortedMap(powerCycles);
  }

  /** The number of power cycles, by the configuration that the machine had to boot. */
  SortedMap<String, SortedMap<String, Integer>> powerCyclesInto() {
    return Collections.unmodifiableSortedMap(powerCyclesInto);
  }

  /** Carries out a write, or drops an outdated one. */
  void apply(FleetAction action, Instant now) {
    switch (action) {
      case FleetAction.ReportHost report -> {
        Host host = store.hosts.get(report.host().name());
        if (host != null
            && report.isTimely(host)
            && store.validation.patch(host, report).isEmpty()) {
          report(host, report);
        }
      }
      case FleetAction.JoinNode(Host seen) -> {
        if (nodes.join(seen, now)) {
          appliedWrites.joined();
        }
      }
      case FleetAction.ReportReadiness readiness -> report(readiness, now);
      case FleetAction.ReportRun(FleetAction.PodId id, PodRun.Report report) -> {
        if (!(report instanceof PodRun.Report.Killed)) {
          throw new IllegalStateException("no Pod of the world ends by itself: " + report);
        }
        store.removePod(id.uid());
      }
      case FleetAction.StartPod(FleetAction.PodId id) -> {
        Pod pod = store.pods.get(id.uid());
        if (pod != null) {
          store.put(pod.withVersion(store.next()).withExecution(pod.execution().withStarted(true)));
        }
      }
      case FleetAction.EndPod(FleetAction.PodId id) -> store.removePod(id.uid());
    }
  }

  private void report(Host host, FleetAction.ReportHost action) {
    Host.Report report = action.report();
    boolean spotChanged = !report.spot().equals(action.seen().report().spot());
    Host.Spot spot = spotChanged ? report.spot() : host.report().spot();
    if (isPowerCycle(host.report(), report)) {
      powerCycles.merge(host.id().name(), 1, Integer::sum);
      powerCyclesInto
          .computeIfAbsent(into(report), _ -> new TreeMap<>())
          .merge(host.id().name(), 1, Integer::sum);
    }
    Host next = host.withVersion(store.next()).withReport(report.withSpot(spot));
    HostRules.violated(host, next)
        .or(() -> store.validation.host(host, next))
        .ifPresent(why -> {
          throw new IllegalStateException("the fleet reports what is invalid: " + why);
        });
    store.put(next);
  }

  private static String into(Host.Report report) {
    return report
        .boot()
        .cycle()
        .map(Host.Cycle::configuration)
        .orElse(report.bootedConfiguration());
  }

  /** Whether the report shows a power cycle: a reboot begins, or it began and ended at once. */
  private static boolean isPowerCycle(Host.Report before, Host.Report after) {
    boolean begins =
        after
            .boot()
            .cycle()
            .filter(each -> before.boot().cycle().filter(each::isSame).isEmpty())
            .isPresent();
    boolean isOnAnotherBoot =
        before.phase() == HostPhase.RUNNING
            && after.phase() == HostPhase.RUNNING
            && !after.bootId().equals(before.bootId());
    return begins || (isOnAnotherBoot && before.boot().cycle().isEmpty());
  }

  private void report(FleetAction.ReportReadiness action, Instant now) {
    Host host = store.hosts.get(action.host().id().name());
    Node node = store.nodes.get(action.host().id().name());
    if (host == null
        || !host.report().bootId().equals(action.host().report().bootId())
        || node == null
        || !node.uid().equals(action.nodeUid())) {
      return;
    }
    Node next =
        node.withStatus(
            node.status().withReady(action.ready(), now).withBootId(host.report().bootId()));
    if (!next.equals(node)) {
      store.put(next.withVersion(store.next()));
    }
  }
}
