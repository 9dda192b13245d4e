package io.nodepool.kubernetes.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.FaultyProxy;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A watch through a network that keeps cutting it and refuses requests. */
@WithLocalCluster
class KindWatchIT {
  private static final long SEED = Long.getLong("proxy.seed", 1);
  private static final int MAPS = 10;
  private static final int ROUNDS = 10;
  private static final Map<String, String> LABEL = Map.of("test", "kind-watch");

  private final LocalCluster cluster;
  private final KubernetesClient admin;

  KindWatchIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @AfterEach
  void cleanUp() {
    admin.configMaps().inNamespace("default").withLabels(LABEL).delete();
  }

  @Test
  void theLastStateOfEveryObjectIsObservedWhenTheWatchKeepsBeingCut() throws IOException {
    FaultyProxy.Faults faults =
        new FaultyProxy.Faults(0.2, Optional.of(Duration.ofMillis(400)), SEED);
    Map<String, String> seen = new ConcurrentSkipListMap<>();
    try (FaultyProxy proxy = new FaultyProxy(cluster, faults);
        KubernetesClient client =
            Clients.forWatches(proxy.config(), new RequestMeter(new SimpleMeterRegistry()));
        KindWatch<ConfigMap> watch = watch(client, seen)) {
      watch.start();
      Map<String, String> written = new TreeMap<>();
      for (int round = 0; round < ROUNDS; round++) {
        for (int map = 0; map < MAPS; map++) {
          written.put("kind-watch-" + map, Integer.toString(round));
          write("kind-watch-" + map, round);
        }
        for (int map = 0; map < MAPS; map += 3) {
          admin.configMaps().inNamespace("default").withName("kind-watch-" + map).delete();
          written.remove("kind-watch-" + map);
        }
        int now = round;
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(() ->
                assertThat(seen)
                    .as("round %d, -Dproxy.seed=%d, %s", now, SEED, proxy.faultsInWords())
                    .isEqualTo(written));
      }
    }
  }

  /** Such a connection cannot be distinguished from one to an idle cluster. */
  @Test
  void aWatchWhosePeerIsLostIsReopened() throws IOException {
    Map<String, String> seen = new ConcurrentSkipListMap<>();
    try (FaultyProxy proxy = new FaultyProxy(cluster, FaultyProxy.Faults.NONE);
        KubernetesClient client =
            Clients.forWatches(
                proxy.config(),
                new RequestMeter(new SimpleMeterRegistry()),
                Duration.ofSeconds(2));
        KindWatch<ConfigMap> watch = watch(client, seen)) {
      watch.start();
      write("kind-watch-0", 0);
      eventually(() -> assertThat(seen).isEqualTo(Map.of("kind-watch-0", "0")));

      eventually(() -> assertThat(proxy.loseOpenWatches()).isEqualTo(1));
      write("kind-watch-0", 1);
      eventually(() -> assertThat(seen).isEqualTo(Map.of("kind-watch-0", "1")));
    }
  }

  private static void eventually(ThrowingRunnable assertion) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion);
  }

  private static KindWatch<ConfigMap> watch(KubernetesClient client, Map<String, String> seen) {
    return new KindWatch<>(
        "ConfigMap",
        client.configMaps().inNamespace("default").withLabels(LABEL),
        SlimStore.identityOnly(ConfigMap::new),
        map -> seen.put(ObjectFacts.name(map), map.getData().get("round")),
        map -> seen.remove(ObjectFacts.name(map)));
  }

  private void write(String name, int round) {
    admin
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withLabels(LABEL)
                .endMetadata()
                .addToData("round", Integer.toString(round))
                .build())
        .forceConflicts()
        .serverSideApply();
  }
}
