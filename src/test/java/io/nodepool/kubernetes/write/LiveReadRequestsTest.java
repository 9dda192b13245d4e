package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/** Live reads of Nodes and of the Pods on them, and what is made of the answers. */
@EnableKubernetesMockClient(https = false)
@SuppressWarnings("NullAway.Init")
class LiveReadRequestsTest {
  KubernetesMockServer server;
  KubernetesClient client;

  private ApiRequests requests() {
    KubernetesClient once =
        Clients.forRequests(client.getConfiguration(), new RequestMeter(new SimpleMeterRegistry()));
    return new ApiRequests(once, () -> true);
  }

  private void node(String uid) {
    server
        .expect()
        .get()
        .withPath("/api/v1/nodes/g1")
        .andReturn(
            200,
            new NodeBuilder()
                .withNewMetadata()
                .withName("g1")
                .withUid(uid)
                .withResourceVersion("7")
                .withCreationTimestamp("2026-11-21T05:02:00Z")
                .endMetadata()
                .build())
        .once();
  }

  @Test
  void aNodeIsGoneIfOneThatNobodyDeliveredHasItsName() {
    node("another");

    assertThat(new NodeRequests(requests(), InstantSource.system()).read("g1", "uid-of-g1"))
        .isEqualTo(new Answer.Done<>(new Observation.NodeGone("g1", "uid-of-g1", 0)));
  }

  @Test
  void aNodeThatNobodyDeliveredAnyMoreIsRefused() {
    node("uid-of-g1");

    assertThat(new NodeRequests(requests(), InstantSource.system()).read("g1", "uid-of-g1"))
        .isEqualTo(new Answer.Refused<>("no Host stands behind this Node any more"));
  }

  @Test
  void theReasonWhyAMachineCannotBeReadIsASentence() {
    server
        .expect()
        .get()
        .withPath(
            "/api/v1/pods?fieldSelector=spec.nodeName%3Dg1%2Cstatus.phase!%3DSucceeded%2Cstatus.phase!%3DFailed&limit=500")
        .andReturn(
            200, new PodListBuilder().withNewMetadata().withContinue("more").endMetadata().build())
        .once();

    assertThat(
            new PodRequests(requests(), InstantSource.system())
                .readMachine(new Action.ReadMachine(new HostId("g1", "uid-of-host"), 1)))
        .isEqualTo(new Answer.Unavailable<>("Node g1 has more than 500 Pods"));
  }
}
