package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.Observation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ConfigMap that changes the alerts, as the operator observes it. */
@WithLocalCluster
class AlertsIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String NAMESPACE = OperatorRuntime.NAMESPACE;

  private final Config config;
  private final KubernetesClient admin;
  private final List<Observation> seen = new CopyOnWriteArrayList<>();

  AlertsIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
  }

  @AfterEach
  void cleanUp() {
    alerts().delete();
    admin.configMaps().inNamespace(NAMESPACE).withName("other-alerts").delete();
  }

  private Resource<ConfigMap> alerts() {
    return admin.configMaps().inNamespace(NAMESPACE).withName(AlertsDocument.NAME);
  }

  private void write(String name, String document) {
    admin
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .endMetadata()
                .addToData(AlertsDocument.KEY, document)
                .build())
        .serverSideApply();
  }

  private void watching(Runnable test) {
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
    try (FairLanes lanes = new FairLanes(4, Duration.ZERO);
        KubernetesClient client = Clients.forRequests(config, meter);
        KubernetesClient watching = Clients.forWatches(config, meter);
        ClusterWatches watches =
            new ClusterWatches(
                watching,
                new HostFleet(
                    new ApiRequests(client, () -> true), lanes, watching, NAMESPACE, seen::add),
                NAMESPACE,
                seen::add)) {
      watches.start();
      await().atMost(SOON).until(watches.listed()::isDone);
      test.run();
    }
  }

  private List<Observation> ofAlerts() {
    return seen.stream()
        .filter(each ->
            each instanceof Observation.CatalogueSeen
                || each instanceof Observation.CatalogueRefused)
        .toList();
  }

  private void awaitAlerts(int count) {
    await().atMost(SOON).untilAsserted(() -> assertThat(ofAlerts()).hasSize(count));
  }

  private static Observation graded(Grade grade) {
    return new Observation.CatalogueSeen(
        AlertCatalogue.shipped().changedBy(AlertsDocument.KEY, graded(grade.word())));
  }

  private static String graded(String grade) {
    return "alerts:\n  GPUVeryHot:\n    grade: " + grade + "\n";
  }

  @Test
  void eachStateOfItIsObservedAndAMistakeWithItsLine() {
    watching(() -> {
      assertThat(ofAlerts()).isEmpty();
      write(AlertsDocument.NAME, graded("manual"));
      awaitAlerts(1);
      write(AlertsDocument.NAME, graded("hot"));
      awaitAlerts(2);
      write(AlertsDocument.NAME, graded("watch"));
      awaitAlerts(3);
      alerts().delete();
      awaitAlerts(4);

      List<Observation> all = ofAlerts();
      assertThat(all.get(0)).isEqualTo(graded(Grade.MANUAL));
      assertThat(all.get(1))
          .isInstanceOfSatisfying(
              Observation.CatalogueRefused.class,
              refused ->
                  assertThat(refused.why())
                      .startsWith("alerts.yaml line 3: grade of GPUVeryHot is \"hot\"; write"));
      assertThat(all.get(2)).isEqualTo(graded(Grade.WATCH));
      assertThat(all.get(3)).isEqualTo(new Observation.CatalogueSeen(AlertCatalogue.shipped()));
    });
  }

  @Test
  void anOperatorThatStartsReadsItAndNoOtherMap() {
    write("other-alerts", graded("none"));
    write(AlertsDocument.NAME, graded("out now"));
    watching(() -> assertThat(ofAlerts()).containsExactly(graded(Grade.OUT_NOW)));
  }
}
