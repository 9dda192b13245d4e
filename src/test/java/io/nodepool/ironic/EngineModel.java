package io.nodepool.ironic;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.FleetRelease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A machine of an Ironic with its Host and its Node, as far as the fleet sees them. Ironic's states
 * and refusals are those that version 39.0.0 was seen to have.
 */
final class EngineModel {
  static final Instant BEGIN = Instant.parse("2026-11-01T00:00:00Z");
  static final String FIRST = "live-1_6.8.0-71_none_v1.34.4";
  static final String SECOND = "live-2_6.8.0-71_none_v1.34.4";
  static final String UID = "5f0c7c1e-4d1b-4a86-8c55-0d7b3f8f1f0a";
  static final FleetOffer OFFER =
      new FleetOffer(
          "zone",
          "region",
          "org",
          new TreeSet<>(List.of("turin-gp")),
          new TreeSet<>(),
          new TreeMap<>(Map.of("turin-gp", 8)),
          List.of(
              new FleetRelease.Parts(
                  "r", List.of(image("live-1"), image("live-2")), List.of(), "v1.34.4")),
          new FleetOffer.Capabilities(IronicMachine.BOOTS, false, false));

  Host host;
  IronicNode node;
  Optional<MachineKubelet> kubelet = Optional.empty();
  Instant now = BEGIN;

  /** What happened to the machine: its boots, and what Ironic began. */
  final List<String> history = new ArrayList<>();

  /** Whether Ironic lets the next deployment fail. */
  boolean failing;

  private String bootId = "";
  private int boots;
  private int actions;

  EngineModel() {
    this.host =
        new Host(
            new HostId("metal-01", UID),
            1,
            new Machine(
                "turin-gp",
                new Machine.Location("zone", "region", "r1", "", 1),
                Machine.Interconnect.NONE),
            Host.Occupancy.none(0),
            DeliveryHistory.CLEAN,
            new Host.Report(HostPhase.FREE, 0, "", "", BEGIN));
    this.node = node(ProvisionState.AVAILABLE, "power off", "");
  }

  private static FleetRelease.Image image(String name) {
    return new FleetRelease.Image(
        name,
        FleetRelease.STABLE,
        List.of("6.8.0-71"),
        new FleetRelease.Image.Source("http://images/" + name + ".iso", "", ""));
  }

  static IronicNode node(ProvisionState state, String power, String instance) {
    return new IronicNode(
        "uuid",
        "metal-01",
        new IronicNode.Kind("turin-gp", new TreeSet<>()),
        state,
        new IronicNode.Power(power, "", ""),
        new IronicNode.Obstacles(false, "", "", false, false, true),
        instance,
        "",
        IronicNode.Note.NONE,
        Map.of("system_uuid", "board"),
        BEGIN);
  }

  // What the operator does.

  void assign(String configuration) {
    Assignment held =
        new Assignment(new PoolId("pool", "pool-uid"), "default", "op", now, NodeTemplate.EMPTY);
    changed(
        host.withOccupancy(
            new Host.Occupancy(
                host.tenancy() + 1, Optional.of(held), configuration, Host.Power.ON)));
  }

  void occupy(java.util.function.UnaryOperator<Host.Occupancy> change) {
    changed(host.withOccupancy(change.apply(host.occupancy())));
  }

  void power(Host.Power power) {
    occupy(occupancy -> occupancy.withPower(power));
  }

  void release() {
    kubelet = Optional.empty();
    occupy(Host.Occupancy::released);
  }

  private void changed(Host next) {
    host = next.withVersion(host.version() + 1);
  }

  // What the fleet does.

  /** The next step of the fleet, from what is on the objects alone. */
  EngineStep next() {
    return IronicMachine.next(host, seen(), kubelet, OFFER, now);
  }

  IronicNode seen() {
    return new IronicNode(
        node.uuid(),
        node.name(),
        node.kind(),
        node.state(),
        node.power(),
        node.obstacles(),
        node.instance(),
        node.lastError(),
        node.note(),
        node.extra(),
        now);
  }

  /** Carries out a step that was decided on this version of the Host. Returns whether it did. */
  boolean apply(EngineStep step, long version) {
    return switch (step) {
      case EngineStep.Wait _ -> true;
      case EngineStep.Report(Host.Report report) -> {
        if (version == host.version()) {
          changed(host.withReport(report));
          yield true;
        }
        yield false;
      }
      case EngineStep.Ask(EngineRequest request) -> ask(request);
      case EngineStep.Join _ -> {
        if (kubelet.isEmpty()) {
          kubelet = Optional.of(new MachineKubelet("node", "1", "", "", "", "", false));
          reports();
          yield true;
        }
        yield false;
      }
      case EngineStep.Identify(MachineKubelet seen) -> {
        boolean same = kubelet.filter(seen::equals).isPresent();
        if (same) {
          kubelet =
              Optional.of(
                  new MachineKubelet(
                      "node", "2", UID, "" + host.tenancy(), bootId, seen.systemUuid(), false));
        }
        yield same;
      }
      case EngineStep.DeleteHost _ -> true;
    };
  }

