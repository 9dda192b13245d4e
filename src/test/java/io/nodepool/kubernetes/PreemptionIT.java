package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The timeline of a preemption on a real cluster. It is ten times faster than in production, or as
 * {@code -Dpreemption.speed} says; no step comes early, and none later than {@code
 * -Dpreemption.tolerance} milliseconds, which is generous unless the machine is known to be idle.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PreemptionIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final String RECLAIM = "fleet.nodepool.io/reclaim";
  private static final int SPEED = Integer.getInteger("preemption.speed", 10);
  private static final Duration TOLERANCE =
      Duration.ofMillis(Integer.getInteger("preemption.tolerance", 15_000));
  private static final PlanSettings SETTINGS = PlanSettings.DEFAULTS.faster(SPEED);

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  PreemptionIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 3));
    centre.quotas.add(quota(TYPE, 3));
    fleet = new OperatedFleet(cluster, admin, SETTINGS, centre);
  }

  @AfterAll
  void end() {
    work.delete();
    fleet.close();
  }

  @Test
  void everyStepComesAtItsInstantAndIsAnnouncedOnce() {
    PoolUnderTest pool = fleet.spotPool("spot", TYPE, 3).isWell();
    List<String> nodes = pool.nodes().sorted().toList();
    String idle = nodes.get(0);
    String willing = nodes.get(1);
    String unwilling = nodes.get(2);
    work.bind("willing", willing, 5);
    work.bind("unwilling", unwilling, 3600);
    eventually(() -> assertThat(List.of(willing, unwilling)).allMatch(this::isActive));

    try (Steps steps = new Steps()) {
      Duration window = SETTINGS.preemption().window();
      nodes.forEach(node -> reclaim(node, window));
      await()
          .atMost(window.plusSeconds(60))
          .untilAsserted(() -> assertThat(nodes).allMatch(steps.gone::containsKey));

      PlanSettings.PreemptionSettings timeline = SETTINGS.preemption();
      for (String node : nodes) {
        steps.at("cordoned " + node, steps.cordoned, node, Duration.ZERO);
        steps.at("drained " + node, steps.evicted, node, timeline.warning());
        once(Objects.requireNonNull(steps.uids.get(node)));
      }
      steps.at("gone, idle", steps.gone, idle, timeline.warning());
      steps.at("evicted", steps.deleted, "willing", timeline.warning());
      steps.at("gone, drained", steps.gone, willing, timeline.warning().plusSeconds(5));
      steps.at("evicted, and takes its time", steps.deleted, "unwilling", timeline.warning());
      steps.at("gone, cut off", steps.gone, unwilling, timeline.window());
      steps.print();
    }
    assertThat(pool.events(EventReason.NODE_POOL_REMOVE_NODES)).isEmpty();
    nodes.forEach(this::withdraw);
    pool.isWell();
  }

  private void reclaim(String host, Duration window) {
    ClientEdit.edited(
        admin.resources(HostResource.class).withName(host),
        each -> each.getMetadata().getAnnotations().put(RECLAIM, window.toMillis() + "ms"));
  }

  private void withdraw(String host) {
    ClientEdit.edited(
        admin.resources(HostResource.class).withName(host),
        each -> each.getMetadata().getAnnotations().remove(RECLAIM));
  }

  private boolean isActive(String node) {
    return admin.nodes().withName(node).require().getStatus().getConditions().stream()
        .anyMatch(each -> each.getType().equals("CWActive") && each.getStatus().equals("True"));
  }

  private void once(String uid) {
    for (EventReason reason :
        List.of(
            EventReason.PREEMPTION_PENDING,
            EventReason.PREEMPTION_IN_PROGRESS,
            EventReason.DELETED_FOR_PREEMPTION,
            EventReason.NODE_CORDONED)) {
      assertThat(fleet.events(about -> uid.equals(about.getUid()), reason))
          .singleElement()
          .satisfies(event -> assertThat(event.getType()).isEqualTo(reason.type().word()))
          .extracting(Event::getCount)
          .isIn(1, null);
    }
  }

  /** When a client that watches sees each step. */
  private final class Steps implements AutoCloseable {
    final Map<String, String> uids = new ConcurrentHashMap<>();
    final Map<String, Instant> cordoned = new ConcurrentHashMap<>();
    final Map<String, Instant> evicted = new ConcurrentHashMap<>();
    final Map<String, Instant> gone = new ConcurrentHashMap<>();
    final Map<String, Instant> deleted = new ConcurrentHashMap<>();
    final Map<String, Instant> announced = new ConcurrentHashMap<>();
    private final StringBuilder delays = new StringBuilder();
    private final SharedIndexInformer<Node> nodes =
        admin.nodes().inform(new SeenObjects<>(this::see, this::goes));
    private final SharedIndexInformer<Pod> pods =
        admin.pods().inNamespace(Workloads.NAMESPACE).inform(new SeenObjects<>(this::see, _ -> {}));
    private final SharedIndexInformer<HostResource> hosts =
        admin.resources(HostResource.class).inform(new SeenObjects<>(this::see, _ -> {}));

    private void see(Node node) {
      uids.putIfAbsent(ObjectFacts.name(node), ObjectFacts.uid(node));
      if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
        cordoned.putIfAbsent(ObjectFacts.name(node), Instant.now());
      }
      if (node.getMetadata().getLabels().containsKey(NodeLabels.EVICTED_AT.key())) {
        evicted.putIfAbsent(ObjectFacts.name(node), Instant.now());
      }
    }

    private void goes(Node node) {
      gone.putIfAbsent(ObjectFacts.name(node), Instant.now());
    }

    private void see(Pod pod) {
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        deleted.putIfAbsent(ObjectFacts.name(pod), Instant.now());
        announced.putIfAbsent(
            ObjectFacts.name(pod),
            Objects.requireNonNull(announced.get(pod.getSpec().getNodeName())));
      }
    }

    private void see(HostResource host) {
      if (host.getStatus() != null && host.getStatus().reclaim != null) {
        announced.putIfAbsent(
            ObjectFacts.name(host), Instant.parse(host.getStatus().reclaim.announcedAt));
      }
    }

    void at(String what, Map<String, Instant> seen, String of, Duration after) {
      Instant due = Objects.requireNonNull(announced.get(of), of).plus(after);
      Duration late = Duration.between(due, Objects.requireNonNull(seen.get(of), what));
      delays
          .append(delays.isEmpty() ? "" : ", ")
          .append('"')
          .append(what)
          .append("\": ")
          .append(late.toMillis());
      assertThat(late).as(what).isBetween(Duration.ofMillis(-1), TOLERANCE);
    }

    void print() {
      System.out.printf("{\"speed\": %d, \"milliseconds late\": {%s}}%n", SPEED, delays);
    }

    @Override
    public void close() {
      nodes.close();
      pods.close();
      hosts.close();
    }
  }
}
