package io.nodepool.kubernetes.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.model.Observation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostFleetTest {
  private final List<Observation> seen = new ArrayList<>();

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
    HostFleet.report(object, seen::add);
    status.phase = null;
    HostFleet.report(object, seen::add);

    assertThat(seen)
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .isInstanceOfSatisfying(
                        Observation.HostSeen.class,
                        host -> assertThat(host.host().is(HostPhase.FREE)).isTrue()),
            last ->
                assertThat(last).isEqualTo(new Observation.HostGone(new HostId("g1", "h-1"), 7)));
  }
}
