package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.nodepool.cli.command.Crds;
import io.nodepool.kubernetes.ClientEdit;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the operator's process at moments of growth, cancellation and deletion, each after a number
 * of changes of the cluster that the seed determines. The next process completes the work, and
 * nothing is done twice. {@code -Dkill.kills=N} sets the least number; that it may die at each
 * write is tested in the virtual world.
 */
@WithLocalCluster
class KillIT {
  private static final long SEED = Long.getLong("kill.seed", 20);
  private static final int KILLS = Integer.getInteger("kill.kills", 8);

  /** In one part of the pool's life, so that all parts have some. */
  private static final int KILLS_OF_A_PART = 3;

  private static final int CHANGES_AT_MOST = 24;
  private static final int NODES = 8;
  private static final String TYPE = "turin-gp";
  private static final Duration SOON = Duration.ofMinutes(2);

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final AtomicInteger changes = new AtomicInteger();
  private final SplittableRandom random = new SplittableRandom(SEED);
  private int kills;
  private Optional<SimulatedFleetController> dataCentre = Optional.empty();

  @TempDir Path folder;

  KillIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @Test
  void afterAKillAtAnyMomentTheNextProcessCompletesTheWork() throws IOException {
    prepare();
    admin.resource(fleet()).create();
    dataCentre = Optional.of(dataCentre());
    try (Watch _ = counted(() -> admin.resources(HostResource.class).watch(counter()));
        Watch _ = counted(() -> admin.nodes().watch(counter()));
        Watch _ = counted(() -> admin.resources(NodePool.class).watch(counter()));
        Watch _ = counted(() -> admin.v1().events().inNamespace("default").watch(counter()))) {
      for (int life = 1; kills < KILLS; life++) {
        liveAndDie("pool-" + life);
      }
    }
    assertThat(kills).isGreaterThanOrEqualTo(KILLS);
  }

  @AfterEach
  void cleanUp() {
    dataCentre.ifPresent(SimulatedFleetController::close);
    admin.resources(SimulatedFleet.class).delete();
    admin.resources(HostResource.class).delete();
    admin.v1().events().inNamespace("default").delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
  }