  /** Ironic takes a request, or refuses it with 409 or 400. */
  private boolean ask(EngineRequest request) {
    boolean idle = !node.isBusy() && node.state().actsNext() != ProvisionState.ActsNext.ENGINE;
    return switch (request) {
      case EngineRequest.ClaimNode claim -> {
        boolean free = node.instance().isEmpty() || node.instance().equals(claim.instance());
        if (idle && free) {
          node = with(node.state(), node.power(), claim.instance(), claim.note());
        }
        yield idle && free;
      }
      case EngineRequest.Unclaim _ -> {
        if (idle) {
          node = with(node.state(), node.power(), "", node.note());
        }
        yield idle;
      }
      case EngineRequest.Mark(IronicNode.Note note) -> {
        if (idle) {
          node = with(node.state(), node.power(), node.instance(), note);
        }
        yield idle;
      }
      case EngineRequest.Deploy _ -> {
        boolean may = idle && node.state() == ProvisionState.AVAILABLE;
        if (may) {
          history.add("deploy " + node.note().configuration());
          node = with(ProvisionState.DEPLOYING, node.power(), node.instance(), node.note());
        }
        yield may;
      }
      case EngineRequest.Undeploy _ -> {
        boolean may = idle && node.state().canBeUndeployed();
        if (may) {
          history.add("undeploy");
          node = with(ProvisionState.DELETING, node.power(), node.instance(), node.note());
        }
        yield may;
      }
      case EngineRequest.Manage _ -> {
        boolean may = idle && node.state() == ProvisionState.CLEAN_FAILED;
        if (may) {
          node = with(ProvisionState.MANAGEABLE, node.power(), "", node.note()).withLastError("");
        }
        yield may;
      }
      case EngineRequest.Provide _ -> {
        boolean may = idle && node.state() == ProvisionState.MANAGEABLE;
        if (may) {
          history.add("clean");
          node = with(ProvisionState.CLEANING, node.power(), "", node.note());
        }
        yield may;
      }
      case EngineRequest.SetPower(EngineRequest.Target target) -> {
        if (idle) {
          history.add(target.word());
          String end = target == EngineRequest.Target.OFF ? "power off" : "power on";
          if (target == EngineRequest.Target.OFF) {
            bootId = "";
          } else if (target != EngineRequest.Target.ON || !node.isOn()) {
            boot();
          }
          node =
              with(
                  node.state(),
                  new IronicNode.Power(node.power().state(), end, "action " + ++actions),
                  node.instance(),
                  node.note());
        }
        yield idle;
      }
    };
  }

  IronicNode with(
      ProvisionState state, IronicNode.Power power, String instance, IronicNode.Note note) {
    return new IronicNode(
        node.uuid(),
        node.name(),
        node.kind(),
        state,
        power,
        node.obstacles(),
        instance,
        node.lastError(),
        note,
        node.extra(),
        node.seenAt());
  }

  private void boot() {
    bootId = "boot-" + ++boots;
  }

  private void reports() {
    if (!bootId.isEmpty()) {
      kubelet =
          kubelet.map(each ->
              new MachineKubelet(
                  each.uid(),
                  each.version() + "'",
                  each.hostUid(),
                  each.tenancy(),
                  bootId,
                  "board",
                  false));
    }
  }

  /** Ten seconds pass: Ironic finishes what it does, and kubelets report. */
  void pass() {
    now = now.plus(Duration.ofSeconds(10));
    IronicNode.Power on = new IronicNode.Power("power on", "", node.power().lastAction());
    IronicNode.Power off = new IronicNode.Power("power off", "", node.power().lastAction());
    if (!node.power().target().isEmpty()) {
      boolean goesOn = node.power().target().equals("power on");
      node = with(node.state(), goesOn ? on : off, node.instance(), node.note());
    }
    switch (node.state()) {
      case DEPLOYING -> {
        node =
            with(
                failing ? ProvisionState.DEPLOY_FAILED : ProvisionState.ACTIVE,
                failing ? off : on,
                node.instance(),
                node.note());
        if (!failing) {
          boot();
        }
        failing = false;
      }
      case DELETING -> {
        bootId = "";
        node = with(ProvisionState.CLEANING, off, "", node.note());
      }
      case CLEANING -> node = with(ProvisionState.AVAILABLE, off, "", node.note());
      default -> {}
    }
    if (node.isOn() && node.power().target().isEmpty()) {
      reports();
    }
  }
}
