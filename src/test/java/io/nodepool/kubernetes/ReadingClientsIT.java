package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.Wire.POOLS;
import static io.nodepool.kubernetes.Wire.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Public clients that read NodePools, Nodes and Events (contract §19), with the requests of their
 * sources, and parsing the answers as these do. There is a pool in every state that lasts.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadingClientsIT {
  private static final String WELL = "well";
  private static final String RACKS = "racks";
  private static final String INVALID = "invalid";
  private static final String OVER = "over";
  private static final String QUEUED = "queued";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Wire wire;
  private OperatedFleet fleet;
  private String before = "";

  ReadingClientsIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.wire = new Wire(admin);
  }

  @BeforeAll
  void start() {
    var centre = OperatedFleet.centre();
    centre.racks.addAll(
        List.of(
            rack("9", "gb200-4x", 18),
            rack("101", "gd-8xh100ib-i128", 2),
            rack("131", "cd-gp-i64-erapids", 2),
            rack("121", "gd-8xa100-i128", 2)));
    centre.racks.forEach(rack -> centre.quotas.add(quota(rack.instanceType, 18)));
    centre.quotas.getLast().nodes = 1;
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
    before = wire.get("/api/v1/events?limit=1").ok().at("/metadata/resourceVersion").asText();
    create(
        WELL, "'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 2, 'minNodes': 0, 'maxNodes': 2");
    create(RACKS, "'instanceType': 'gb200-4x', 'targetRacks': 1");
    create(INVALID, "'instanceType': 'h100-80gb-sxm-ib', 'targetNodes': 2");
    create(OVER, "'instanceType': 'gd-8xa100-i128', 'targetNodes': 2");
    create(QUEUED, "'instanceType': 'cd-gp-i64-erapids', 'targetNodes': 3");
    reaches(WELL, "TargetMet");
    reaches(RACKS, "TargetMet");
    reaches(INVALID, "Invalid");
    reaches(OVER, "Over");
    eventually(() -> assertThat(pool(QUEUED).at("/status/currentNodes").asInt()).isEqualTo(2));
  }

  private void create(String name, String spec) {
    wire.post(
            POOLS,
            "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': '%s'}, 'spec': {%s}}"
                .formatted(name, spec))
        .ok();
  }

  private void reaches(String name, String reason) {
    eventually(() -> assertThat(reasons(pool(name)).values()).as(name).contains(reason));
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  private JsonNode pool(String name) {
    return wire.get(POOLS + "/" + name).ok();
  }

  private static Map<String, String> reasons(JsonNode pool) {
    return read(pool, "reason");
  }

  /** A field of each condition, by its type. */
  private static Map<String, String> read(JsonNode pool, String field) {
    return Wire.elements(pool.at("/status/conditions"))
        .collect(
            Collectors.toMap(
                each -> each.path("type").asText(), each -> each.path(field).asText()));
  }

  // coreweave/skills, cw-sunk-nodeset-setup: columns of `kubectl get nodepool`, split at blanks

  /** The lines of a table by name, with the columns that a client prints. */
  private Map<String, Map<String, String>> table(int leastPriority) {
    JsonNode table = wire.get(POOLS, TABLE).ok();
    assertThat(table.path("kind").asText()).isEqualTo("Table");
    List<JsonNode> columns = Wire.elements(table.path("columnDefinitions")).toList();
    Map<String, Map<String, String>> lines = new TreeMap<>();
    for (JsonNode row : table.path("rows")) {
      Map<String, String> cells = new LinkedHashMap<>();
      IntStream.range(0, columns.size())
          .filter(i -> columns.get(i).path("priority").asInt() <= leastPriority)
          .forEach(i ->
              cells.put(
                  columns.get(i).path("name").asText().toUpperCase(java.util.Locale.ROOT),
                  row.path("cells").get(i).asText("")));
      lines.put(cells.getOrDefault("NAME", ""), cells);
    }
    return lines;
  }

  @Test
  void aLineOfTheTableCanBeSplitAtBlanks() {
    for (int priority : List.of(0, 1)) {
      Map<String, Map<String, String>> lines = table(priority);
      assertThat(lines).containsOnlyKeys(WELL, RACKS, INVALID, OVER, QUEUED);
      lines.forEach((name, cells) ->
          assertThat(String.join("   ", cells.values()).split(" +"))
              .as("%s: %s", name, cells)
              .containsExactly(cells.values().toArray(String[]::new)));
    }
  }

  @Test
  void theTableHasTheColumnsThatTheSkillsRead() {
    Map<String, Map<String, String>> lines = table(0);

    assertThat(lines.getOrDefault(WELL, Map.of()).keySet())
        .containsExactly(
            "NAME",
            "INSTANCE TYPE",
            "TARGET",
            "QUEUED",
            "INPROGRESS",
            "CURRENT",
            "VALIDATED",
            "CAPACITY",
            "QUOTA",
            "STAGEDCONFIG",
            "STATUS",
            "AGE");
    assertThat(lines.getOrDefault(WELL, Map.of()))
        .contains(entry("TARGET", "2"), entry("QUEUED", "0"), entry("INPROGRESS", "0"))
        .contains(entry("CURRENT", "2"), entry("CAPACITY", "Sufficient"), entry("QUOTA", "Under"));
    assertThat(lines.getOrDefault(RACKS, Map.of()))
        .contains(entry("TARGET", "18"), entry("CURRENT", "18"));
    assertThat(lines.getOrDefault(QUEUED, Map.of()))
        .contains(entry("QUEUED", "1"), entry("CAPACITY", "QueuedAwaitingCapacity"));
    assertThat(lines.getOrDefault(OVER, Map.of()))
        .containsEntry("QUOTA", "Over")
        .containsEntry("CURRENT", "0");
    assertThat(lines.getOrDefault(INVALID, Map.of()))
        .contains(entry("VALIDATED", "Invalid"), entry("TARGET", "2"), entry("CURRENT", "0"))
        .contains(entry("CAPACITY", "NotChecked"), entry("QUOTA", "NotChecked"));
  }

  // marin-community/marin, infra/grafana: node_pools

  /**
   * As its source does: a condition that is not True is a problem, except
   * NodeReconfigurationRequired.
   */
  private static List<String> problems(JsonNode pool) {
    Map<String, String> status = read(pool, "status");
    List<String> problems = new ArrayList<>();
    Stream.of("Validated", "Capacity", "Quota")
        .filter(type -> !"True".equals(status.get(type)))
        .forEach(problems::add);
    if ("True".equals(status.get("NodeReconfigurationRequired"))) {
      problems.add("NodeReconfigurationRequired");
    }
    return problems;
  }

  @Test
  void conditionsHaveThePolarityThatADashboardExpects() {
    assertThat(problems(pool(WELL))).isEmpty();
    assertThat(problems(pool(RACKS))).isEmpty();
    assertThat(problems(pool(QUEUED))).containsExactly("Capacity");
    assertThat(problems(pool(OVER))).containsExactly("Quota");
    assertThat(problems(pool(INVALID))).containsExactly("Validated", "Capacity", "Quota");

    assertThat(read(pool(WELL), "status"))
        .containsEntry("AtTarget", "True")
        .containsEntry("NodeReconfigurationRequired", "False");
    assertThat(read(pool(QUEUED), "status")).containsEntry("AtTarget", "False");
  }

  @Test
  void anUncheckedConditionIsUnknownWithAMessage() {
    JsonNode invalid = pool(INVALID);

    assertThat(read(invalid, "status"))
        .contains(entry("Validated", "False"), entry("Capacity", "Unknown"))
        .containsEntry("Quota", "Unknown");
    assertThat(read(invalid, "message").get("Capacity")).contains("is checked once");
    assertThat(read(invalid, "message").get("Quota")).contains("is checked once");
  }

  @Test
  void everyConditionHasTheStandardFields() {
    Wire.items(wire.get(POOLS + "?limit=500").ok())
        .flatMap(pool -> Wire.elements(pool.at("/status/conditions")))
        .forEach(condition -> {
          assertThat(condition.path("status").asText()).isIn("True", "False", "Unknown");
          assertThat(condition.path("reason").asText()).matches("[A-Za-z]+");
          assertThat(condition.path("message").asText()).isNotBlank();
          OffsetDateTime.parse(condition.path("lastTransitionTime").asText());
        });
  }

  // marin-community/marin: IRIS and its runbook; the console of Infrawrench/Infrawrench

  @Test
  void countsAreUnderTheNamesOfEveryClient() {
    JsonNode status = pool(RACKS).path("status");
    assertThat(status.path("targetNodes").asInt()).isEqualTo(18);
    assertThat(status.path("currentNodes").asInt()).isEqualTo(18);
    assertThat(status.path("inProgress").isInt()).isTrue();
    assertThat(status.path("inProgressNodes")).isEqualTo(status.path("inProgress"));
    assertThat(status.path("queuedNodes").isInt()).isTrue();
    assertThat(status.path("rackStatus").toString())
        .isEqualTo("{\"current\":1,\"queued\":0,\"target\":1}");
    assertThat(pool(INVALID).at("/status/targetNodes").asInt()).isEqualTo(2);
  }

  private List<JsonNode> nodes(String pool) {
    return Wire.items(
            wire.get("/api/v1/nodes?labelSelector=compute.coreweave.com/node-pool=" + pool).ok())
        .toList();
  }

  private static String label(JsonNode node, String key) {
    return node.path("metadata").path("labels").path(key).asText();
  }

  @Test
  void racksAreCountedAndSortedAsNumbers() {
    Map<String, Long> trays =
        Wire.items(wire.get("/api/v1/nodes?limit=500").ok())
            .filter(node -> node.at("/status/capacity/nvidia.com~1gpu").asInt() > 0)
            .filter(node -> label(node, "node.kubernetes.io/instance-type").contains("gb200"))
            .collect(
                Collectors.groupingBy(
                    node -> label(node, "node.coreweave.cloud/rack"),
                    () -> new TreeMap<>(Comparator.comparingInt(Integer::parseInt)),
                    Collectors.counting()));

    assertThat(trays).containsExactly(entry("9", 18L));
    assertThat(nodes(RACKS))
        .allSatisfy(node -> {
          assertThat(label(node, "ds.coreweave.com/physical-topology.rack-name"))
              .isEqualTo("dh1-r9-us-east-04a");
          assertThat(label(node, "ds.coreweave.com/nvlink.domain"))
              .isEqualTo("DH1-009-US-EAST-04A");
        });
  }

  // coreweave/nccl-tests and other workloads on InfiniBand

  @Test
  void aWorkloadThatRequestsInfinibandIsScheduled() {
    String path = "/api/v1/namespaces/default/pods";
    wire.post(
            path,
            "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'nccl'}, 'spec': {"
                + "'nodeSelector': {'node.coreweave.cloud/type': 'gd-8xh100ib-i128'},"
                + " 'tolerations': [{'key': 'is_gpu', 'operator': 'Exists'}],"
                + " 'containers': [{'name': 'nccl', 'image': 'example.com/nccl:1', 'resources': {'requests': {'nvidia.com/gpu': '8', 'rdma/ib': '1'},"
                + " 'limits': {'nvidia.com/gpu': '8', 'rdma/ib': '1'}}}]}}")
        .ok();
    try {
      eventually(() ->
          assertThat(wire.get(path + "/nccl").ok().at("/spec/nodeName").asText())
              .isIn(nodes(WELL).stream().map(node -> node.at("/metadata/name").asText()).toList()));
    } finally {
      wire.delete(path + "/nccl?gracePeriodSeconds=0");
    }
    assertThat(nodes(WELL))
        .allSatisfy(node -> {
          assertThat(label(node, "gpu.nvidia.com/count")).isEqualTo("8");
          assertThat(Integer.parseInt(label(node, "cpu.coreweave.cloud/cores"))).isEqualTo(128);
          assertThat(node.at("/status/allocatable/rdma~1ib").asInt()).isPositive();
        });
  }

  // stevefulme1/ansible-coreweave, extensions/eda/plugins/event_source/k8s_events.py

  @Test
  void aWatcherOfEventsReceivesTheEventsOfItsRules() {
    List<JsonNode> seen =
        wire.watch("/api/v1/events", before).stream()
            .filter(line -> List.of("ADDED", "MODIFIED").contains(line.path("type").asText()))
            .map(line -> line.path("object"))
            .filter(event -> event.at("/involvedObject/name").asText().equals(WELL))
            .toList();

    assertThat(seen)
        .extracting(event -> event.path("reason").asText())
        .contains("CWNodePoolCreated", "CWNodeAssigned", "CWNodePoolScaledUp");
    assertThat(seen)
        .allSatisfy(event -> {
          assertThat(event.at("/metadata/namespace").asText()).isEqualTo("default");
          assertThat(event.at("/involvedObject/kind").asText()).isEqualTo("NodePool");
          assertThat(event.at("/source/component").asText()).isNotBlank();
          assertThat(event.path("count").isInt()).isTrue();
          OffsetDateTime.parse(event.path("firstTimestamp").asText());
          OffsetDateTime.parse(event.path("lastTimestamp").asText());
        });
    // Its rule prints the object's name as the Node's; the message has the Node's name.
    List<String> names = nodes(WELL).stream().map(n -> n.at("/metadata/name").asText()).toList();
    assertThat(
            seen.stream()
                .filter(event -> event.path("reason").asText().equals("CWNodeAssigned"))
                .map(event -> event.path("message").asText())
                .collect(Collectors.joining(" ")))
        .contains(names);
  }

  /** The Events of an object, as `kubectl describe` requests them. */
  private List<String> described(JsonNode object) {
    JsonNode meta = object.path("metadata");
    return Wire.items(
            wire.get(
                    "/api/v1/events?fieldSelector=involvedObject.name%%3D%s,involvedObject.kind%%3D%s,involvedObject.uid%%3D%s"
                        .formatted(
                            meta.path("name").asText(),
                            object.path("kind").asText(),
                            meta.path("uid").asText()))
                .ok())
        .map(event -> event.path("reason").asText())
        .toList();
  }

  @Test
  void describeFindsTheEventsOfPoolsAndNodes() {
    assertThat(described(pool(WELL))).contains("CWNodePoolCreated", "CWNodeRegistered");
    JsonNode node = nodes(WELL).getFirst();
    assertThat(described(wire.get("/api/v1/nodes/" + node.at("/metadata/name").asText()).ok()))
        .contains("CWNodeRegistered");
  }

  // marin-community/marin, infra/grafana: warning_events

  @Test
  void warningsAreListedByTheirType() {
    List<JsonNode> warnings =
        Wire.items(wire.get("/api/v1/events?fieldSelector=type%3DWarning&limit=500").ok())
            .filter(event -> event.at("/involvedObject/kind").asText().equals("NodePool"))
            .toList();

    assertThat(warnings)
        .extracting(event ->
            event.at("/involvedObject/name").asText() + " " + event.path("reason").asText())
        .contains(
            INVALID + " CWInvalidInstanceType",
            OVER + " CWOverQuota",
            QUEUED + " CWInsufficientCapacity")
        .noneMatch(line -> line.startsWith(WELL));
    assertThat(warnings)
        .allSatisfy(event -> {
          assertThat(event.path("message").asText()).isNotBlank();
          OffsetDateTime.parse(event.path("lastTimestamp").asText());
        });
  }

  // kubernetes/autoscaler and other clients that decode into Go's integers

  @Test
  void everyNumberIsAJsonInteger() {
    JsonNode pool = pool(WELL);

    List<String> numbers = new ArrayList<>();
    collectNumbers("", pool, numbers);

    assertThat(numbers)
        .contains(
            "/spec/targetNodes",
            "/spec/minNodes",
            "/spec/maxNodes",
            "/status/targetNodes",
            "/status/currentNodes",
            "/status/inProgress",
            "/status/inProgressNodes",
            "/status/queuedNodes",
            "/status/prefillNodes")
        .allSatisfy(path -> assertThat(pool.at(path).isIntegralNumber()).as(path).isTrue());
  }

  private static void collectNumbers(String path, JsonNode value, List<String> numbers) {
    if (value.isNumber()) {
      numbers.add(path);
    }
    value
        .properties()
        .forEach(entry -> collectNumbers(path + "/" + entry.getKey(), entry.getValue(), numbers));
  }
}
