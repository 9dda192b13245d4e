package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.explain.Explanations;
import io.nodepool.explain.NodeExplanation;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.explain.Statement;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.LeadingOperator;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What is explained from the lists of a real API server, beside what the operator then does. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 8;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  ExplainIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    work.delete();
    fleet.close();
  }

  private Explanations explanations() {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(admin.resources(NodePool.class).list().getItems());
    objects.addAll(admin.resources(HostResource.class).list().getItems());
    objects.addAll(admin.nodes().list().getItems());
    objects.addAll(admin.pods().inAnyNamespace().list().getItems());
    objects.addAll(admin.namespaces().list().getItems());
    objects.add(
        admin
            .configMaps()
            .inNamespace(OfferDocument.NAMESPACE)
            .withName(OfferDocument.NAME)
            .require());
    return Explanations.of(
        objects.stream().flatMap(each -> ListedObservations.of(each).stream()).toList(),
        Instant.now());
  }

  private static Set<String> names(PoolExplanation explained, String fate) {
    return explained.nodes().stream()
        .filter(each -> each.fate().equals(fate))
        .map(NodeFate::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Statement answer(NodeExplanation explained, String what) {
    return explained.answers().stream()
        .filter(each -> each.what().equals(what))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theLeaderPublishesItsVersionAndWhichSettingsAreNotTheDefaults() {
    OperatedFleet.eventually(() -> {
      LeadingOperator leader =
          LeadingOperator.of(
              admin
                  .leases()
                  .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
                  .withName("nodepool-operator")
                  .require());
      assertThat(leader.version()).isNotEmpty();
      assertThat(leader.settings()).isEqualTo(String.join(", ", PlanSettings.DEFAULTS.changed()));
      assertThat(leader.renewed()).isPresent();
    });
  }

  @Test
  void theNodesThatAreSaidToLeaveLeaveAndTheOthersStay() {
    PoolUnderTest pool = fleet.pool("explained", TYPE, 6).isWell();
    List<String> busy = work.deployment("kept", "explained", 2);

    PoolExplanation explained = explanations().pool("explained", OptionalInt.of(3)).orElseThrow();
    assertThat(explained.sentence())
        .isEqualTo("removes 3 of 4 idle Nodes; 2 are active (IdleOnly)");
    assertThat(names(explained, "remove")).hasSize(3).doesNotContainAnyElementsOf(busy);
    NodeExplanation ofBusy = explanations().node(busy.getFirst()).orElseThrow();
    assertThat(answer(ofBusy, "removed").why()).contains("(not interruptible)");
    assertThat(answer(ofBusy, "registered").answer()).isEqualTo(Statement.Whether.YES);
    assertThat(answer(ofBusy, "uncordoned").answer()).isEqualTo(Statement.Whether.YES);
    assertThat(explanations().node("unknown")).isEmpty();

    pool.target(3).hasMet(3);
    assertThat(pool.nodes().toList()).containsExactlyInAnyOrderElementsOf(names(explained, "keep"));
    PoolExplanation grown = explanations().pool("explained", OptionalInt.of(9)).orElseThrow();
    assertThat(grown.holds())
        .anySatisfy(hold -> {
          assertThat(hold.what()).isEqualTo("Quota");
          assertThat(hold.message()).contains("It would take 9 of 8 Nodes");
        });
    String free = names(explained, "remove").iterator().next();
    OperatedFleet.eventually(() ->
        assertThat(explanations().host(free).orElseThrow().assigned().why())
            .isEqualTo("no NodePool of its type, %s, needs a machine".formatted(TYPE)));
  }
}
