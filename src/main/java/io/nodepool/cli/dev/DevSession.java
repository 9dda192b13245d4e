package io.nodepool.cli.dev;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.cli.command.Meters;
import io.nodepool.cli.input.Admission;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.health.HealthSettings;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The data centre, the operator and the view of both, while a command uses them.
 *
 * @param operator the operator
 * @param meters its metrics
 * @param board the view of the cluster
 */
public record DevSession(OperatorRuntime operator, PrometheusMeterRegistry meters, Board board) {
  /** The Namespace of the Jobs that verify repaired machines, if it is created. */
  private static final String VERIFICATION = "nodepool-verification";

  /**
   * Settings of the data centre and the operator.
   *
   * @param fleet the data centre, which the cluster has already
   * @param speed how many times faster than real machines
   * @param exceptions the reserved keys that NodePools may set
   * @param operatorEnded receives the reason if the operator ends by itself
   */
  public record Settings(
      DevManifests.Fleet fleet,
      int speed,
      KeyExceptions exceptions,
      Consumer<String> operatorEnded) {}

  /** The work of a command during a session. */
  @FunctionalInterface
  public interface Use {
    /** Runs the command, and returns its exit code. */
    int with(DevSession session) throws Exception;
  }

  /** Runs a session for as long as a command uses it, and returns the exit code. */
  public static int run(DevCluster cluster, Settings settings, Use use) throws Exception {
    DevManifests.Fleet fleet = settings.fleet();
    try (SimulatedFleetController _ =
        SimulatedFleetController.start(
            cluster.config(Admission.DATA_CENTRE),
            new SimulatedFleetController.Settings(
                fleet.manifest().name(),
                OperatorRuntime.NAMESPACE,
                settings.speed(),
                !cluster.isOwn(),
                cluster.isOwn(),
                new SimpleMeterRegistry(),
                InstantSource.system()))) {
      // Pools that are observed before the fleet's offer would report it as missing.
      cluster.awaitFleet(fleet.manifest().name(), fleet.machines());
      return operate(cluster, settings, use);
    }
  }

  private static int operate(DevCluster cluster, Settings settings, Use use) throws Exception {
    try (Meters meters = new Meters();
        KubernetesClient watching =
            Clients.forWatches(cluster.config(), new RequestMeter(new SimpleMeterRegistry()));
        OperatorRuntime operator = started(cluster, operator(settings, meters.registry()));
        Board board = Board.watch(watching)) {
      return use.with(new DevSession(operator, meters.registry(), board));
    }
  }

  /** In an existing cluster, another operator may take over. */
  private static OperatorRuntime started(DevCluster cluster, OperatorRuntime.Options options) {
    Config config = cluster.config(Admission.OPERATOR);
    return cluster.isOwn()
        ? OperatorRuntime.startAlone(config, options)
        : OperatorRuntime.start(config, options);
  }

  private static OperatorRuntime.Options operator(
      Settings settings, PrometheusMeterRegistry meters) {
    return new OperatorRuntime.Options(
        OperatorRuntime.NAMESPACE,
        "dev-" + UUID.randomUUID(),
        InstanceCatalogue.bundled(),
        PlanSettings.DEFAULTS
            .faster(settings.speed())
            .withJobs(Optional.of(new PlanSettings.Jobs(VERIFICATION, PlanSettings.Jobs.DEADLINE))),
        ControlPlaneNamespaces.DEFAULTS,
        LoopSettings.DEFAULTS
            .withHealth(HealthSettings.DEFAULTS.faster(settings.speed()))
            .withExceptions(settings.exceptions()),
        InstantSource.system(),
        new OperatorRuntime.Reporting(meters, settings.operatorEnded()));
  }
}
