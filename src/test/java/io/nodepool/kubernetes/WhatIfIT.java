package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.Main;
import io.nodepool.drill.DrillResult;
import io.nodepool.drill.DrillRun;
import io.nodepool.drill.Scenario;
import io.nodepool.drill.document.ScenarioDocument;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Happening.What;
import io.nodepool.whatif.Question;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What is forecast from the lists of a real API server is what then happens. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WhatIfIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 24;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  WhatIfIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    Optional.ofNullable(centre.timings)
        .ifPresent(timings -> {
          timings.reboot = "1s";
          timings.verification = "1s";
        });
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    work.delete();
    fleet.close();
  }

  private Forecast forecast(Question question) {
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
    return Forecast.of(
        objects.stream().flatMap(each -> ListedObservations.of(each).stream()).toList(),
        List.of(),
        Instant.now(),
        question);
  }

  private static Set<String> names(Forecast forecast, What what) {
    return forecast.happenings().stream()
        .filter(each -> each.what() == what)
        .map(Forecast.Expected::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Forecast.PoolAtEnd atEnd(Forecast forecast, String pool) {
    return forecast.pools().stream()
        .filter(each -> each.pool().equals(pool))
        .findFirst()
        .orElseThrow();
  }

  private Node node(String name) {
    return admin.nodes().withName(name).require();
  }

  /** What a cluster has is written as a scenario, which can be played. */
  @Test
  void aDrillOfTheCluster(@TempDir Path folder) throws IOException {
    fleet.pool("drilled", TYPE, 2).isWell();
    work.deployment("rehearsed", "drilled", 2);
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            "drill",
            "new",
            "--kubeconfig",
            kubeconfig.toString());

    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
    Scenario scenario =
        ScenarioDocument.read(Files.writeString(folder.resolve("new.yaml"), out.toString()));
    assertThat(scenario.site().dataCentre().racks()).hasSize(1);
    assertThat(scenario.objects().pools()).anyMatch(pool -> pool.name().equals("drilled"));
    assertThat(scenario.objects().workloads()).containsKey("default/rehearsed");
    DrillResult played = DrillRun.play(scenario, 1, Optional.empty());
    assertThat(played.workloads().get("default/rehearsed"))
        .isNotNull()
        .satisfies(figures -> assertThat(figures.running()).isEqualTo(2));
  }

  @Test
  void aPoolThatGrows() {
    PoolUnderTest pool = fleet.pool("grows", TYPE, 1).isWell();
    Forecast forecast = forecast(new Question.Scale("grows", 3));
    assertThat(names(forecast, What.JOINED)).hasSize(2);
    assertThat(forecast.isBlocked()).isFalse();
    pool.target(3).hasMet(atEnd(forecast, "grows").nodes());
  }

  @Test
  void aPoolThatShrinksToItsBusyNodes() {
    PoolUnderTest pool = fleet.pool("shrinks", TYPE, 4).isWell();
    List<String> busy = work.deployment("kept", "shrinks", 2);
    Forecast forecast = forecast(new Question.Scale("shrinks", 1));
    Set<String> leave = names(forecast, What.REMOVED);
    assertThat(leave).hasSize(2).doesNotContainAnyElementsOf(busy);
    assertThat(forecast.isBlocked()).isTrue();
    assertThat(forecast.endsWork()).isFalse();
    pool.target(1);
    eventually(() -> assertThat(pool.nodes()).containsExactlyInAnyOrderElementsOf(busy));
    assertThat(atEnd(forecast, "shrinks").nodes()).isEqualTo(busy.size());
  }

  @Test
  void workThatEndsWhereItIsPreferredOnlyThatIdleNodesGo() {
    PoolUnderTest pool =
        fleet
            .pool("prefers", TYPE, 2)
            .strategy(NodePoolSpec.ScaleDownStrategy.PREFER_IDLE)
            .isWell();
    List<String> nodes = pool.nodes().toList();
    nodes.forEach(node -> work.bind("ended-" + node, node));
    Forecast forecast = forecast(new Question.Scale("prefers", 1));
    Set<String> leave = names(forecast, What.REMOVED);
    assertThat(leave).hasSize(1);
    assertThat(names(forecast, What.WORK_ENDS)).hasSize(1);
    pool.target(1).hasMet(1);
    assertThat(pool.nodes()).doesNotContainAnyElementsOf(leave);
  }

  @Test
  void aNodeThatIsRebootedOnceItIsIdle() {
    PoolUnderTest pool = fleet.pool("reboots", TYPE, 2).isWell();
    String name = pool.nodes().toList().getFirst();
    Forecast forecast = forecast(new Question.Reboot(List.of(name), LifecycleState.REBOOT, false));
    assertThat(names(forecast, What.BOOTED)).containsExactly(name);
    assertThat(names(forecast, What.UNCORDONED)).containsExactly(name);
    String before = node(name).getStatus().getNodeInfo().getBootID();
    admin
        .nodes()
        .withName(name)
        .edit(node ->
            new NodeBuilder(node)
                .editMetadata()
                .addToLabels(NodeLabels.PENDING_STATE.key(), "production-reboot")
                .endMetadata()
                .build());
    eventually(() -> {
      Node after = node(name);
      assertThat(after.getStatus().getNodeInfo().getBootID()).isNotEqualTo(before);
      assertThat(after.getSpec().getUnschedulable()).isNotEqualTo(true);
    });
  }

  @Test
  void aCordonThatChangesNothingElse() {
    PoolUnderTest pool = fleet.pool("cordoned", TYPE, 2).isWell();
    String name = pool.nodes().toList().getFirst();
    Forecast forecast = forecast(new Question.Cordon(List.of(name)));
    assertThat(forecast.happenings())
        .filteredOn(each -> pool.nodes().toList().contains(each.name()))
        .extracting(Forecast.Expected::what)
        .containsExactly(What.CORDONED);
    admin
        .nodes()
        .withName(name)
        .edit(node -> new NodeBuilder(node).editSpec().withUnschedulable(true).endSpec().build());
    pool.hasMet(atEnd(forecast, "cordoned").nodes());
    assertThat(node(name).getSpec().getUnschedulable()).isTrue();
  }

  @Test
  void aTokenIsRefusedAfterAPodWasBoundToANodeThatWasToLeave() {
    PoolUnderTest pool = fleet.pool("token", TYPE, 2).isWell();
    Question question = new Question.Scale("token", 1);
    Forecast forecast = forecast(question);
    assertThat(forecast(question).token()).isEqualTo(forecast.token());
    work.bind("bound-to-leaving", names(forecast, What.REMOVED).iterator().next());
    eventually(() -> assertThat(forecast(question).token()).isNotEqualTo(forecast.token()));
    pool.hasMet(2);
  }
}
