package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.control.LoopSettings;
import io.nodepool.deploy.Chart;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * What .ci/fleet plays: the operator and the fleet of an Ironic, on the local control plane, with a
 * real Ironic and emulated BMCs. It prints what happened, with times, and ends with 1 if a step
 * took too long or something else happened.
 */
final class FleetTrial implements AutoCloseable {
  private static final String POOL = "trial";
  private static final String JOINING = "nodepool-join";

  /** The kinds by which the chart gives the fleet its rights. */
  private static final Set<String> RIGHTS =
      Set.of("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding");

  private static final String COMPONENT = "app.kubernetes.io/component";
  private static final int PATIENCE = TrialEngine.number("PATIENCE", 1);
  private static final int NOTICES = TrialEngine.number("NOTICES_PORT", 18090);
  private static final Duration POLL = Duration.ofMillis(500);

  /** The parts of a trial, in their order. */
  private enum Part {
    GROW,
    REBOOT,
    ROLLOUT,
    HOLD,
    SHRINK,
    DELETE,
    CONFORMANCE
  }

  /** Something happened that must not. */
  private static final class Wrong extends RuntimeException {
    private Wrong(String what) {
      super(what);
    }
  }

  private final Path folder;
  private final int systems;
  private final int nodes;
  private final Instant begin = Instant.now();
  private final LocalCluster cluster;
  private final KubernetesClient client;
  private final TrialEngine engine;
  private final EmulatedKubelets kubelets;
  private final OperatorRuntime operator;
  private final Map<String, String> lastPhases = new TreeMap<>();

  private FleetTrial(Path folder, int systems, int nodes) throws IOException {
    this.folder = folder;
    this.systems = systems;
    this.nodes = nodes;
    this.engine = new TrialEngine(folder);
    this.cluster = LocalCluster.start(LocalClusterOptions.standard(this::say));
    Config admin = Config.fromKubeconfig(cluster.kubeconfig());
    this.client = new KubernetesClientBuilder().withConfig(admin).build();
    Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    install();
    this.kubelets = new EmulatedKubelets(client, TrialEngine.EMULATOR, engine.systems(), NOTICES);
    this.operator =
        OperatorRuntime.startAlone(
            new ConfigBuilder(admin)
                .withImpersonateUsername(Admission.OPERATOR)
                .withImpersonateGroups("system:masters")
                .build(),
            new OperatorRuntime.Options(
                OperatorRuntime.NAMESPACE,
                "trial",
                InstanceCatalogue.bundled(),
                PlanSettings.DEFAULTS.faster(Math.max(1, 10 / PATIENCE)),
                ControlPlaneNamespaces.DEFAULTS,
                LoopSettings.DEFAULTS,
                InstantSource.system(),
                new OperatorRuntime.Reporting(
                    new SimpleMeterRegistry(), why -> say("the operator ended: " + why))));
    startFleet();
  }