  /**
   * Grows a pool, cancels part of a further growth and deletes the pool, while operators are
   * killed.
   */
  private void liveAndDie(String name) throws IOException {
    create(name, NODES);
    killWhile(() -> isAtTarget(name, NODES));
    assertThat(held(name)).isEqualTo(NODES);
    assertThat(eventCount(name, "CWNodePoolCreated")).isEqualTo(1);
    assertThat(eventCount(name, "CWNodeRequestQueued")).isEqualTo(NODES);
    assertThat(eventCount(name, "CWNodeAssigned")).isEqualTo(NODES);
    assertThat(eventCount(name, "CWNodeRegistered")).isEqualTo(NODES);
    assertThat(eventCount(name, "CWNodePoolScaledUp")).isEqualTo(1);
    assertThat(tenancies()).isEqualTo(NODES);

    // While the data centre is stopped no boot ends, so that all assigned Hosts can be cancelled.
    dataCentre.ifPresent(SimulatedFleetController::close);
    retarget(name, NODES + 6);
    killWhile(() -> held(name) == NODES + 6);
    retarget(name, NODES);
    killWhile(() -> held(name) == NODES && isAtTarget(name, NODES));
    dataCentre = Optional.of(dataCentre());
    assertThat(admin.nodes().list().getItems()).hasSize(NODES);

    admin.resources(NodePool.class).withName(name).delete();
    killWhile(() -> admin.resources(NodePool.class).withName(name).get() == null);
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            admin.resources(HostResource.class).list().getItems().stream()
                .allMatch(host -> host.getSpec().assignment == null));
    assertThat(admin.nodes().list().getItems()).isEmpty();
    assertThat(eventCount(name, "CWNodePoolDeleted")).isEqualTo(1);
    assertThat(eventCount(name, "CWNodeDeleted")).isEqualTo(NODES);
    admin.resources(HostResource.class).delete();
    Awaitility.await()
        .atMost(SOON)
        .until(() -> admin.resources(HostResource.class).list().getItems().size() == 20);
  }

  /** Runs operators until the condition holds, killing all but the last one after some changes. */
  private void killWhile(BooleanSupplier done) throws IOException {
    boolean last = false;
    int most = kills + KILLS_OF_A_PART;
    while (!last) {
      int until = changes.get() + 1 + random.nextInt(CHANGES_AT_MOST);
      Process operator = operator();
      try {
        Awaitility.await()
            .atMost(SOON)
            .pollInterval(Duration.ofMillis(5))
            .until(() -> done.getAsBoolean() || (kills < most && changes.get() >= until));
        last = done.getAsBoolean();
        kills += last ? 0 : 1;
      } finally {
        operator.destroyForcibly();
        operator.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        // Deletes the Lease as if it had expired, to avoid a wait of 15 s for a dead leader.
        admin
            .leases()
            .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
            .withName("nodepool-operator")
            .delete();
      }
    }
  }

  private Process operator() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "run",
            "--kubeconfig",
            folder.resolve("kubeconfig").toString(),
            "--metrics-port",
            "0")
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(folder.toFile(), "operator.log")))
        .start();
  }

  private void prepare() throws IOException {
    Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    Crds.install(admin);
    admin
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(OperatorRuntime.NAMESPACE)
                .endMetadata()
                .build())
        .serverSideApply();
  }

  private static SimulatedFleet fleet() {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName("kill").build());
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.region = "US-EAST";
    spec.organization = "org";
    spec.seed = SEED;
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = "1";
    rack.instanceType = TYPE;
    rack.hosts = 20;
    spec.racks = List.of(rack);
    SimulatedFleetSpec.Configuration configuration = new SimulatedFleetSpec.Configuration();
    configuration.name = "c1";
    spec.configurations = List.of(configuration);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "6s";
    timings.bootMax = "10s";
    timings.clean = "1s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
  }

  private SimulatedFleetController dataCentre() {
    SimulatedFleetController controller =
        SimulatedFleetController.start(
            Config.fromKubeconfig(cluster.kubeconfig()),
            new SimulatedFleetController.Settings(
                "kill", OperatorRuntime.NAMESPACE, 1, InstantSource.system()));
    Awaitility.await().atMost(SOON).until(() -> offer().isPresent());
    return controller;
  }

  private Optional<ConfigMap> offer() {
    return Optional.ofNullable(
        admin
            .configMaps()
            .inNamespace(OperatorRuntime.NAMESPACE)
            .withName(OfferDocument.NAME)
            .get());
  }

  private void create(String name, int target) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TYPE;
    spec.targetNodes = target;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  private void retarget(String name, int target) {
    ClientEdit.edited(
        admin.resources(NodePool.class).withName(name),
        pool -> pool.getSpec().targetNodes = target);
  }

  private boolean isAtTarget(String name, int nodes) {
    NodePool pool = admin.resources(NodePool.class).withName(name).require();
    return pool.getStatus() != null
        && pool.getStatus().currentNodes != null
        && pool.getStatus().currentNodes == nodes
        && pool.getStatus().conditions.stream().anyMatch(KillIT::isTargetMet);
  }

  private static boolean isTargetMet(StatusCondition condition) {
    return "AtTarget".equals(condition.type) && "TargetMet".equals(condition.reason);
  }

  private int held(String name) {
    return (int)
        admin.resources(HostResource.class).list().getItems().stream()
            .filter(host ->
                host.getSpec().assignment != null && host.getSpec().assignment.pool.equals(name))
            .count();
  }

  /** The number of assignments so far: no Host is assigned twice for one Node. */
  private long tenancies() {
    return admin.resources(HostResource.class).list().getItems().stream()
        .mapToLong(host -> host.getSpec().tenancy)
        .sum();
  }

  /** The count of the pool's Events of this reason. */
  private int eventCount(String pool, String reason) {
    return admin.v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getReason().equals(reason))
        .filter(event -> event.getInvolvedObject().getName().equals(pool))
        .mapToInt(Event::getCount)
        .sum();
  }

  /** Retries, since a new resource cannot be watched at once. */
  private static Watch counted(Supplier<Watch> watch) {
    return Awaitility.await().atMost(SOON).ignoreExceptions().until(watch::get, Objects::nonNull);
  }

  private <T extends HasMetadata> Watcher<T> counter() {
    return new Watcher<>() {
      @Override
      public void eventReceived(Action action, T object) {
        changes.incrementAndGet();
      }

      @Override
      public void onClose(WatcherException cause) {}
    };
  }
}
