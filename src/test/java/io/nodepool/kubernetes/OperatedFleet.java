package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.awaitility.core.ThrowingRunnable;

/**
 * An operator and a simulated data centre whose machines boot at once, on a real cluster; and every
 * observed condition and Event of a pool, since some last only a moment.
 */
final class OperatedFleet implements AutoCloseable {
  static final String ZONE = "US-EAST-04A";

  private static final String NAME = "reasons-it";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final LoopSettings QUICK =
      new LoopSettings(
          Duration.ofMillis(20),
          Duration.ofMillis(50),
          new BackOff(Duration.ofMillis(100), Duration.ofSeconds(1)));

  private final Config config;
  private final KubernetesClient admin;
  private final Function<OperatorRuntime.Options, RunningOperator> start;
  private RunningOperator operator;
  private final PoolHistory history;
  private final Set<PoolReason> reached = ConcurrentHashMap.newKeySet();
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private Optional<SimulatedFleetController> fleet = Optional.empty();

  /** An operator of this process. */
  interface RunningOperator extends AutoCloseable {
    boolean isPlanning();

    @Override
    void close();
  }

  /** Starts both, and waits until every machine is free. */
  OperatedFleet(
      LocalCluster cluster,
      KubernetesClient admin,
      PlanSettings settings,
      SimulatedFleetSpec centre) {
    this(cluster, admin, settings, centre, options -> started(cluster, options));
  }

  private static RunningOperator started(LocalCluster cluster, OperatorRuntime.Options options) {
    OperatorRuntime runtime =
        OperatorRuntime.start(Config.fromKubeconfig(cluster.kubeconfig()), options);
    return new RunningOperator() {
      @Override
      public boolean isPlanning() {
        return runtime.isPlanning();
      }

      @Override
      public void close() {
        runtime.close();
      }
    };
  }

