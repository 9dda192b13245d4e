package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.thread.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A loop with one machine; the test answers its requests and advances its clock. */
final class LoopHarness {
  /** A request that was sent and not answered yet. */
  record Sent(ApiRequest request, Consumer<Answer<String>> answer) {}

  static final String FLEET = "default";

  final Deque<Sent> sent = new ArrayDeque<>();
  final FleetLoop loop;
  private final Map<FleetKey, Instant> timers = new HashMap<>();
  private Instant now = Instant.parse("2026-11-21T05:00:00Z");
  private long version = 1;

  LoopHarness() {
    this(false);
  }

  /**
   * @param leases whether kubelets renew their Leases
   */
  LoopHarness(boolean leases) {
    Timers<FleetKey> pending =
        new Timers<>() {
          @Override
          public void at(FleetKey key, Instant time) {
            timers.put(key, time);
          }

          @Override
          public void cancel(FleetKey key) {
            timers.remove(key);
          }
        };
    loop =
        new FleetLoop(
            (request, answer) -> sent.add(new Sent(request, answer)),
            pending,
            InstanceCatalogue.bundled(),
            new SimulatedFleetController.Settings(
                FLEET, "nodepool-system", 1, leases, true, new SimpleMeterRegistry(), () -> now),
            () -> now);
  }

  Instant now() {
    return now;
  }

  /** Advances the clock and fires the timers that are due. */
  void pass(Duration time) {
    now = now.plus(time);
    List<FleetKey> due = new ArrayList<>();
    timers.forEach((key, at) -> {
      if (!at.isAfter(now)) {
        due.add(key);
      }
    });
    due.forEach(timers::remove);
    due.forEach(loop::reconcile);
  }

  /** Answers the oldest request about a machine or a Pod. */
  void answer(Answer<String> answer) {
    Sent next = first();
    sent.remove(next);
    next.answer().accept(answer);
  }

  /** Refuses all requests that publish the offer or the status; they may be retried later. */
  void refuseReports() {
    List<Sent> reports = sent.stream().filter(each -> isReport(each.request())).toList();
    sent.removeAll(reports);
    reports.forEach(each -> each.answer().accept(new Answer.Refused<>("later")));
  }

  /** The oldest request about a machine or a Pod. */
  Sent first() {
    return sent.stream().filter(each -> !isReport(each.request())).findFirst().orElseThrow();
  }

  /** The pending requests about machines and Pods. */
  List<String> waiting() {
    return sent.stream()
        .map(Sent::request)
        .filter(request -> !isReport(request))
        .map(request -> request.verb() + " " + request.path().replaceFirst("\\?.*", ""))
        .toList();
  }

  private static boolean isReport(ApiRequest request) {
    return request.path().contains("simulatedfleets") || request.path().contains("configmaps");
  }

  /** The object as the API server would return it, with the next version. */
  Answer<String> done(HasMetadata object) {
    object.getMetadata().setResourceVersion(Long.toString(++version));
    return new Answer.Done<>(Serialization.asJson(object));
  }

  /** The object as a watch would deliver it, with the next version. */
  <T extends HasMetadata> T seen(T object) {
    object.getMetadata().setResourceVersion(Long.toString(++version));
    return object;
  }

  SimulatedFleet fleet() {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(
        new ObjectMetaBuilder()
            .withName(FLEET)
            .withUid("fleet")
            .withCreationTimestamp(now.toString())
            .withGeneration(1L)
            .withResourceVersion("1")
            .build());
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = "r";
    rack.instanceType = "turin-gp";
    rack.hosts = 1;
    spec.racks.add(rack);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "60s";
    timings.bootMax = "60s";
    timings.clean = "30s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
  }

  /** The machine's Host, free. */
  HostResource host() {
    Sent create =
        sent.stream()
            .filter(each -> each.request().verb() == ApiRequest.Verb.POST)
            .filter(each -> each.request().path().contains("/hosts"))
            .findFirst()
            .orElseThrow();
    HostResource host = Serialization.unmarshal(create.request().body(), HostResource.class);
    host.getMetadata().setUid("host-uid");
    HostStatus status = new HostStatus();
    status.spot = true;
    status.phase = HostStatus.Phase.FREE;
    status.tenancy = 0L;
    host.setStatus(status);
    return seen(host);
  }

  /** The Host after it was assigned just now. */
  HostResource assigned(HostResource host) {
    return assigned(host, now);
  }

  /**
   * The Host after it was assigned, at this time of the operator's clock, and its fleet has begun
   * to deliver it.
   */
  HostResource assigned(HostResource host, Instant at) {
    HostResource next = Serialization.clone(host);
    HostSpec.AssignmentSpec assignment = new HostSpec.AssignmentSpec();
    assignment.pool = "p";
    assignment.poolUid = "pool-uid";
    assignment.assignedAt = at.toString();
    next.getSpec().assignment = assignment;
    next.getSpec().tenancy = 1;
    HostStatus status = new HostStatus();
    status.spot = true;
    status.phase = HostStatus.Phase.BOOTING;
    status.tenancy = 1L;
    status.since = now.toString();
    next.setStatus(status);
    return seen(next);
  }

  /** The Host after its fleet reported that it runs. */
  static HostResource running(HostResource host) {
    HostResource next = Serialization.clone(host);
    HostStatus status = new HostStatus();
    status.spot = true;
    status.phase = HostStatus.Phase.RUNNING;
    status.tenancy = next.getSpec().tenancy;
    status.bootId = "b";
    next.setStatus(status);
    return next;
  }
}
