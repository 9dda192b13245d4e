package io.nodepool.simulated.cluster;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Reclaim;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.PodRun;
import java.util.List;
import java.util.Map;

/**
 * The effects of the writes of a data centre, part by part and without their times, so that a write
 * that was undone is recognized when it is repeated. Pure.
 */
final class FleetEffects {
  private FleetEffects() {}

  static Map<String, Object> of(FleetAction action) {
    return switch (action) {
      case FleetAction.ReportHost report -> of(report.seen(), report.report());
      case FleetAction.JoinNode(Host host) ->
          Map.of("Node", host.id().uid() + "/" + host.tenancy());
      case FleetAction.ReportReadiness(Host host, String uid, boolean ready) ->
          Map.of("Ready", List.of(uid, ready, host.report().bootId()));
      case FleetAction.StartPod(FleetAction.PodId pod) -> Map.of("start of a Pod", pod.uid());
      case FleetAction.ReportRun(FleetAction.PodId pod, PodRun.Report report) ->
          Map.of("run of a Pod", List.of(pod.uid(), report));
      case FleetAction.EndPod(FleetAction.PodId pod) -> Map.of("end of a Pod", pod.uid());
    };
  }

  static Map<String, Object> of(Host host, Host.Report report) {
    return Map.of(
        "status of a Host",
        List.of(
            host.id().uid(),
            report.phase(),
            report.tenancy(),
            of(report.boot()),
            report.repairs().stream().map(each -> each.alert() + "/" + each.attempt()).toList(),
            report.joinRefusal(),
            report.spot().offered(),
            report.spot().reclaim().map(Reclaim::reason).orElse("not reclaimed")));
  }

  private static List<Object> of(Host.Boot boot) {
    return List.of(
        boot.id(),
        boot.configuration(),
        boot.cycles(),
        boot.cycle().map(cycle -> cycle.from() + "/" + cycle.attempt() + "/" + cycle.message()),
        boot.verification()
            .map(each -> each.bootId() + "/" + each.operation() + "/" + each.attempt()));
  }

  /** Renewals of Leases have no effects here: they have an interval of their own. */
  static Map<String, Object> ofBeat(ApiRequest beat) {
    return beat.verb() == ApiRequest.Verb.APPLY ? Map.of() : Map.of("Ready", true);
  }
}
