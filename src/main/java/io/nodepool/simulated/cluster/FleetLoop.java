package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.thread.Timers;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.LocalTimes;
import io.nodepool.simulated.MachineLife;
import io.nodepool.simulated.Next;
import io.nodepool.simulated.PodLife;
import io.nodepool.simulated.PodRun;
import io.nodepool.simulated.Reclaims;
import io.nodepool.simulated.cluster.document.DataCentreDocument;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reconcile loop of the data centre. For one key at a time - a machine, a Pod, the offer, the
 * status - it does what the pure core returns: at most one write, or a time to run again. All state
 * is on the objects, so a data centre continues after a restart. Confined to the data centre's
 * thread.
 */
final class FleetLoop {
  private static final Logger log = LoggerFactory.getLogger(FleetLoop.class);

  /** A data centre with a valid description, and the objects derived from it. */
  private record Running(
      DataCentre centre, Instant start, MachineLife life, Reclaims reclaims, NodeBlueprint nodes) {}

  private final FleetRequests requests;
  private final SimulatedFleetController.Settings settings;
  private final Timers<FleetKey> timers;
  private final InstantSource clock;
  private final InstanceCatalogue catalogue;
  private final Optional<Heartbeats> heartbeats;
  private final FleetSubmitter writes;
  private final SimulatedMachines machines = new SimulatedMachines(this::reconcile);
  private final ReclaimNotices notices;
  private final FleetReports reports;

  private boolean listed;
  private @Nullable SimulatedFleet fleet;
  private Optional<String> mistake = Optional.empty();
  private Optional<Running> running = Optional.empty();

  /**
   * A loop without observations.
   *
   * @param clock the data centre's one clock; it must not jump
   */
  FleetLoop(
      ApiSender sender,
      Timers<FleetKey> timers,
      InstanceCatalogue catalogue,
      SimulatedFleetController.Settings settings,
      InstantSource clock) {
    this.requests = new FleetRequests(settings.fleet(), settings.namespace());
    this.settings = settings;
    this.heartbeats = settings.leases() ? Optional.of(new Heartbeats(requests)) : Optional.empty();
    this.timers = timers;
    this.clock = clock;
    this.catalogue = catalogue;
    this.writes =
        new FleetSubmitter(sender, timers, clock, new FleetAnswers(this, machines, clock));
    this.reports = new FleetReports(requests, writes, timers, clock);
    this.notices = new ReclaimNotices(machines, timers, this::reconcile, clock, settings.speed());
  }

  /** Called when every kind was listed once; nothing is done before. */
  void listed() {
    listed = true;
    if (fleet == null) {
      log.warn("There is no SimulatedFleet named {}.", requests.fleet());
    }
    notices.listed();
    machines.wakeAll();
    reconcile(FleetKey.Report.OFFER);
    reconcile(FleetKey.Report.STATUS);
  }

  /** Observes the SimulatedFleet. A mistake in its spec leaves the data centre unchanged. */
  void fleetSeen(SimulatedFleet seen) {
    SimulatedFleet last = fleet;
    if (last == null || !ObjectFacts.uid(last).equals(ObjectFacts.uid(seen))) {
      fleet = seen;
      describe(seen);
    } else if (ObjectFacts.version(last) < ObjectFacts.version(seen)) {
      fleet = seen;
      if (!Objects.equals(last.getMetadata().getGeneration(), seen.getMetadata().getGeneration())) {
        describe(seen);
      }
    }
    reconcile(FleetKey.Report.STATUS);
  }

  private void describe(SimulatedFleet seen) {
    switch (DataCentreDocument.read(seen.getSpec(), catalogue)) {
      case DataCentreDocument.Reading.Valid(DataCentre centre, String kubelet) -> {
        mistake = Optional.empty();
        DataCentre atSpeed = centre.faster(settings.speed());
        running =
            Optional.of(
                new Running(
                    atSpeed,
                    ObjectFacts.createdAt(seen),
                    new MachineLife(atSpeed, machines::observedHosts),
                    new Reclaims(atSpeed, ObjectFacts.createdAt(seen)),
                    new NodeBlueprint(
                        centre.offer(), centre.site().cluster(), kubelet, settings.addresses())));
        machines.describe(centre.slots(catalogue));
        reconcile(FleetKey.Report.OFFER);
      }
      case DataCentreDocument.Reading.Invalid(String why) -> {
        mistake = Optional.of("Nothing of the spec is carried out until this is corrected: " + why);
        log.warn("SimulatedFleet {} is invalid: {}", requests.fleet(), why);
      }
    }
  }