  /** The same with an operator that is started differently. */
  OperatedFleet(
      LocalCluster cluster,
      KubernetesClient admin,
      PlanSettings settings,
      SimulatedFleetSpec centre,
      Function<OperatorRuntime.Options, RunningOperator> start) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
    this.start = start;
    TestCluster.prepare(admin);
    SimulatedFleet object = new SimulatedFleet();
    object.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    object.setSpec(centre);
    admin.resource(object).create();
    startFleet();
    this.operator = start.apply(options(settings));
    int machines = centre.racks.stream().mapToInt(rack -> rack.hosts).sum();
    eventually(() -> {
      assertThat(operator.isPlanning()).isTrue();
      assertThat(hosts())
          .hasSize(machines)
          .allMatch(host -> host.getStatus() != null && host.getStatus().phase != null);
    });
    this.history = new PoolHistory(admin);
  }

  /** Ends the operator and starts another one with these settings. */
  void restart(PlanSettings settings) {
    stopOperator();
    operator = start.apply(options(settings));
    eventually(() -> assertThat(operator.isPlanning()).isTrue());
  }

  /** Ends the operator; {@link #restart} starts another one. */
  void stopOperator() {
    operator.close();
  }

  /** Waits until the operator has ended by itself. Only tests that call this expect that. */
  String awaitEnd() {
    eventually(() -> assertThat(ends).isNotEmpty());
    return ends.removeFirst();
  }

  /** A data centre without machines, which {@link #rack} and {@link #quota} add. */
  static SimulatedFleetSpec centre() {
    return centre("0s", "0s");
  }

  /** The same with machines that take some time to boot. */
  static SimulatedFleetSpec centre(String bootMin, String bootMax) {
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = ZONE;
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = bootMin;
    timings.bootMax = bootMax;
    timings.clean = "0s";
    spec.timings = timings;
    return spec;
  }

  static SimulatedFleetSpec.Rack rack(String name, String type, int hosts) {
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = name;
    rack.instanceType = type;
    rack.hosts = hosts;
    return rack;
  }

  static SimulatedFleetSpec.QuotaSpec quota(String type, int nodes) {
    SimulatedFleetSpec.QuotaSpec quota = new SimulatedFleetSpec.QuotaSpec();
    quota.instanceType = type;
    quota.nodes = nodes;
    return quota;
  }

  private OperatorRuntime.Options options(PlanSettings settings) {
    return new OperatorRuntime.Options(
        OperatorRuntime.NAMESPACE,
        "reasons",
        InstanceCatalogue.bundled(),
        settings,
        ControlPlaneNamespaces.DEFAULTS,
        QUICK,
        InstantSource.system(),
        new OperatorRuntime.Reporting(new SimpleMeterRegistry(), ends::add));
  }

  /** What was observed of the pools. */
  PoolHistory history() {
    return history;
  }

  /** Records that a scenario reached this reason. */
  void reach(PoolReason reason) {
    reached.add(reason);
  }

  /** The reasons that scenarios reached. */
  Set<PoolReason> reached() {
    return Set.copyOf(reached);
  }

  /** Creates a pool. */
  PoolUnderTest pool(String name, String type, int target) {
    return PoolUnderTest.create(this, admin, name, type, target, "");
  }

  /** Creates a pool of spot Nodes. */
  PoolUnderTest spotPool(String name, String type, int target) {
    return PoolUnderTest.spot(this, admin, name, type, target);
  }

  /** Creates a pool that admits only some machines. */
  PoolUnderTest pool(String name, String type, int target, String affinity) {
    return PoolUnderTest.create(this, admin, name, type, target, affinity);
  }

  /** Changes the description of the data centre, and waits until the change is in effect. */
  void change(Consumer<SimulatedFleetSpec> change) {
    SimulatedFleet next =
        ClientEdit.edited(
            admin.resources(SimulatedFleet.class).withName(NAME),
            stored -> change.accept(stored.getSpec()));
    eventually(() -> {
      var status = admin.resources(SimulatedFleet.class).withName(NAME).get().getStatus();
      assertThat(status).isNotNull();
      assertThat(status.message).isNull();
      assertThat(status.observedGeneration)
          .isGreaterThanOrEqualTo(next.getMetadata().getGeneration());
    });
  }

  /** Starts the data centre; it publishes its offer again. */
  void startFleet() {
    fleet =
        Optional.of(
            SimulatedFleetController.start(
                config,
                new SimulatedFleetController.Settings(
                    NAME, OperatorRuntime.NAMESPACE, 1, InstantSource.system())));
  }

  /** Ends the data centre, so that its offer is not corrected. */
  void stopFleet() {
    fleet.ifPresent(SimulatedFleetController::close);
    fleet = Optional.empty();
  }

  /** Names of the machines of a type, in the order in which they are assigned. */
  List<String> machines(String type) {
    return hosts().stream()
        .filter(host -> host.getSpec().machine.instanceType.equals(type))
        .sorted(
            Comparator.comparing((HostResource host) -> host.getSpec().machine.rack)
                .thenComparing(host -> host.getSpec().machine.slot))
        .map(ObjectFacts::name)
        .toList();
  }

  private List<HostResource> hosts() {
    return admin.resources(HostResource.class).list().getItems();
  }

  /** The current Host of the machine. */
  HostResource host(String name) {
    return admin.resources(HostResource.class).withName(name).require();
  }

  /** When the machine was assigned. */
  String assignedAt(String name) {
    return Objects.requireNonNullElse(
        Objects.requireNonNull(host(name).getSpec().assignment).assignedAt, "");
  }

  /** How often a machine was ever assigned. */
  long assignments() {
    return hosts().stream().mapToLong(host -> host.getSpec().tenancy).sum();
  }

  /** Names of the machines that a pool of this name holds. */
  List<String> heldBy(String pool) {
    return hosts().stream()
        .filter(host ->
            host.getSpec().assignment != null && host.getSpec().assignment.pool.equals(pool))
        .map(ObjectFacts::name)
        .toList();
  }

  /** The Events of this reason about such objects. */
  List<Event> events(Predicate<ObjectReference> about, EventReason reason) {
    return admin.v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> about.test(event.getInvolvedObject()))
        .filter(event -> reason.word().equals(event.getReason()))
        .toList();
  }

  /** Waits until the assertion passes; what it reads may not be there yet. */
  static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(50))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  /** Ends both, and removes all their objects. */
  @Override
  public void close() {
    operator.close();
    stopFleet();
    history.close();
    TestCluster.removePools(admin);
    admin.resources(SimulatedFleet.class).withName(NAME).delete();
    admin.resources(HostResource.class).delete();
    admin.nodes().delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    admin.v1().events().inNamespace("default").delete();
    assertThat(ends).isEmpty();
  }
}