  private void install() {
    Crds.install(client, KeyExceptions.NONE);
    Admission.install(client, KeyExceptions.NONE);
    for (String namespace : List.of(OperatorRuntime.NAMESPACE, JOINING)) {
      client
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
          .serverSideApply();
    }
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(OperatorRuntime.NAMESPACE)
                .withName("user-data")
                .endMetadata()
                .withStringData(
                    Map.of(
                        JoinDrive.TEMPLATE,
                        "#cloud-config\n# ${nodepool.host} ${nodepool.tenancy} ${nodepool.token}\n"))
                .build())
        .serverSideApply();
  }

  /** Starts the fleet as a process of its own, by a script that kills it first if it runs. */
  private void startFleet() throws IOException {
    Path offer = folder.resolve("offer.json");
    Files.writeString(offer, offer());
    Path kubeconfig = folder.resolve("fleet.kubeconfig");
    Files.writeString(kubeconfig, cluster.kubeconfig().replace(cluster.adminToken(), token()));
    Path script = folder.resolve("fleet");
    Files.writeString(
        script,
        """
        #!/bin/sh
        if [ -e %1$s/fleet.pid ]; then kill -KILL "$(cat %1$s/fleet.pid)"; fi
        IRONIC_USER=nodepool IRONIC_PASSWORD=trial \\
          setsid %2$s -XX:TieredStopAtLevel=1 -Xmx256m --enable-native-access=ALL-UNNAMED -cp '%3$s' io.nodepool.cli.Main \\
          fleet ironic --ironic=%4$s --offer=%5$s --kubeconfig=%6$s --metrics-port=0 >>%1$s/fleet.log 2>&1 </dev/null &
        echo $! >%1$s/fleet.pid
        """
            .formatted(
                folder,
                Path.of(System.getProperty("java.home"), "bin", "java"),
                classPath(),
                TrialEngine.ADDRESS,
                offer,
                kubeconfig));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    TrialEngine.run(List.of(script.toString()), Map.of());
  }

  /** The classes of the product, as this process has them. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(":"))
        .map(each -> Path.of(each).toAbsolutePath())
        .filter(each -> !List.of("test-classes", "test").contains(each.getFileName().toString()))
        .map(Path::toString)
        .collect(Collectors.joining(":"));
  }

  /**
   * Of the account that the policies let write what a fleet writes, with the rights that the chart
   * gives it and no others.
   */
  private String token() {
    String account = Admission.DATA_CENTRE.substring(Admission.DATA_CENTRE.lastIndexOf(':') + 1);
    Chart.render(
            """
            ironic:
              enabled: true
              url: %s
              credentialsSecret: unused
              templateSecrets: [user-data]
              offer: {zone: US-EAST-04A}
              serviceAccount: {name: %s}
            """
                .formatted(TrialEngine.ADDRESS, account))
        .objects()
        .stream()
        .filter(object -> RIGHTS.contains(object.path("kind").asText()))
        .filter(object ->
            object.path("metadata").path("labels").path(COMPONENT).asText().equals("ironic"))
        .forEach(object -> client.resource(object.toString()).serverSideApply());
    return client
        .serviceAccounts()
        .inNamespace(OperatorRuntime.NAMESPACE)
        .withName(account)
        .tokenRequest(
            new TokenRequestBuilder().withNewSpec().withExpirationSeconds(36000L).endSpec().build())
        .getStatus()
        .getToken();
  }

  private static String offer() {
    return """
    {"zone": "US-EAST-04A", "region": "US-EAST-04", "organization": "trial",
     "instanceTypes": ["turin-gp"], "quota": {"turin-gp": 256},
     "releases": [{"name": "2026.11", "gpuDrivers": [], "kubernetesVersion": "v1.34.4",
       "images": [
         {"name": "live-1", "train": "stable", "kernels": ["6.8.0-71"],
          "image": "%1$s/live-1.iso", "template": "user-data"},
         {"name": "live-2", "train": "stable", "kernels": ["6.8.0-71"],
          "image": "%1$s/live-2.iso", "template": "user-data"}]}],
     "capabilities": {"boots": ["Reboot", "PowerReset"]}}
    """
        .formatted(TrialEngine.IMAGES);
  }

  private void say(String text) {
    System.out.printf(
        "%6.1f s  %s%n", Duration.between(begin, Instant.now()).toMillis() / 1e3, text);
  }

  // What is seen.

  private List<HostResource> hosts() {
    try {
      return client.resources(HostResource.class).list().getItems().stream()
          .filter(host -> host.getStatus() != null && host.getStatus().phase != null)
          .toList();
    } catch (KubernetesClientException e) {
      // The API server serves a new kind after a moment only.
      return List.of();
    }
  }

  private HostStatus host(String name) {
    return hosts().stream()
        .filter(host -> host.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getStatus();
  }

  private String power(String name) {
    HostStatus.PowerStatus power = host(name).power;
    return power == null ? "" : power.state;
  }

  private long hosts(HostStatus.Phase phase) {
    return hosts().stream().filter(host -> host.getStatus().phase == phase).count();
  }

  private List<Node> ready() {
    return client
        .nodes()
        .withLabel("compute.coreweave.com/node-pool", POOL)
        .list()
        .getItems()
        .stream()
        .filter(node -> !Boolean.TRUE.equals(node.getSpec().getUnschedulable()))
        .filter(node -> has(node, "Ready") && has(node, "CWRegistered"))
        .toList();
  }

  private static boolean has(Node node, String condition) {
    return node.getStatus().getConditions().stream()
        .anyMatch(each -> each.getType().equals(condition) && each.getStatus().equals("True"));
  }

  private boolean isServing(int nodes) {
    return ready().size() == nodes && hosts(HostStatus.Phase.RUNNING) == nodes;
  }

  /** Whether the Node of this name is back in production with another boot. */
  private boolean isRebooted(String name, String before) {
    return ready().stream()
        .filter(node -> node.getMetadata().getName().equals(name))
        .anyMatch(node -> !node.getStatus().getNodeInfo().getBootID().equals(before));
  }

  private String phases() {
    return hosts().stream()
        .collect(
            Collectors.groupingBy(
                host -> String.valueOf(host.getStatus().phase),
                TreeMap::new,
                Collectors.counting()))
        .toString();
  }

  /** Says what changed on Hosts. */
  private void follow() {
    for (HostResource host : hosts()) {
      HostStatus status = host.getStatus();
      String now =
          "%s%s%s%s"
              .formatted(
                  status.phase,
                  status.boot == null ? "" : " (booting anew)",
                  Boolean.TRUE.equals(status.maintenance) ? " (maintenance)" : "",
                  status.power == null ? "" : " power " + status.power.state);
      if (!now.equals(lastPhases.put(host.getMetadata().getName(), now))) {
        say(
            "  %s t%d %s%s"
                .formatted(
                    host.getMetadata().getName(),
                    host.getSpec().tenancy,
                    now,
                    status.message == null ? "" : ": " + status.message));
      }
    }
  }

  private void await(String what, Duration atMost, BooleanSupplier condition) {
    await(
        what,
        atMost,
        POLL,
        () -> {
          follow();
          return condition.getAsBoolean();
        });
  }

  private void await(String what, Duration atMost, Duration poll, BooleanSupplier condition) {
    Instant from = Instant.now();
    try {
      Awaitility.await()
          .atMost(atMost.multipliedBy(PATIENCE))
          .pollInterval(poll)
          // Where all processors are busy the API server does not always answer in time.
          .ignoreExceptionsInstanceOf(KubernetesClientException.class)
          .until(condition::getAsBoolean);
    } catch (ConditionTimeoutException e) {
      throw new Wrong(
          "not after %.1f s: %s; %s"
              .formatted(Duration.between(from, Instant.now()).toMillis() / 1e3, what, phases()));
    }
    say(
        "DONE after %.1f s: %s"
            .formatted(Duration.between(from, Instant.now()).toMillis() / 1e3, what));
  }

  private void require(String what, boolean holds) {
    if (!holds) {
      throw new Wrong("not so: " + what);
    }
    say("TRUE: " + what);
  }

  // What is done.

  private void size(int nodes, String image) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(POOL).build());
    pool.setSpec(new NodePoolSpec());
    pool.getSpec().instanceType = "turin-gp";
    pool.getSpec().targetNodes = nodes;
    pool.getSpec().image = new NodePoolSpec.Image();
    pool.getSpec().image.name = image;
    pool.setStatus(null);
    client.resource(pool).forceConflicts().serverSideApply();
  }

  private void request(String node, String state) {
    client
        .nodes()
        .withName(node)
        .edit(seen -> {
          seen.getMetadata().getLabels().put("node.coreweave.cloud/pending-state", state);
          return seen;
        });
  }

  private int java(String main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                main));
    command.addAll(List.of(arguments));
    command.add("--kubeconfig=" + folder.resolve("kubeconfig"));
    return TrialEngine.run(command, Map.of());
  }

  private void play(List<Part> parts) throws IOException {
    await(
        "all Hosts are Free", Duration.ofMinutes(5), () -> hosts(HostStatus.Phase.FREE) == systems);
    for (Part part : parts) {
      say("== " + part.name().toLowerCase(Locale.ROOT));
      switch (part) {
        case GROW -> grow();
        case REBOOT -> reboot();
        case ROLLOUT -> rollout();
        case HOLD -> hold();
        case SHRINK -> shrink();
        case DELETE -> delete();
        case CONFORMANCE -> conformance();
      }
    }
  }

  private void grow() throws IOException {
    String broken = engine.systems().keySet().stream().skip(1).findFirst().orElseThrow();
    engine.breakDeployment(broken);
    say("the deployment of %s will fail; the pool grows to %d".formatted(broken, nodes));
    size(nodes, "live-1");
    await("the pool has %d Nodes".formatted(nodes), Duration.ofMinutes(25), () -> isServing(nodes));
    engine.mendDeployment(broken);
    rest();
  }

  /** Counts the requests to Ironic while nothing happens, and what the processes take. */
  private void rest() throws IOException {
    await(
        "no machine is on its way",
        Duration.ofMinutes(10),
        () -> hosts(HostStatus.Phase.FREE) + hosts(HostStatus.Phase.RUNNING) == systems);
    long before = engine.requests();
    Instant until = Instant.now().plusSeconds(60);
    Awaitility.await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> Instant.now().isAfter(until));
    say(
        "at rest: %d requests to Ironic in 60 s; memory: Ironic %d MB, emulator %d MB, fleet %d MB"
            .formatted(
                engine.requests() - before,
                engine.memory("ironic"),
                engine.memory("emulator"),
                engine.memory("fleet")));
  }

  private void reboot() {
    Node first = ready().getFirst();
    String name = first.getMetadata().getName();
    say("%s is asked to reboot".formatted(name));
    request(name, "production-powerreset");
    String before = first.getStatus().getNodeInfo().getBootID();
    await(
        "it is on another boot, and back",
        Duration.ofMinutes(6),
        () -> isServing(nodes) && isRebooted(name, before));
  }

  /** Each machine is undeployed and deployed; Ironic is killed in each phase of that. */
  private void rollout() throws IOException {
    Set<String> before = members();
    say("the pool's image changes");
    size(nodes, "live-2");
    await(
        "the other image is the pool's configuration",
        Duration.ofMinutes(1),
        () ->
            String.valueOf(
                    client.resources(NodePool.class).withName(POOL).get().getStatus().nodeProfile)
                .startsWith("live-2"));
    ready()
        .forEach(node ->
            request(node.getMetadata().getName(), "production-reconfigure-powercycle-test"));
    kill("undeploys a machine", node -> state(node).equals("deleting"));
    kill("deploys one", node -> state(node).equals("deploying"));
    kill(
        "has deployed one",
        node ->
            state(node).equals("active")
                && node.path("instance_info").path("boot_iso").asText().endsWith("live-2.iso"));
    kill(
        "has one that waits for its deployment",
        node -> state(node).equals("available") || state(node).equals("cleaning"));
    await(
        "all Nodes have the other image",
        Duration.ofMinutes(25),
        () ->
            isServing(nodes)
                && hosts().stream()
                    .filter(host -> host.getStatus().phase == HostStatus.Phase.RUNNING)
                    .allMatch(host ->
                        String.valueOf(host.getStatus().bootedConfiguration).startsWith("live-2")));
    require("no machine was given up", members().equals(before));
  }

  private Set<String> members() {
    return ready().stream().map(node -> node.getMetadata().getName()).collect(Collectors.toSet());
  }

  private static String state(JsonNode node) {
    return node.path("provision_state").asText();
  }

  /** Kills Ironic once a node of a machine that is installed anew is so, and starts it again. */
  private void kill(String what, Predicate<JsonNode> when) throws IOException {
    List<String> found = new ArrayList<>();
    await(
        "Ironic " + what,
        Duration.ofMinutes(6),
        Duration.ofMillis(100),
        () -> {
          Map<String, JsonNode> seen = engine.nodes();
          hosts().stream()
              .filter(host ->
                  host.getStatus().boot != null
                      || host.getStatus().phase == HostStatus.Phase.BOOTING)
              .map(host -> host.getMetadata().getName())
              .filter(name -> seen.containsKey(name) && when.test(seen.get(name)))
              .findFirst()
              .ifPresent(found::add);
          return !found.isEmpty();
        });
    engine.kill();
    say("Ironic is killed while it %s: %s".formatted(what, found.getFirst()));
    engine.start();
    say(
        "Ironic runs again; %s is %s"
            .formatted(found.getFirst(), engine.nodes().get(found.getFirst())));
  }

  /** A BMC dies, and a node is put into maintenance; both are asked to reboot meanwhile. */
  private void hold() throws IOException {
    Node dead = ready().getFirst();
    Node owned = ready().getLast();
    String deadName = dead.getMetadata().getName();
    String ownedName = owned.getMetadata().getName();
    say("the BMC of %s dies; %s is put into maintenance".formatted(deadName, ownedName));
    engine.bmc(deadName, false);
    engine.maintenance(ownedName, true);
    await(
        "the one is in maintenance",
        Duration.ofMinutes(1),
        () -> Boolean.TRUE.equals(host(ownedName).maintenance));
    await(
        "the power of the other is Unknown",
        Duration.ofMinutes(12),
        () -> power(deadName).equals("Unknown"));
    require(
        "its fleet says MetalDevRedfishError",
        host(deadName).signals.stream().anyMatch(each -> each.name.equals("MetalDevRedfishError")));
    say("both are asked to reboot");
    request(deadName, "production-powerreset");
    request(ownedName, "production-powerreset");
    Instant until = Instant.now().plusSeconds(45);
    await("45 s went by", Duration.ofMinutes(1), () -> Instant.now().isAfter(until));
    for (String name : List.of(deadName, ownedName)) {
      HostStatus host = host(name);
      require(
          name + " runs, and no boot of it has begun",
          host.phase == HostStatus.Phase.RUNNING && host.boot == null);
      java("io.nodepool.plugin.KubectlPlugin", "explain", "host", name);
      java("io.nodepool.plugin.KubectlPlugin", "explain", "node", name);
    }
    java("io.nodepool.plugin.KubectlPlugin", "explain", "pool", POOL);
    engine.bmc(deadName, true);
    engine.maintenance(ownedName, false);
    say("the BMC answers again, and the maintenance ends");
    await(
        "both are on another boot, and back",
        Duration.ofMinutes(8),
        () ->
            isServing(nodes)
                && isRebooted(deadName, dead.getStatus().getNodeInfo().getBootID())
                && isRebooted(ownedName, owned.getStatus().getNodeInfo().getBootID()));
  }

  private void shrink() {
    size(nodes / 2, "live-2");
    await(
        "the pool has %d Nodes, and the others are Free".formatted(nodes / 2),
        Duration.ofMinutes(10),
        () -> isServing(nodes / 2) && hosts(HostStatus.Phase.FREE) == systems - nodes / 2);
  }

  private void delete() {
    client.resources(NodePool.class).withName(POOL).delete();
    await(
        "all machines are Free, and nothing is left",
        Duration.ofMinutes(25),
        () ->
            hosts(HostStatus.Phase.FREE) == systems
                && client.nodes().list().getItems().isEmpty()
                && client.serviceAccounts().inNamespace(JOINING).list().getItems().stream()
                    .noneMatch(each -> each.getMetadata().getName().startsWith("join-")));
  }

  /** The operator is stopped, and the fleet is checked; it is killed in each step too. */
  private void conformance() throws IOException {
    operator.close();
    int end =
        java(
            "io.nodepool.cli.Main",
            "conformance",
            "--hosts=2",
            "--cycles=1",
            "--deadline=%dm".formatted(6 * PATIENCE),
            "--restart-command=" + folder.resolve("fleet"),
            "--junit=" + folder.resolve("conformance.xml"));
    require("the fleet keeps its contract", end == 0);
  }

  @Override
  public void close() throws IOException {
    Path pid = folder.resolve("fleet.pid");
    if (Files.exists(pid)) {
      ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
          .ifPresent(ProcessHandle::destroy);
    }
    operator.close();
    kubelets.close();
    engine.close();
    client.close();
    cluster.close();
  }

  /**
   * Plays it.
   *
   * @param arguments the folder of the engine, how many systems it has, how many Nodes the pool
   *     gets, and the parts to play; without any, all of them
   */
  public static void main(String[] arguments) throws Exception {
    List<Part> parts =
        Arrays.stream(Part.values())
            .filter(part ->
                arguments.length == 3
                    || List.of(arguments).contains(part.name().toLowerCase(Locale.ROOT)))
            .toList();
    int failed = 0;
    try (FleetTrial trial =
        new FleetTrial(
            Path.of(arguments[0]).toAbsolutePath(),
            Integer.parseInt(arguments[1]),
            Integer.parseInt(arguments[2]))) {
      try {
        trial.play(parts);
        trial.say("all of it happened");
      } catch (Wrong e) {
        trial.say("FAILED: " + e.getMessage());
        failed = 1;
      }
    }
    System.exit(failed);
  }
}