  /** Observes the deletion of the SimulatedFleet; its machines continue unchanged. */
  void fleetGone() {
    fleet = null;
    log.warn("SimulatedFleet {} was deleted; its machines stay as they are.", requests.fleet());
  }

  /** Observes the ConfigMap with the offer. */
  void offerSeen(ConfigMap map) {
    reports.offerSeen(map);
    reconcile(FleetKey.Report.OFFER);
  }

  /** Observes the deletion of that ConfigMap. */
  void offerGone() {
    reports.offerGone();
    reconcile(FleetKey.Report.OFFER);
  }

  /** Observes a Host of this fleet. */
  void hostSeen(HostResource host) {
    Sightings.host(host)
        .ifPresentOrElse(
            this::hostSeen,
            () -> machines.hostUnreadable(host.getMetadata().getName(), ObjectFacts.version(host)));
  }

  private void hostSeen(Sightings.SeenHost seen) {
    if (machines.hostSeen(local(seen.host()), seen)) {
      notices.annotationSeen(seen.host().id().name(), seen.reclaimRequest());
      notices.changed();
    }
  }

  /** Observes a NodePool. */
  void poolSeen(NodePool pool) {
    Sightings.pool(pool).ifPresent(notices::poolSeen);
  }

  /** Observes the deletion of a NodePool. */
  void poolGone(HasMetadata pool) {
    notices.poolGone(pool.getMetadata().getUid());
  }

  private Host local(Host seen) {
    Optional<Host> last =
        machines.find(seen.id().name()).flatMap(each -> Optional.ofNullable(each.host));
    return LocalTimes.of(seen, last, clock.instant());
  }

  /** Observes the deletion of a Host. */
  void hostGone(HasMetadata host) {
    String name = host.getMetadata().getName();
    machines.hostGone(
        name, host.getMetadata().getUid(), writes.isUnderWay(new FleetKey.OfMachine(name)));
    notices.annotationSeen(name, Optional.empty());
    notices.changed();
  }

  /** Observes a Node. */
  void nodeSeen(Node node) {
    machines.nodeSeen(
        node.getMetadata().getName(),
        Sightings.node(node),
        ObjectFacts.orNone(node.getMetadata().getLabels()));
  }

  /** Observes the deletion of a Node. */
  void nodeGone(HasMetadata node) {
    String name = node.getMetadata().getName();
    machines.nodeGone(
        name, node.getMetadata().getUid(), writes.isUnderWay(new FleetKey.OfMachine(name)));
  }

  /** Observes a Pod that is bound to a Node. */
  void podSeen(io.fabric8.kubernetes.api.model.Pod pod) {
    Sightings.pod(pod).ifPresent(seen -> machines.podSeen(seen, listed, clock.instant()));
  }

  /** Observes the deletion of a Pod. */
  void podGone(HasMetadata pod) {
    machines.podGone(pod.getMetadata().getUid());
  }

  /** Reconciles one key. */
  void reconcile(FleetKey key) {
    switch (key) {
      case FleetKey.Upkeep.WRITES -> writes.runDue();
      case FleetKey.Upkeep.RECLAIMS -> notices.check();
      case FleetKey _ when !isDue(key) -> {}
      case FleetKey.OfMachine(String name) ->
          machines.find(name).ifPresent(m -> reconcileMachine(key, m));
      case FleetKey.OfKubelet(String name) -> machines.find(name).ifPresent(m -> heartbeat(key, m));
      case FleetKey.OfPod(String uid) ->
          machines
              .ofPod(uid)
              .ifPresentOrElse(
                  machine -> reconcilePod(key, machine, uid), () -> writes.forget(key));
      case FleetKey.Report.OFFER -> reports.reconcileOffer(current().centre(), current().start());
      case FleetKey.Report.STATUS -> reportStatus();
    }
  }

  private boolean isDue(FleetKey key) {
    return listed && (running.isPresent() || key == FleetKey.Report.STATUS) && writes.isFree(key);
  }

