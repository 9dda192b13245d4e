package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import io.nodepool.vocabulary.Metric;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The operator, or the data centre, behind a network that loses answers, refuses requests and cuts
 * watches: the final state is the same as without faults, at a bounded number of requests.
 */
@WithLocalCluster
class RoughNetworkIT {
  private static final long SEED = Long.getLong("proxy.seed", 1);
  private static final FaultyProxy.Faults ROUGH =
      new FaultyProxy.Faults(0.1, Optional.of(Duration.ofSeconds(6)), SEED);
  private static final int NODES = 20;
  private static final int CANCELLED = 10;
  private static final int HOSTS = 35;

  /**
   * Events that the faults themselves cause. A Host whose assignment was refused is not assigned
   * for a while, so capacity may be insufficient for a moment. A registration that failed three
   * times is reported on its Node (decision 266). The watch of the offer may be cut when the pool
   * is created, and then its quota is unknown. Each course waits until all Nodes are registered all
   * the same: only those are counted as current.
   */
  private static final Set<String> OF_FAULTS =
      Set.of(
          "CWInsufficientCapacity",
          "CWNodePoolNodesRequestFailed",
          "CWNodePoolNodesRemoveError",
          "CWNodePoolQuotaCheckFailed",
          "CWNodeRegistrationFailed");

  private static final String FLEET = "rough";
  private static final String POOL = "rough";

  /**
   * The maximum factor over the requests of the run without faults, watches and Leases excluded.
   */
  private static final int DEARER = 2;

  private final LocalCluster cluster;
  private final KubernetesClient admin;

  RoughNetworkIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
    // Other tests have emitted Events about their pools on the same cluster.
    admin.v1().events().inNamespace("default").delete();
  }

  @AfterEach
  void cleanUp() {
    TestCluster.removePools(admin);
    admin.resources(SimulatedFleet.class).delete();
    admin.resources(HostResource.class).delete();
    admin.nodes().delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    admin.v1().events().inNamespace("default").delete();
    admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).delete();
  }

  /** The program whose requests go through the proxy. */
  private enum Behind {
    OPERATOR,
    DATA_CENTRE
  }

  /**
   * The result of a run.
   *
   * @param assignments how often a Host was assigned
   * @param emitted the total count of the pool's Events by reason
   * @param lost the number of Events that the API server did not accept in several attempts
   * @param requests the number of requests, without watches and Leases
   */
  private record Course(long assignments, Map<String, Integer> emitted, long lost, long requests) {}

  @Test
  void anOperatorBehindARoughNetworkEndsInTheSameState() throws IOException {
    endsInTheSameState(Behind.OPERATOR);
  }

  @Test
  void aDataCentreBehindARoughNetworkEndsInTheSameState() throws IOException {
    endsInTheSameState(Behind.DATA_CENTRE);
  }

  private void endsInTheSameState(Behind who) throws IOException {
    Course smooth = course(who, FaultyProxy.Faults.NONE);
    assertThat(smooth.assignments()).isEqualTo(NODES + CANCELLED);
    assertThat(smooth.emitted())
        .containsEntry("CWNodePoolCreated", 1)
        .containsEntry("CWNodeRequestQueued", NODES + CANCELLED)
        .containsEntry("CWNodeRegistered", NODES)
        .containsEntry("CWNodePoolDeleted", 1);
    cleanUp();

    Course rough = course(who, ROUGH);

    assertThat(rough.assignments()).as(inWords(rough)).isEqualTo(smooth.assignments());
    assertThat(smooth.lost()).isZero();
    assertThat(smooth.emitted())
        .as(inWords(rough))
        .containsKeys(rough.emitted().keySet().toArray(String[]::new));
    smooth
        .emitted()
        .forEach((reason, count) ->
            assertThat(rough.emitted().getOrDefault(reason, 0))
                .as("%s: %s", reason, inWords(rough))
                .isLessThanOrEqualTo(count));
    assertThat(smooth.emitted().entrySet())
        .as(inWords(rough))
        .filteredOn(emitted -> !emitted.getValue().equals(rough.emitted().get(emitted.getKey())))
        .hasSizeLessThanOrEqualTo((int) rough.lost());
    assertThat(rough.requests()).as(inWords(rough)).isLessThanOrEqualTo(DEARER * smooth.requests());
  }

  private static String inWords(Course course) {
    return "-Dproxy.seed=%d, %s".formatted(SEED, course);
  }

  private Course course(Behind who, FaultyProxy.Faults faults) throws IOException {
    admin.resource(fleet()).create();
    Config direct = Config.fromKubeconfig(cluster.kubeconfig());
    try (FaultyProxy proxy = new FaultyProxy(cluster, faults);
        Centre centre = new Centre(who == Behind.DATA_CENTRE ? proxy.config() : direct);
        Operators operators = new Operators(who == Behind.OPERATOR ? proxy.config() : direct)) {
      try {
        return live(proxy, centre, operators);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "%s behind a proxy with %s;%n%s".formatted(who, proxy.faultsInWords(), stateInWords()),
            e);
      }
    }
  }

  private Course live(FaultyProxy proxy, Centre centre, Operators operators) {
    centre.start();
    soon().until(() -> hosts(host -> phase(host) == HostStatus.Phase.FREE) == HOSTS);
    // The offer is written beside the Hosts. Without one the quota is unknown, which is reported.
    soon().until(this::isOfferPublished);
    create();
    soon().until(() -> isAtTarget(NODES));
    assertThat(held()).isEqualTo(NODES);
    assertThat(admin.nodes().list().getItems()).hasSize(NODES);

    // While the data centre is stopped no boot ends, so all assignments in progress can be
    // cancelled.
    centre.close();
    retarget(NODES + CANCELLED);
    // What was not yet reported about the growth when it is reverted is never reported.
    soon().until(() -> held() == NODES + CANCELLED && inProgress() == CANCELLED);
    retarget(NODES);
    soon().until(() -> held() == NODES && isAtTarget(NODES));
    centre.start();

    admin.resources(NodePool.class).withName(POOL).delete();
    soon().until(() -> admin.resources(NodePool.class).withName(POOL).get() == null);
    assertThat(held()).isZero();
    assertThat(admin.nodes().list().getItems()).isEmpty();
    soon().until(() -> hosts(host -> phase(host) == HostStatus.Phase.FREE) == HOSTS);
    return new Course(assignments(), emitted(), operators.lost(), counted(proxy.requests()));
  }

  private boolean isOfferPublished() {
    return admin
            .configMaps()
            .inNamespace(OperatorRuntime.NAMESPACE)
            .withName(OfferDocument.NAME)
            .get()
        != null;
  }

  /** The current state, for the message of a failing test. */
  private String stateInWords() {
    StringBuilder state = new StringBuilder();
    admin
        .resources(NodePool.class)
        .list()
        .getItems()
        .forEach(pool -> state.append(Serialization.asYaml(pool)));
    for (HostResource host : admin.resources(HostResource.class).list().getItems()) {
      if (phase(host) != HostStatus.Phase.FREE || host.getSpec().assignment != null) {
        state.append(Serialization.asYaml(host));
      }
    }
    admin.nodes().list().getItems().forEach(node -> state.append(Serialization.asYaml(node)));
    return state.toString();
  }

  private static long counted(RequestCounts requests) {
    return requests.byKind().entrySet().stream()
        .filter(entry -> !entry.getKey().startsWith("watch "))
        .filter(entry -> !entry.getKey().endsWith(" leases"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Tolerates failures, since a kind that was just installed is not served at once. */
  private static ConditionFactory soon() {
    return Awaitility.await()
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(200));
  }

  /** The data centre, which can be stopped and restarted. */
  private static final class Centre implements AutoCloseable {
    private final Config config;
    private Optional<SimulatedFleetController> running = Optional.empty();

    Centre(Config config) {
      this.config = config;
    }

    void start() {
      running =
          Optional.of(
              SimulatedFleetController.start(
                  config,
                  new SimulatedFleetController.Settings(
                      FLEET, OperatorRuntime.NAMESPACE, 1, InstantSource.system())));
    }

    @Override
    public void close() {
      running.ifPresent(SimulatedFleetController::close);
      running = Optional.empty();
    }
  }

  /** A sequence of operators: a process that ends is restarted, as a cluster does. */
  private static final class Operators implements AutoCloseable {
    private final Config config;
    private final AtomicInteger lives = new AtomicInteger();
    private final MeterRegistry meters = new SimpleMeterRegistry();

    /** Both guarded by this. */
    private boolean closed;

    private Optional<OperatorRuntime> running = Optional.empty();

    /** Guarded by this. */
    private long lostBefore;

    Operators(Config config) {
      this.config = config;
      start();
    }

    private synchronized void start() {
      if (!closed) {
        lostBefore += lostNow();
        running.ifPresent(OperatorRuntime::close);
        running =
            Optional.of(
                OperatorRuntime.start(
                    config,
                    new OperatorRuntime.Options(
                        OperatorRuntime.NAMESPACE,
                        "rough-" + lives.incrementAndGet(),
                        InstanceCatalogue.bundled(),
                        PlanSettings.DEFAULTS,
                        ControlPlaneNamespaces.DEFAULTS,
                        LoopSettings.DEFAULTS,
                        InstantSource.system(),
                        new OperatorRuntime.Reporting(meters, _ -> startAgain()))));
      }
    }

    /** The number of Events that the API server did not accept. */
    synchronized long lost() {
      return lostBefore + lostNow();
    }

    /** The number of the running operator; its meters end with it. */
    private long lostNow() {
      return (long)
          meters.find(Metric.EVENTS_LOST.id()).functionCounters().stream()
              .mapToDouble(FunctionCounter::count)
              .sum();
    }

    private void startAgain() {
      var _ = CompletableFuture.runAsync(this::start);
    }

    @Override
    public synchronized void close() {
      closed = true;
      running.ifPresent(OperatorRuntime::close);
    }
  }

  private static SimulatedFleet fleet() {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(FLEET).build());
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.region = "US-EAST";
    spec.organization = "org";
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = "1";
    rack.instanceType = TestCluster.TYPE;
    rack.hosts = HOSTS;
    spec.racks = List.of(rack);
    SimulatedFleetSpec.QuotaSpec quota = new SimulatedFleetSpec.QuotaSpec();
    quota.instanceType = TestCluster.TYPE;
    quota.nodes = HOSTS;
    spec.quotas = List.of(quota);
    SimulatedFleetSpec.Configuration configuration = new SimulatedFleetSpec.Configuration();
    configuration.name = "c1";
    spec.configurations = List.of(configuration);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "0s";
    timings.bootMax = "1s";
    timings.clean = "0s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
  }

  private void create() {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(POOL).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = NODES;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  private void retarget(int target) {
    ClientEdit.edited(
        admin.resources(NodePool.class).withName(POOL),
        pool -> pool.getSpec().targetNodes = target);
  }

  private int inProgress() {
    return Objects.requireNonNullElse(
        admin.resources(NodePool.class).withName(POOL).require().getStatus().inProgress, 0);
  }

  private boolean isAtTarget(int nodes) {
    NodePool pool = admin.resources(NodePool.class).withName(POOL).require();
    return pool.getStatus() != null
        && pool.getStatus().observedGeneration != null
        && pool.getStatus().observedGeneration.equals(pool.getMetadata().getGeneration())
        && pool.getStatus().currentNodes != null
        && pool.getStatus().currentNodes == nodes
        && pool.getStatus().conditions.stream()
            .anyMatch(each -> "AtTarget".equals(each.type) && "TargetMet".equals(each.reason));
  }

  private static HostStatus.@org.jspecify.annotations.Nullable Phase phase(HostResource host) {
    return host.getStatus() == null ? null : host.getStatus().phase;
  }

  private long hosts(java.util.function.Predicate<HostResource> which) {
    return admin.resources(HostResource.class).list().getItems().stream().filter(which).count();
  }

  private long held() {
    return hosts(host -> host.getSpec().assignment != null);
  }

  private long assignments() {
    return admin.resources(HostResource.class).list().getItems().stream()
        .mapToLong(host -> host.getSpec().tenancy)
        .sum();
  }

  /** The total count of the pool's Events by reason; Events on Nodes are counted together. */
  private Map<String, Integer> emitted() {
    Map<String, Integer> emitted = new TreeMap<>();
    for (Event event : admin.v1().events().inNamespace("default").list().getItems()) {
      if (event.getReason().startsWith("CW") && !OF_FAULTS.contains(event.getReason())) {
        String kind = event.getInvolvedObject().getKind().equals("Node") ? " on Nodes" : "";
        emitted.merge(event.getReason() + kind, event.getCount(), Integer::sum);
      }
    }
    return emitted;
  }
}
