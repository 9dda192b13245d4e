package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.ZONE;
import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The conditions and Events of the oldest reference on a real API server, as {@code kubectl get
 * nodepool -o yaml} and {@code kubectl get events} show them: with the option, and after a restart
 * of the operator without it.
 */
@WithLocalCluster
class OldestGenerationIT {
  private static final String TYPE = "turin-gp";
  private static final PlanSettings OLDEST =
      PlanSettings.DEFAULTS.withGeneration(ReferenceGeneration.OLDEST);

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;

  OldestGenerationIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeEach
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 3));
    centre.quotas.add(quota(TYPE, 2));
    fleet = new OperatedFleet(cluster, admin, OLDEST, centre);
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  /** The stored conditions by their types, in the order of the object. */
  private Map<String, JsonNode> conditions(String pool) {
    JsonNode object = Serialization.unmarshal(admin.raw(ApiPaths.pool(pool)), JsonNode.class);
    Map<String, JsonNode> conditions = new LinkedHashMap<>();
    object
        .at("/status/conditions")
        .forEach(each -> conditions.put(each.at("/type").asText(), each));
    return conditions;
  }

  private static List<String> words(Map<String, JsonNode> conditions) {
    return conditions.values().stream()
        .map(each ->
            "%s=%s %s"
                .formatted(
                    each.at("/type").asText(),
                    each.at("/status").asText(),
                    each.at("/reason").asText()))
        .toList();
  }

  /** How many Events there are of each reason about objects of this kind. */
  private SortedMap<String, Long> events(String kind) {
    return admin.v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> kind.equals(event.getInvolvedObject().getKind()))
        .collect(Collectors.groupingBy(Event::getReason, TreeMap::new, Collectors.counting()));
  }

  @Test
  void theyStandBesideTheNewerOnesAndGoWithTheOption() {
    fleet.pool("grown", TYPE, 2).isWell();
    PoolUnderTest over = fleet.pool("over", TYPE, 1);
    eventually(() ->
        assertThat(words(conditions("over")))
            .containsExactly(
                "Validated=True Valid",
                "Capacity=True Sufficient",
                "Quota=False Over",
                "AtTarget=False UnderTarget",
                "NodeReconfigurationRequired=False AllNodesUpToDate",
                "Accepted=True Accepted",
                "Allocated=False UnderTarget",
                "MetadataSynced=False Pending",
                "SufficientCapacity=True Sufficient"));
    eventually(() ->
        assertThat(words(conditions("grown")))
            .containsExactly(
                "Validated=True Valid",
                "Capacity=True Sufficient",
                "Quota=True Under",
                "AtTarget=True TargetMet",
                "NodeReconfigurationRequired=False AllNodesUpToDate",
                "Accepted=True Accepted",
                "Allocated=True Complete",
                "MetadataSynced=True Synced",
                "SufficientCapacity=True Sufficient"));
    assertThat(events("Node"))
        .containsEntry("CWNodeRegisteredEvent", 2L)
        .containsEntry("NodeCWActive", 2L);
    assertThat(events("NodePool"))
        .containsKeys("NodePoolNodesRequested", "NodePoolNodesAllocated", "CWNodeRegistered")
        .containsEntry("NPOCWOverQuota", 1L);
    assertThat(admin.v1().events().inNamespace("default").list().getItems())
        .filteredOn(event -> event.getReason().equals("NPOCWOverQuota"))
        .extracting(Event::getMessage)
        .containsExactly(
            "Node Pool targetNodes pushes you over quota for %s in %s.".formatted(TYPE, ZONE));

    Map<String, JsonNode> grown = current(conditions("grown"));
    Map<String, JsonNode> waiting = current(conditions("over"));
    SortedMap<String, Long> ofPools = events("NodePool");
    fleet.restart(PlanSettings.DEFAULTS);

    eventually(() -> assertThat(conditions("grown")).isEqualTo(grown));
    eventually(() -> assertThat(conditions("over")).isEqualTo(waiting));
    assertThat(events("NodePool")).isEqualTo(ofPools);

    // And back on, with transition times of their own.
    fleet.restart(OLDEST);
    eventually(() ->
        assertThat(words(conditions("grown")))
            .endsWith("MetadataSynced=True Synced", "SufficientCapacity=True Sufficient"));
    assertThat(current(conditions("grown"))).isEqualTo(grown);
    over.delete().isGone();
  }

  private static Map<String, JsonNode> current(Map<String, JsonNode> conditions) {
    Map<String, JsonNode> left = new TreeMap<>(conditions);
    List.of("Accepted", "Allocated", "MetadataSynced", "SufficientCapacity")
        .forEach(type -> assertThat(left.remove(type)).isNotNull());
    assertThat(left).hasSize(5);
    return left;
  }
}
