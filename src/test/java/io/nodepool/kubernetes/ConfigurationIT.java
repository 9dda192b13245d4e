package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Configurations of pools on a real cluster, with the annotations that {@code kubectl annotate} and
 * the plugin write.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConfigurationIT {
  private static final String TYPE = "gd-8xh100ib-i128";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;
  private int released;

  ConfigurationIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 40));
    centre.quotas.add(quota(TYPE, 40));
    centre.releases.add(release());
    Optional.ofNullable(centre.timings)
        .ifPresent(timings -> {
          timings.reboot = "0s";
          timings.verification = "0s";
        });
    fleet =
        new OperatedFleet(
            cluster,
            admin,
            PlanSettings.DEFAULTS.withSettle(Duration.ofSeconds(1)).faster(600),
            centre);
  }

  /** The next release: image n, with driver 570.n, and 580.n as the newest. */
  private SimulatedFleetSpec.PublishedRelease release() {
    released++;
    SimulatedFleetSpec.PublishedRelease release = new SimulatedFleetSpec.PublishedRelease();
    release.name = "r" + released;
    SimulatedFleetSpec.ReleasedImage image = new SimulatedFleetSpec.ReleasedImage();
    image.name = "ncore-" + released;
    image.train = "stable";
    image.kernels = List.of("6.8.0-" + released);
    release.images = List.of(image);
    release.gpuDrivers = List.of("570." + released, "580." + released);
    release.kubernetesVersion = "v1.33." + released;
    return release;
  }

  private static String profile(int image, int driver) {
    return "ncore-%d_6.8.0-%d_%d.%d_v1.33.%d".formatted(image, image, driver, image, image);
  }

  private static List<String> summary(int image, int driver) {
    return List.of(
        "image ncore-" + image,
        "kernel 6.8.0-" + image,
        "GPU driver %d.%d".formatted(driver, image),
        "Kubernetes v1.33." + image);
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  private PoolUnderTest pool(String name, NodePoolSpec.UpdateStrategyType strategy) {
    PoolUnderTest pool = fleet.pool(name, TYPE, 2).isWell();
    pool.change(seen -> seen.getSpec().nodeConfigurationUpdateStrategy.type = strategy);
    eventually(() ->
        assertThat(
                PoolConversion.status(status(name))
                    .configuration()
                    .handled()
                    .strategy()
                    .map(UpdateStrategy::word))
            .contains(word(strategy)));
    return pool;
  }

  private static String word(NodePoolSpec.UpdateStrategyType strategy) {
    return switch (strategy) {
      case MANUAL -> "Manual";
      case ON_SPEC_UPDATE -> "OnSpecUpdate";
      case ALWAYS -> "Always";
      case ROLLOUT_ON_COMMAND -> "RolloutOnCommand";
    };
  }

  private String active(String name) {
    return Objects.requireNonNull(status(name).nodeProfile);
  }

  private NodePoolStatus status(String name) {
    return Optional.ofNullable(admin.resources(NodePool.class).withName(name).require().getStatus())
        .orElseGet(NodePoolStatus::new);
  }

  private static void driver(PoolUnderTest pool, String major) {
    NodePoolSpec.Gpu gpu = new NodePoolSpec.Gpu();
    gpu.version = major;
    pool.change(seen -> seen.getSpec().gpu = gpu);
  }

  private static void emitted(PoolUnderTest pool, EventReason reason, String... words) {
    eventually(() ->
        assertThat(pool.events(reason))
            .anySatisfy(
                event -> assertThat(List.of(words)).allMatch(event.getMessage()::contains)));
  }

  private void has(String name, String active, String pending) {
    eventually(() -> {
      NodePoolStatus status = status(name);
      assertThat(status.nodeProfile).isEqualTo(active);
      assertThat(
              Optional.ofNullable(status.pendingNodeConfiguration)
                  .map(each -> each.nodeProfile)
                  .orElse(""))
          .isEqualTo(pending);
    });
  }

  private void areBooted(PoolUnderTest pool, String profile) {
    eventually(() ->
        assertThat(pool.nodes().toList())
            .allSatisfy(name -> {
              assertThat(
                      Optional.ofNullable(fleet.host(name).getStatus())
                          .map(each -> each.bootedConfiguration))
                  .contains(profile);
              Node node = admin.nodes().withName(name).require();
              String[] parts = profile.split("_", -1);
              assertThat(node.getStatus().getNodeInfo().getKernelVersion()).isEqualTo(parts[1]);
              assertThat(node.getStatus().getNodeInfo().getKubeletVersion()).isEqualTo(parts[3]);
              assertThat(node.getStatus().getNodeInfo().getOsImage()).isEqualTo(parts[0]);
              assertThat(node.getMetadata().getLabels())
                  .containsEntry(NodeLabels.GPU_DRIVER_VERSION.key(), parts[2]);
            }));
  }

  @ParameterizedTest
  @CsvSource({
    "MANUAL, false",
    "ON_SPEC_UPDATE, true",
    "ALWAYS, true",
    "ROLLOUT_ON_COMMAND, true",
  })
  void aDriverChangeIsStagedOrPending(NodePoolSpec.UpdateStrategyType strategy, boolean staged) {
    String name = "driver-" + word(strategy).toLowerCase(Locale.ROOT);
    PoolUnderTest pool = pool(name, strategy);
    int now = released;
    String before = active(name);

    driver(pool, "570");

    if (staged) {
      has(name, profile(now, 570), "");
      pool.reports(NodeReconfigurationReason.STAGED_NODE_CONFIG, "not booted into");
      emitted(pool, EventReason.NODE_CONFIG_STAGED);
      emitted(pool, EventReason.NODE_POOL_NODE_CONFIG_UPDATED);
    } else {
      has(name, before, profile(now, 570));
      assertThat(status(name).pendingNodeConfiguration)
          .extracting(
              pending -> pending.nodeProfile,
              pending -> pending.summary,
              pending -> Instant.parse(pending.createdAt).isAfter(Instant.EPOCH))
          .containsExactly(profile(now, 570), summary(now, 570), true);
      emitted(pool, EventReason.PENDING_NODE_CONFIG);
      pool.annotate(Map.of(PoolAnnotations.PROMOTE, "true"));
      has(name, profile(now, 570), "");
      emitted(pool, EventReason.MANUAL_UPGRADE_TRIGGER);
    }
    assertThat(before).isEqualTo(profile(now, 580));
    pool.annotate(Map.of(PoolAnnotations.ROLLOUT, "start"));
    areBooted(pool, profile(now, 570));
    pool.reports(NodeReconfigurationReason.ALL_NODES_UP_TO_DATE, "All nodes");
    eventually(() ->
        assertThat(status(name).nodeConfigurationRevisions)
            .extracting(
                revision -> revision.nodeProfile,
                revision -> revision.summary,
                revision -> revision.activeNodes,
                revision -> revision.disabled,
                revision -> Instant.parse(revision.createdAt).isAfter(Instant.EPOCH))
            .containsExactlyInAnyOrder(
                tuple(before, summary(now, 580), 0, false, true),
                tuple(profile(now, 570), summary(now, 570), 2, false, true)));

    pool.annotate(Map.of(PoolAnnotations.ROLLBACK, ""));
    emitted(pool, EventReason.MANUAL_ROLLBACK_TRIGGER);
    eventually(() -> assertThat(status(name).nodeProfile).isEqualTo(before));
    pool.delete().isGone();
  }

  @ParameterizedTest
  @EnumSource(
      value = NodePoolSpec.UpdateStrategyType.class,
      names = {"MANUAL", "ALWAYS"})
  void aMinorDriverUpdateOnlyBecomesPendingUnlessUpdatesAreAlwaysTaken(
      NodePoolSpec.UpdateStrategyType strategy) {
    String name = "minor-" + word(strategy).toLowerCase(Locale.ROOT);
    PoolUnderTest pool = pool(name, strategy);
    String before = active(name);

    SimulatedFleetSpec.PublishedRelease next = release();
    fleet.change(centre -> centre.releases.add(next));

    if (strategy == NodePoolSpec.UpdateStrategyType.ALWAYS) {
      has(name, profile(released, 580), "");
    } else {
      has(name, before, profile(released, 580));
      pool.annotate(Map.of(PoolAnnotations.PROMOTE, "true", PoolAnnotations.ROLLBACK, ""));
      emitted(pool, EventReason.NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT);
      has(name, before, profile(released, 580));
    }
    pool.annotate(Map.of(PoolAnnotations.ROLLBACK, "nonsense"));
    emitted(pool, EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED, "nonsense");
    // The Event precedes the write that takes the command.
    eventually(() ->
        assertThat(
                admin
                    .resources(NodePool.class)
                    .withName(name)
                    .require()
                    .getMetadata()
                    .getAnnotations())
            .doesNotContainKeys(
                PoolAnnotations.PROMOTE.key(),
                PoolAnnotations.ROLLBACK.key(),
                PoolAnnotations.ROLLOUT.key()));
    pool.delete().isGone();
  }

  @Test
  void anImageIsTheOneThatTheSpecNames() {
    SimulatedFleetSpec.PublishedRelease next = release();
    SimulatedFleetSpec.ReleasedImage other = new SimulatedFleetSpec.ReleasedImage();
    other.name = "other";
    other.train = "latest";
    other.kernels = List.of("6.9.0-1", "6.9.0-2");
    next.images = List.of(next.images.getFirst(), other);
    fleet.change(centre -> centre.releases.add(next));
    PoolUnderTest pool = pool("imaged", NodePoolSpec.UpdateStrategyType.ON_SPEC_UPDATE);
    String rest = "_580.%d_v1.33.%d".formatted(released, released);

    chosen(pool, image -> image.name = "other", "other_6.9.0-2" + rest);
    chosen(pool, image -> image.kernel = "6.8.0-" + released, profile(released, 580));
    chosen(
        pool,
        image -> image.releaseTrain = NodePoolSpec.ReleaseTrain.LATEST,
        "other_6.9.0-2" + rest);
    pool.delete().isGone();
  }

  private void chosen(PoolUnderTest pool, Consumer<NodePoolSpec.Image> change, String profile) {
    NodePoolSpec.Image image = new NodePoolSpec.Image();
    change.accept(image);
    pool.change(seen -> seen.getSpec().image = image);
    has("imaged", profile, "");
  }

  @Test
  void anImageThatDoesNotBootIsDisabledAndStopsGrowthUntilTheRollback() {
    PoolUnderTest pool = pool("broken", NodePoolSpec.UpdateStrategyType.MANUAL);
    String before = active("broken");
    SimulatedFleetSpec.PublishedRelease bad = release();
    FleetMishaps.BrokenParts broken = new FleetMishaps.BrokenParts();
    broken.image = bad.images.getFirst().name;
    broken.mishap = "Fail";
    fleet.change(centre -> {
      centre.releases.add(bad);
      if (centre.mishaps == null) {
        centre.mishaps = new FleetMishaps();
      }
      centre.mishaps.configurations.add(broken);
    });
    has("broken", before, profile(released, 580));
    pool.annotate(Map.of(PoolAnnotations.PROMOTE, "true"));
    has("broken", profile(released, 580), "");

    pool.target(6);

    emitted(pool, EventReason.NODE_POOL_DISABLED, profile(released, 580));
    eventually(() ->
        assertThat(status("broken").nodeConfigurationRevisions)
            .filteredOn(each -> Boolean.TRUE.equals(each.disabled))
            .extracting(each -> each.nodeProfile)
            .containsExactly(profile(released, 580)));
    pool.reports(AtTargetReason.UNDER_TARGET, profile(released, 580) + " is disabled");
    assertThat(pool.nodes().toList())
        .hasSize(2)
        .allSatisfy(name -> assertThat(fleet.host(name).getSpec().configuration).isEqualTo(before));

    pool.annotate(Map.of(PoolAnnotations.ROLLBACK, ""));

    pool.hasMet(6);
    areBooted(pool, before);
    assertThat(fleet.machines(TYPE))
        .allSatisfy(name -> assertThat(fleet.host(name).getSpec().setAside).isNull());
    pool.delete().isGone();
    // The releases after this one are based on what boots.
    fleet.change(centre -> {
      centre.releases.removeIf(each -> each.name.equals(bad.name));
      Optional.ofNullable(centre.mishaps).ifPresent(each -> each.configurations.clear());
    });
    released--;
  }
}
