package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rollouts on a real cluster, commanded by annotations: over a pool, with a watch of the raw Nodes
 * of its own, and one that a budget holds up.
 */
@WithLocalCluster
class RolloutIT {
  private static final String TYPE = "turin-gp";

  /** Without the taint of CPU Nodes, so that the Pods of a Deployment are scheduled. */
  private static final String GPU_TYPE = "gd-8xh100ib-i128";

  private static final String POOL = "rolls";
  private static final int NODES = 20;
  private static final int MOST = 5;
  private static final String FIRST = "2026.11.1";
  private static final String SECOND = "2026.11.2";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  RolloutIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeEach
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, NODES));
    centre.quotas.add(quota(TYPE, NODES));
    centre.racks.add(rack("b", GPU_TYPE, 2));
    centre.quotas.add(quota(GPU_TYPE, 2));
    centre.configurations.add(configuration(FIRST));
    Optional.ofNullable(centre.timings)
        .ifPresent(timings -> {
          timings.reboot = "0s";
          timings.verification = "0s";
        });
    fleet =
        new OperatedFleet(
            cluster, admin, PlanSettings.DEFAULTS.withSettle(Duration.ofSeconds(1)), centre);
  }

  private static SimulatedFleetSpec.Configuration configuration(String name) {
    SimulatedFleetSpec.Configuration configuration = new SimulatedFleetSpec.Configuration();
    configuration.name = name;
    return configuration;
  }

  @AfterEach
  void end() {
    work.delete();
    fleet.close();
  }

  private NodePoolStatus status() {
    NodePoolStatus status = admin.resources(NodePool.class).withName(POOL).require().getStatus();
    return status == null ? new NodePoolStatus() : status;
  }

  private long booted(List<String> names) {
    return names.stream().filter(name -> booted(name).equals(SECOND)).count();
  }

  private String booted(String name) {
    return Optional.ofNullable(fleet.host(name).getStatus())
        .map(status -> status.bootedConfiguration)
        .orElse("");
  }

  /** Releases the second configuration, and makes it the active one. */
  private void promote(PoolUnderTest pool) {
    fleet.change(centre -> centre.configurations.add(configuration(SECOND)));
    eventually(() ->
        assertThat(
                Optional.ofNullable(status().pendingNodeConfiguration)
                    .map(pending -> pending.nodeProfile))
            .contains(SECOND));
    pool.annotate(Map.of(PoolAnnotations.PROMOTE, "true"));
    eventually(() -> assertThat(status().nodeProfile).isEqualTo(SECOND));
  }

  @Test
  void aPoolOfWhichHalfIsBusyRollsWithAtMostFiveUnavailable() {
    PoolUnderTest pool = fleet.pool(POOL, TYPE, NODES).isWell();
    List<String> names = pool.nodes().sorted().toList();
    List<String> busy = names.subList(0, NODES / 2);
    List<String> idle = names.subList(NODES / 2, NODES);
    busy.forEach(name -> work.bind("train-" + name, name));
    try (Watcher watcher = new Watcher()) {
      eventually(() -> assertThat(watcher.active).containsAll(busy));
      pool.annotate(Map.of(PoolAnnotations.ROLLOUT_MAX_UNAVAILABLE, String.valueOf(MOST)));
      promote(pool);
      pool.annotate(Map.of(PoolAnnotations.ROLLOUT, "start"));
      eventually(() -> assertThat(booted(idle)).isEqualTo(idle.size()));
      eventually(() -> assertThat(watcher.unavailable).isEmpty());
      assertThat(booted(busy)).isZero();
      assertThat(watcher.begun).containsExactlyInAnyOrderElementsOf(idle);

      // Three Nodes are taken by a person, who leaves room for two.
      List<String> taken = busy.subList(0, 3);
      taken.forEach(name -> cordon(name, true));
      eventually(() -> assertThat(watcher.unavailable).containsAll(taken));
      List<String> freed = busy.subList(3, NODES / 2);
      freed.forEach(
          name -> admin.pods().inNamespace(Workloads.NAMESPACE).withName("train-" + name).delete());
      eventually(() -> assertThat(booted(freed)).isEqualTo(freed.size()));
      assertThat(booted(taken)).isZero();
      taken.forEach(name -> cordon(name, false));
      taken.forEach(
          name -> admin.pods().inNamespace(Workloads.NAMESPACE).withName("train-" + name).delete());
      eventually(() ->
          assertThat(status().conditions)
              .anyMatch(condition -> "AllNodesUpToDate".equals(condition.reason)));

      assertThat(watcher.before).hasSize(NODES).allMatch(unavailable -> unavailable < MOST);
      assertThat(watcher.begunWhileActive).isEmpty();
      assertThat(watcher.begun).hasSize(NODES).doesNotHaveDuplicates();
    }
    pool.delete().isGone();
  }

  @Test
  void aStopReleasesANodeWhoseDrainABudgetHoldsUp() {
    PoolUnderTest pool = fleet.pool(POOL, GPU_TYPE, 2).isWell();
    String name = work.deployment("guarded-work", POOL, 1).getFirst();
    work.neverEvict("guarded-work");
    String pod = uids("guarded-work").getFirst();
    work.bind("unguarded-work", name);
    eventually(() -> assertThat(work.running("unguarded-work")).hasSize(1));
    String before = booted(name);
    pool.annotate(Map.of(PoolAnnotations.ROLLOUT_EVICT, "true"));
    promote(pool);
    pool.annotate(Map.of(PoolAnnotations.ROLLOUT, "start"));

    // The drain has begun: what no budget guards is evicted.
    eventually(() -> assertThat(work.pods("unguarded-work")).isEmpty());
    assertThat(isCordoned(name)).isTrue();
    assertThat(uids("guarded-work")).containsExactly(pod);

    pool.annotate(Map.of(PoolAnnotations.ROLLOUT, "stop"));
    eventually(() -> assertThat(isCordoned(name)).isFalse());
    assertThat(uids("guarded-work")).containsExactly(pod);
    assertThat(booted(name)).isEqualTo(before).isNotEqualTo(SECOND);
    assertThat(fleet.host(name).getSpec().boot).isNull();
    // The idle Node had its turn first.
    assertThat(pool.nodes().filter(each -> !each.equals(name)).map(this::booted))
        .containsExactly(SECOND);
  }

  private List<String> uids(String app) {
    return work.running(app).stream().map(ObjectFacts::uid).toList();
  }

  private boolean isCordoned(String name) {
    return Boolean.TRUE.equals(admin.nodes().withName(name).require().getSpec().getUnschedulable());
  }

  private void cordon(String name, boolean cordoned) {
    ClientEdit.edited(
        admin.nodes().withName(name),
        node -> node.getSpec().setUnschedulable(cordoned ? true : null));
  }

  /** What a client that watches Nodes sees of the rollout; it omits no state of a Node. */
  private final class Watcher implements AutoCloseable {
    final Set<String> active = new ConcurrentSkipListSet<>();
    final Set<String> unavailable = new ConcurrentSkipListSet<>();

    /** How many Nodes were unavailable before each begin. */
    final List<Integer> before = new CopyOnWriteArrayList<>();

    final List<String> begun = new CopyOnWriteArrayList<>();
    final List<String> begunWhileActive = new CopyOnWriteArrayList<>();
    private final Map<String, Boolean> rolling = new ConcurrentSkipListMap<>();
    private final SharedIndexInformer<Node> nodes =
        admin.nodes().inform(new SeenObjects<>(this::see));

    private void see(Node node) {
      String name = ObjectFacts.name(node);
      if (isTrue(node, "CWActive")) {
        active.add(name);
      } else {
        active.remove(name);
      }
      boolean rolls =
          Optional.ofNullable(node.getMetadata().getAnnotations())
              .map(annotations -> annotations.get(NodeAnnotations.CORDON_REASON.key()))
              .filter("Rollout"::equals)
              .isPresent();
      if (rolls && !Boolean.TRUE.equals(rolling.put(name, true))) {
        before.add(unavailable.size());
        begun.add(name);
        if (active.contains(name)) {
          begunWhileActive.add(name);
        }
      } else if (!rolls) {
        rolling.remove(name);
      }
      boolean out =
          !isTrue(node, "Ready")
              || Boolean.TRUE.equals(node.getSpec().getUnschedulable())
              || Optional.ofNullable(node.getMetadata().getLabels())
                  .map(labels -> labels.get(NodeLabels.STATE.key()))
                  .filter(state -> !state.equals("production"))
                  .isPresent();
      if (out) {
        unavailable.add(name);
      } else {
        unavailable.remove(name);
      }
    }

    private static boolean isTrue(Node node, String type) {
      return node.getStatus().getConditions().stream()
          .anyMatch(each -> each.getType().equals(type) && each.getStatus().equals("True"));
    }

    @Override
    public void close() {
      nodes.close();
    }
  }
}
