package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * What .ci/fleet plays: the operator and the fleet of an Ironic, on the local control plane, with a
 * real Ironic and emulated BMCs. It prints what happened, with times, and ends with 1 if a step
 * took too long.
 */
final class FleetTrial implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POOL = "trial";
  private static final String IRONIC = "http://127.0.0.1:" + port("IRONIC_PORT", 16385);
  private static final URI EMULATOR =
      URI.create("http://127.0.0.1:" + port("EMULATOR_PORT", 18000));
  private static final int PATIENCE = port("PATIENCE", 1);
  private static final int NOTICES = port("NOTICES_PORT", 18090);
  private static final String IMAGES = "http://127.0.0.1:" + port("IMAGES_PORT", 18080);

  private final Path folder;
  private final Instant begin = Instant.now();
  private final LocalCluster cluster;
  private final Config admin;
  private final KubernetesClient client;
  private final HttpClient http = HttpClient.newHttpClient();
  private final EmulatedKubelets kubelets;
  private final OperatorRuntime operator;
  private final IronicFleetController fleet;
  private final Map<String, String> lastPhases = new TreeMap<>();

  private FleetTrial(Path folder) throws IOException {
    this.folder = folder;
    this.cluster = LocalCluster.start(LocalClusterOptions.standard(this::say));
    this.admin = Config.fromKubeconfig(cluster.kubeconfig());
    this.client = new KubernetesClientBuilder().withConfig(admin).build();
    Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    Crds.install(client, KeyExceptions.NONE);
    Admission.install(client, KeyExceptions.NONE);
    for (String namespace : List.of(OperatorRuntime.NAMESPACE, "nodepool-join")) {
      client
          .namespaces()
          .resource(
              new io.fabric8.kubernetes.api.model.NamespaceBuilder()
                  .withNewMetadata()
                  .withName(namespace)
                  .endMetadata()
                  .build())
          .serverSideApply();
    }
    client
        .secrets()
        .inNamespace(OperatorRuntime.NAMESPACE)
        .resource(
            new io.fabric8.kubernetes.api.model.SecretBuilder()
                .withNewMetadata()
                .withName("user-data")
                .endMetadata()
                .withStringData(
                    Map.of(
                        JoinDrive.TEMPLATE,
                        "#cloud-config\n# ${nodepool.host} ${nodepool.tenancy} ${nodepool.token}\n"))
                .build())
        .serverSideApply();
    Map<String, String> systems = new TreeMap<>();
    JSON.readTree(folder.resolve("systems.json").toFile())
        .forEach(each -> systems.put(each.path("name").asText(), each.path("uuid").asText()));
    this.kubelets = new EmulatedKubelets(client, EMULATOR, systems, NOTICES);
    this.operator =
        OperatorRuntime.startAlone(
            as(Admission.OPERATOR),
            new OperatorRuntime.Options(
                OperatorRuntime.NAMESPACE,
                "trial",
                InstanceCatalogue.bundled(),
                PlanSettings.DEFAULTS.faster(10),
                ControlPlaneNamespaces.DEFAULTS,
                LoopSettings.DEFAULTS,
                InstantSource.system(),
                new OperatorRuntime.Reporting(
                    new SimpleMeterRegistry(), why -> say("the operator ended: " + why))));
    this.fleet =
        IronicFleetController.start(
            as(Admission.DATA_CENTRE),
            new IronicFleetController.Settings(
                URI.create(IRONIC),
                new IronicFleetController.Identity("nodepool", "trial", Optional.empty(), "", ""),
                Optional.empty(),
                offer(),
                OperatorRuntime.NAMESPACE,
                "nodepool-join",
                admin.getMasterUrl(),
                "",
                new SimpleMeterRegistry(),
                InstantSource.system()));
  }

  private static int port(String variable, int otherwise) {
    return Integer.parseInt(System.getenv().getOrDefault(variable, Integer.toString(otherwise)));
  }

  private Config as(String account) {
    return new ConfigBuilder(admin)
        .withImpersonateUsername(account)
        .withImpersonateGroups("system:masters")
        .build();
  }

  private static String offer() {
    return """
    {"zone": "US-EAST-04A", "region": "US-EAST-04", "organization": "trial",
     "instanceTypes": ["turin-gp"], "quota": {"turin-gp": 64},
     "releases": [{"name": "2026.11", "gpuDrivers": [], "kubernetesVersion": "v1.34.4",
       "images": [
         {"name": "live-1", "train": "stable", "kernels": ["6.8.0-71"],
          "image": "%1$s/live-1.iso", "template": "user-data"},
         {"name": "live-2", "train": "stable", "kernels": ["6.8.0-71"],
          "image": "%1$s/live-2.iso", "template": "user-data"}]}],
     "capabilities": {"boots": ["Reboot", "PowerReset"], "redeploys": true}}
    """
        .formatted(IMAGES);
  }

  private void say(String text) {
    System.out.printf(
        "%6.1f s  %s%n", Duration.between(begin, Instant.now()).toMillis() / 1e3, text);
  }

  // What is seen.

  private List<HostResource> hosts() {
    return client.resources(HostResource.class).list().getItems();
  }

  private long hosts(HostStatus.Phase phase) {
    return hosts().stream()
        .filter(host -> host.getStatus() != null && host.getStatus().phase == phase)
        .count();
  }

  private List<Node> ready() {
    return client
        .nodes()
        .withLabel("compute.coreweave.com/node-pool", POOL)
        .list()
        .getItems()
        .stream()
        .filter(node -> !Boolean.TRUE.equals(node.getSpec().getUnschedulable()))
        .filter(node ->
            node.getStatus().getConditions().stream()
                .anyMatch(
                    each -> each.getType().equals("Ready") && each.getStatus().equals("True")))
        .filter(node ->
            node.getStatus().getConditions().stream()
                .anyMatch(each ->
                    each.getType().equals("CWRegistered") && each.getStatus().equals("True")))
        .toList();
  }

  private static String power(HostResource host) {
    return Optional.ofNullable(host.getStatus().power).map(each -> each.state).orElse("");
  }

  private String phases() {
    return hosts().stream()
        .flatMap(host -> Optional.ofNullable(host.getStatus()).stream())
        .flatMap(status -> Optional.ofNullable(status.phase).stream())
        .collect(Collectors.groupingBy(Enum::name, TreeMap::new, Collectors.counting()))
        .toString();
  }

  private void follow() {
    for (HostResource host : hosts()) {
      HostStatus status = host.getStatus();
      if (status != null && status.phase != null) {
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
  }

  private void await(String what, Duration atMost, BooleanSupplier condition) {
    Instant from = Instant.now();
    try {
      Awaitility.await()
          .atMost(atMost.multipliedBy(PATIENCE))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> {
            follow();
            return condition.getAsBoolean();
          });
    } catch (ConditionTimeoutException e) {
      say(
          "FAILED: not after %.1f s: %s; %s"
              .formatted(Duration.between(from, Instant.now()).toMillis() / 1e3, what, phases()));
      throw e;
    }
    say(
        "DONE after %.1f s: %s"
            .formatted(Duration.between(from, Instant.now()).toMillis() / 1e3, what));
  }

  // What is done.

  private JsonNode ironic(String method, String path, String body) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(IRONIC + "/v1" + path))
                .timeout(Duration.ofSeconds(60))
                .header("X-OpenStack-Ironic-API-Version", IronicClient.MICROVERSION)
                .header("Content-Type", "application/json")
                .header(
                    "Authorization",
                    "Basic "
                        + Base64.getEncoder()
                            .encodeToString("nodepool:trial".getBytes(StandardCharsets.UTF_8)))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 400) {
      say("%s %s: %d %s".formatted(method, path, answer.statusCode(), answer.body()));
    }
    return answer.body().isEmpty() ? JSON.nullNode() : JSON.readTree(answer.body());
  }

  private void engine(String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of("hack/ironic/engine"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).inheritIO().start();
    process.waitFor();
  }

  private void size(int nodes, String image) {
    NodePool pool = new NodePool();
    pool.setMetadata(
        new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName(POOL).build());
    pool.setSpec(new io.nodepool.kubernetes.api.NodePoolSpec());
    pool.getSpec().instanceType = "turin-gp";
    pool.getSpec().targetNodes = nodes;
    pool.getSpec().image = new io.nodepool.kubernetes.api.NodePoolSpec.Image();
    pool.getSpec().image.name = image;
    pool.setStatus(null);
    client.resource(pool).forceConflicts().serverSideApply();
  }

  private void request(Node node, String state) {
    client
        .nodes()
        .withName(node.getMetadata().getName())
        .edit(seen -> {
          seen.getMetadata().getLabels().put("node.coreweave.cloud/pending-state", state);
          return seen;
        });
  }

  private boolean isServing(int nodes) {
    return ready().size() == nodes && hosts(HostStatus.Phase.RUNNING) == nodes;
  }

  private Predicate<HostResource> named(String name) {
    return host -> host.getMetadata().getName().equals(name);
  }

  private void play(int systems, int nodes) throws Exception {
    await(
        "all Hosts are Free", Duration.ofMinutes(5), () -> hosts(HostStatus.Phase.FREE) == systems);
    String broken = System.getenv().getOrDefault("BROKEN", "metal-02");
    ironic(
        "PATCH",
        "/nodes/" + broken,
        "[{\"op\":\"add\",\"path\":\"/driver_info/external_http_url\",\"value\":\"http://127.0.0.1:1\"}]");
    say("the deployment of %s will fail; the pool grows to %d".formatted(broken, nodes));
    size(nodes, "live-1");
    await("the pool has %d Nodes".formatted(nodes), Duration.ofMinutes(10), () -> isServing(nodes));
    ironic(
        "PATCH",
        "/nodes/" + broken,
        "[{\"op\":\"remove\",\"path\":\"/driver_info/external_http_url\"}]");
    rest();

    Node first = ready().getFirst();
    String before = first.getStatus().getNodeInfo().getBootID();
    say("%s is asked to reboot".formatted(first.getMetadata().getName()));
    request(first, "production-powerreset");
    await(
        "it is on another boot, and back",
        Duration.ofMinutes(6),
        () ->
            isServing(nodes)
                && ready().stream()
                    .filter(
                        node -> node.getMetadata().getName().equals(first.getMetadata().getName()))
                    .anyMatch(node -> !node.getStatus().getNodeInfo().getBootID().equals(before)));

    say("the pool's image changes; Ironic is killed meanwhile and started again");
    size(nodes, "live-2");
    await(
        "the other image is the pool's configuration",
        Duration.ofMinutes(1),
        () ->
            String.valueOf(
                    client.resources(NodePool.class).withName(POOL).get().getStatus().nodeProfile)
                .startsWith("live-2"));
    ready().forEach(node -> request(node, "production-reconfigure-powercycle-test"));
    await(
        "a machine is installed anew",
        Duration.ofMinutes(3),
        () -> hosts().stream().anyMatch(host -> host.getStatus().boot != null));
    engine("stop", folder.toString(), "ironic");
    say("Ironic is stopped");
    engine("ironic", folder.toString());
    say("Ironic runs again");
    await(
        "all Nodes have the other image",
        Duration.ofMinutes(20),
        () ->
            isServing(nodes)
                && hosts().stream()
                    .filter(host -> host.getStatus().phase == HostStatus.Phase.RUNNING)
                    .allMatch(host ->
                        String.valueOf(host.getStatus().bootedConfiguration).startsWith("live-2")));

    String dead = ready().getFirst().getMetadata().getName();
    String owned = ready().getLast().getMetadata().getName();
    say("the BMC of %s dies; %s is put into maintenance".formatted(dead, owned));
    ironic(
        "PATCH",
        "/nodes/" + dead,
        "[{\"op\":\"add\",\"path\":\"/driver_info/redfish_address\",\"value\":\"http://127.0.0.1:1\"}]");
    ironic("PUT", "/nodes/%s/maintenance".formatted(owned), "{\"reason\": \"a new disk\"}");
    await(
        "the power of the one is Unknown, the other is in maintenance; both run",
        Duration.ofMinutes(5),
        () ->
            hosts().stream()
                    .filter(named(dead))
                    .anyMatch(host ->
                        power(host).equals("Unknown")
                            && host.getStatus().phase == HostStatus.Phase.RUNNING)
                && hosts().stream()
                    .filter(named(owned))
                    .anyMatch(host -> Boolean.TRUE.equals(host.getStatus().maintenance)));
    ironic(
        "PATCH",
        "/nodes/" + dead,
        "[{\"op\":\"add\",\"path\":\"/driver_info/redfish_address\",\"value\":\"%s\"}]"
            .formatted(EMULATOR));
    ironic("DELETE", "/nodes/%s/maintenance".formatted(owned), "");
    await(
        "both are as before",
        Duration.ofMinutes(6),
        () ->
            hosts().stream().filter(named(dead)).allMatch(host -> power(host).equals("On"))
                && hosts().stream()
                    .filter(named(owned))
                    .allMatch(host -> host.getStatus().maintenance == null));

    say("the pool shrinks to %d".formatted(nodes / 2));
    size(nodes / 2, "live-2");
    await(
        "the pool has %d Nodes and the others are Free".formatted(nodes / 2),
        Duration.ofMinutes(10),
        () -> isServing(nodes / 2) && hosts(HostStatus.Phase.FREE) >= systems - nodes / 2 - 1);
    say("the pool is deleted");
    client.resources(NodePool.class).withName(POOL).delete();
    await(
        "all machines are Free, and nothing is left",
        Duration.ofMinutes(10),
        () ->
            hosts(HostStatus.Phase.FREE) == systems
                && client.nodes().list().getItems().isEmpty()
                && client.serviceAccounts().inNamespace("nodepool-join").list().getItems().stream()
                    .noneMatch(each -> each.getMetadata().getName().startsWith("join-")));
  }

  /** Counts the requests to Ironic while nothing happens. */
  private void rest() throws Exception {
    Path log = folder.resolve("ironic.log");
    long before = requests(log);
    Instant until = Instant.now().plusSeconds(60);
    Awaitility.await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> Instant.now().isAfter(until));
    say("at rest: %d requests to Ironic in 60 s".formatted(requests(log) - before));
  }

  private static long requests(Path log) throws IOException {
    try (var lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains("ironic.api") && line.contains(" /v1/")).count();
    }
  }

  @Override
  public void close() {
    fleet.close();
    operator.close();
    kubelets.close();
    client.close();
    cluster.close();
    http.close();
  }

  /**
   * Plays it.
   *
   * @param arguments the folder of the engine, and how many systems it has
   */
  public static void main(String[] arguments) throws Exception {
    int systems = Integer.parseInt(arguments[1]);
    int failed = 0;
    try (FleetTrial trial = new FleetTrial(Path.of(arguments[0]))) {
      try {
        trial.play(systems, Integer.parseInt(arguments[2]));
        trial.say("all of it happened");
      } catch (ConditionTimeoutException e) {
        failed = 1;
      }
    }
    System.exit(failed);
  }
}
