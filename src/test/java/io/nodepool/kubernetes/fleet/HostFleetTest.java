package io.nodepool.kubernetes.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.NodeFleet;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostFleetTest {
  private final List<String> events = new ArrayList<>();

  private final NodeFleet.Listener listener =
      new NodeFleet.Listener() {
        @Override
        public void offer(FleetOffer offer) {}

        @Override
        public void offerLost(String why) {}

        @Override
        public void definition(Optional<String> missing) {}

        @Override
        public void host(Host host) {
          events.add("host " + host.report().phase());
        }

        @Override
        public void hostUnreadable(HostId host, long version, String why, String poolUid) {}

        @Override
        public void hostGone(HostId host, long version) {
          events.add("gone " + host.uid());
        }
      };

  @Test
  void aHostThatLosesItsPhaseIsGoneUntilItHasOneAgain() {
    HostResource object = new HostResource();
    object.setMetadata(
        new ObjectMetaBuilder().withName("g1").withUid("h-1").withResourceVersion("7").build());
    HostSpec spec = new HostSpec();
    spec.machine.instanceType = "gd-8xh100ib-i128";
    object.setSpec(spec);
    HostStatus status = new HostStatus();
    object.setStatus(status);

    status.phase = HostStatus.Phase.FREE;
    HostFleet.tell(object, listener);
    status.phase = null;
    HostFleet.tell(object, listener);

    assertThat(events).containsExactly("host FREE", "gone h-1");
  }
}
