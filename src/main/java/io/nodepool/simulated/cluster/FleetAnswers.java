package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.client.ApiSerialization;
import java.time.InstantSource;
import java.util.Optional;

/** What the data centre observes in the answers to its own writes. */
record FleetAnswers(FleetLoop loop, SimulatedMachines machines, InstantSource clock)
    implements FleetSubmitter.Outcomes {
  private static final int LONGEST = 1024;
  private static final ApiSerialization JSON = ApiSerialization.shared();

  @Override
  public void found(FleetKey key, ApiRequest request, String object) {
    boolean deleted = request.verb() == ApiRequest.Verb.DELETE;
    switch (key) {
      case FleetKey.OfMachine(String name) -> {
        if (deleted) {
          machines
              .find(name)
              .flatMap(machine -> Optional.ofNullable(machine.host))
              .ifPresent(host -> machines.hostGone(name, host.id().uid(), true));
        } else {
          observeMachine(request, object);
        }
      }
      case FleetKey.OfKubelet(String name) ->
          machines.find(name).ifPresent(machine -> observeHeartbeat(machine, request, object));
      case FleetKey.OfPod(String uid) -> {
        if (deleted) {
          machines.podGone(uid);
        } else {
          loop.podSeen(JSON.unmarshal(object, Pod.class));
        }
      }
      case FleetKey.Report.OFFER -> loop.offerSeen(JSON.unmarshal(object, ConfigMap.class));
      case FleetKey.Report.STATUS -> loop.fleetSeen(JSON.unmarshal(object, SimulatedFleet.class));
      case FleetKey.Upkeep.WRITES, FleetKey.Upkeep.RECLAIMS -> {}
    }
  }

  /**
   * Observes the answer to a heartbeat, which never adds a Node, since the Node may have been
   * deleted meanwhile.
   */
  private void observeHeartbeat(SimulatedMachine machine, ApiRequest request, String object) {
    if (request.verb() == ApiRequest.Verb.APPLY) {
      Heartbeats.renewed(machine, clock.instant());
    }
    if (request.type() != Node.class) {
      return;
    }
    Node seen = JSON.unmarshal(object, Node.class);
    if (machine.node != null && machine.node.uid().equals(seen.getMetadata().getUid())) {
      loop.nodeSeen(seen);
    }
  }

  private void observeMachine(ApiRequest request, String object) {
    if (request.type() == Node.class) {
      loop.nodeSeen(JSON.unmarshal(object, Node.class));
    } else {
      loop.hostSeen(JSON.unmarshal(object, HostResource.class));
    }
  }

  @Override
  public void denied(FleetKey key, ApiRequest request, String why) {
    if (key instanceof FleetKey.OfMachine(String name) && request.type() == Node.class) {
      machines
          .find(name)
          .ifPresent(machine ->
              machine.joinRefusal = why.length() <= LONGEST ? why : why.substring(0, LONGEST));
    }
  }

  @Override
  public void missing(FleetKey key, ApiRequest request) {
    if (key instanceof FleetKey.OfPod(String uid)) {
      machines.podGone(uid);
    }
  }

  @Override
  public void free(FleetKey key) {
    if (key instanceof FleetKey.OfMachine(String name)) {
      machines.answered(name);
    }
    loop.reconcile(key);
  }
}
