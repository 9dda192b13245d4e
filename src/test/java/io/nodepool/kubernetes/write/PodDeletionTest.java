package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests what precedes the deletion of a Pod: that its status says why it ends. */
@EnableKubernetesMockClient(https = false)
@SuppressWarnings("NullAway.Init")
class PodDeletionTest {
  private static final String POD = "/api/v1/namespaces/work/pods/train";

  KubernetesMockServer server;
  KubernetesClient client;

  private Answer<Observation> delete(int marked) {
    server.expect().patch().withPath(POD + "/status").andReturn(marked, "{}").once();
    server.expect().delete().withPath(POD).andReturn(200, "{}").once();
    KubernetesClient once =
        Clients.forRequests(client.getConfiguration(), new RequestMeter(new SimpleMeterRegistry()));
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-01T10:00:00.5Z"));
    return new PodRequests(new ApiRequests(once, () -> true), clock)
        .delete(
            new Action.DeletePod(
                new Action.Subject.OfPod("work", "train", "uid", "g1"), Optional.empty()));
  }

  private String sent() throws InterruptedException {
    var request = server.takeRequest(1, TimeUnit.MILLISECONDS);
    return request == null
        ? ""
        : request.getMethod() + " " + request.getPath() + " " + request.getBody().readUtf8();
  }

  @Test
  void itsStatusSaysThatItIsDisruptedBeforeItIsDeleted() throws InterruptedException {
    assertThat(delete(200)).isInstanceOf(Answer.Done.class);

    assertThat(sent())
        .startsWith("PATCH " + POD + "/status {\"metadata\":{\"uid\":\"uid\"}")
        .contains("\"type\":\"DisruptionTarget\",\"status\":\"True\"")
        .contains("\"reason\":\"DeletionByNodePool\"", "2026-01-01T10:00:00Z");
    assertThat(sent()).startsWith("DELETE " + POD);
  }

  @Test
  void whoRefusesThatDoesNotKeepThePod() throws InterruptedException {
    assertThat(delete(403)).isInstanceOf(Answer.Done.class);

    assertThat(sent()).startsWith("PATCH");
    assertThat(sent()).startsWith("DELETE");
  }

  @Test
  void anOverloadedServerIsAskedAgain() throws InterruptedException {
    assertThat(delete(503)).isInstanceOf(Answer.Unavailable.class);

    assertThat(sent()).startsWith("PATCH");
    assertThat(sent()).isEmpty();
  }
}