  private void reconcileMachine(FleetKey key, SimulatedMachine machine) {
    Host host = machine.host;
    if (machine.unreadable > 0) {
      return;
    }
    if (host == null) {
      DataCentre.Slot slot = machine.slot;
      if (slot == null) {
        writes.forget(key);
      } else {
        writes.submit(key, requests.createHost(slot), Map.of("Host", slot.machine()));
      }
    } else if (machine.isSurplus() && (machine.unreported || machine.isFree())) {
      writes.submit(
          key,
          requests.deleteHost(host.id(), host.version()),
          Map.of("end of a Host", host.id().uid()));
    } else if (machine.unreported) {
      Host.Report first = firstReport(machine, host);
      writes.submit(key, requests.firstReport(host, first), FleetEffects.of(host, first));
    } else if (!host.report().joinRefusal().equals(machine.refusal())) {
      Host.Report refused = host.report().withJoinRefusal(machine.refusal());
      writes.submit(key, requests.report(host, refused), FleetEffects.of(host, refused));
    } else {
      relabelled(machine, host)
          .ifPresentOrElse(
              request -> writes.submit(key, request, Map.of("labels of a Node", host.id().uid())),
              () -> follow(key, next(machine, host), machine));
    }
  }

  private Next next(SimulatedMachine machine, Host host) {
    return current()
        .reclaims()
        .next(current().life(), host, machine.joined(), notices.wish(machine), clock.instant());
  }

  /** The request that restores the machine's labels that a client changed on the Node. */
  private Optional<ApiRequest> relabelled(SimulatedMachine machine, Host host) {
    return Optional.ofNullable(machine.node)
        .filter(_ -> machine.mayBeRelabelled() && machine.isServing())
        .flatMap(node ->
            catalogue
                .find(host.machine().instanceType())
                .map(type -> current().nodes().ownLabels(host, type))
                .filter(machine::compareLabels)
                .map(own -> requests.label(machine.name, node.uid(), own)));
  }

  private Host.Report firstReport(SimulatedMachine machine, Host host) {
    return new Host.Report(HostPhase.FREE, host.tenancy(), "", "", clock.instant())
        .withSpot(current().reclaims().decide(host, notices.wish(machine), clock.instant()).spot());
  }

  private void reconcilePod(FleetKey key, SimulatedMachine machine, String uid) {
    SimulatedMachine.SeenPod seen = machine.pods.get(uid);
    if (seen != null && machine.isServing()) {
      follow(key, PodLife.next(seen.pod(), seen.run(), clock.instant()), machine);
    }
  }

  private void follow(FleetKey key, Next next, SimulatedMachine machine) {
    next.wakeup().ifPresentOrElse(time -> timers.at(key, time), () -> timers.cancel(key));
    next.action()
        .ifPresent(action ->
            request(action, machine)
                .ifPresent(it -> writes.submit(key, it, FleetEffects.of(action))));
  }

  private Optional<ApiRequest> request(FleetAction action, SimulatedMachine machine) {
    return switch (action) {
      case FleetAction.ReportHost report ->
          Optional.of(requests.report(report.seen(), report.report()));
      case FleetAction.JoinNode(Host host) ->
          catalogue
              .find(host.machine().instanceType())
              .map(type -> requests.join(current().nodes().of(host, type, clock.instant())));
      case FleetAction.ReportReadiness readiness ->
          catalogue
              .find(readiness.host().machine().instanceType())
              .map(type -> current().nodes().booted(readiness.host(), type))
              .map(booted -> requests.reportReadiness(readiness, booted, clock.instant()));
      case FleetAction.StartPod(FleetAction.PodId pod) ->
          machine
              .kubelet(pod)
              .map(kubelet -> kubelet.running(machine.name, clock.instant()))
              .map(requests::reportPod);
      case FleetAction.ReportRun(FleetAction.PodId pod, PodRun.Report report) ->
          machine
              .kubelet(pod)
              .map(kubelet -> kubelet.of(report, clock.instant()))
              .map(requests::reportPod);
      case FleetAction.EndPod(FleetAction.PodId pod) -> Optional.of(requests.end(pod));
    };
  }

  private void heartbeat(FleetKey key, SimulatedMachine machine) {
    heartbeats
        .flatMap(beats -> beats.next(machine, clock.instant()))
        .ifPresentOrElse(
            beat ->
                beat.request()
                    .ifPresentOrElse(
                        request -> writes.submit(key, request, FleetEffects.ofBeat(request)),
                        () -> timers.at(key, beat.wakeup())),
            () -> writes.forget(key));
  }

  private void reportStatus() {
    if (fleet != null) {
      reports.reconcileStatus(fleet, machines, mistake.or(notices::problem).or(machines::leftover));
    }
  }

  private Running current() {
    return running.orElseThrow();
  }
}
