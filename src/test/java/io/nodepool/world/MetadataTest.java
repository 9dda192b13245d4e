package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.nodepool.vocabulary.metadata.LabelDomains;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the labels, annotations and taints of the spec on Nodes, as clients observe them. */
class MetadataTest {
  private static final Taint KIND = new Taint("is_gpu", "true", "PreferNoSchedule");
  private static final Taint FOREIGN = new Taint("another-client/key", "x", "NoExecute");

  private static Drill grown(int nodes) {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(nodes).toRest();
    return drill;
  }

  private static int writes(Drill drill) {
    return drill.world.cluster().appliedWrites().of("apply metadata");
  }

  @Test
  void aMachineThatJoinsWithItsPoolsMetadataCostsNoWrite() {
    Drill drill = Drill.calm(1);
    drill.world.cluster().createPool("a", specWith(Scenario.FIRST), World.START);
    drill.toRest();

    assertThat(drill.pool("a").nodes())
        .hasSize(2)
        .allSatisfy(node -> {
          assertThat(node.metadata().applied()).contains(Scenario.FIRST);
          assertThat(node.metadata().labels()).containsEntry("team", "a");
        });
    assertThat(writes(drill)).isZero();
    assertThat(drill.emitted(EventReason.NODE_POOL_METADATA)).isZero();
  }

  private static final NodeTemplate TIER =
      Drill.template(
          Map.of("apps.coreweave.cloud/tier", "one", "team", "a"),
          Map.of("apps.coreweave.cloud/tier", "one"));

  /** A drill whose operator lets specs set the tier. */
  private static Drill allowing() {
    KeyExceptions tier = KeyExceptions.of(List.of("apps.coreweave.cloud/tier"));
    return Drill.with(
        1,
        Faults.NONE,
        OperatorOverrides.AS_BUILT.withTimings(timings -> timings.withExceptions(tier)));
  }

  @Test
  void aReservedKeyThatTheOperatorAllowsIsFollowedOnNodesThatJoinAndThatHaveJoined() {
    Drill drill = allowing();
    drill.world.cluster().createPool("a", specWith(TIER), World.START);
    drill.pool("b").target(2).toRest();
    drill.pool("b").carrying(TIER).toRest();
    for (String pool : List.of("a", "b")) {
      assertThat(drill.pool(pool).nodes())
          .hasSize(2)
          .allSatisfy(node -> {
            assertThat(node.metadata().labels()).containsEntry("apps.coreweave.cloud/tier", "one");
            assertThat(node.metadata().annotations())
                .containsEntry("apps.coreweave.cloud/tier", "one");
          });
    }
    assertThat(writes(drill)).isEqualTo(2);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    assertThat(drill.pool("a").nodes())
        .allSatisfy(node -> {
          assertThat(node.metadata().labels()).doesNotContainKey("apps.coreweave.cloud/tier");
          assertThat(node.metadata().annotations()).doesNotContainKey("apps.coreweave.cloud/tier");
        });
  }

  @Test
  void aReservedKeyThatTheOperatorDoesNotAllowReachesNoNodeAndMakesThePoolInvalid() {
    Drill drill = grown(2);
    drill.pool("a").carrying(TIER).toRest();
    assertThat(drill.pool("a").nodes())
        .allSatisfy(node ->
            assertThat(node.metadata().labels()).doesNotContainKey("apps.coreweave.cloud/tier"));
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED))
        .contains("spec.nodeLabels", LabelDomains.REFUSAL);
  }

  private static PoolSpec specWith(NodeTemplate template) {
    return Fixtures.spec(2).withNode(template);
  }

  @Test
  void aChangeOfTheSpecIsAppliedToEveryNodeInOneWriteAndForeignMetadataStays() {
    Drill drill = grown(4);
    drill.pool("a").everyNode(Scenario::withForeignFacts);
    drill.pool("a").carrying(Scenario.FIRST).toRest();

    assertThat(drill.pool("a").nodes())
        .hasSize(4)
        .allSatisfy(node -> {
          assertThat(node.metadata().labels())
              .containsEntry("team", "a")
              .containsEntry("stage", "one")
              .containsEntry("another-client", "value")
              .containsEntry(NodeLabels.NODE_POOL.key(), "a");
          assertThat(node.metadata().annotations()).containsEntry("contact", "team-a");
          assertThat(node.metadata().taints())
              .containsExactly(
                  KIND,
                  FOREIGN,
                  new Taint("dedicated", "a", "NoSchedule"),
                  new Taint("trial", "", "NoExecute"));
        });
    assertThat(writes(drill)).isEqualTo(4);

    drill.pool("a").carrying(Scenario.SECOND).toRest();
    assertThat(drill.pool("a").nodes())
        .allSatisfy(node -> {
          assertThat(node.metadata().labels())
              .containsEntry("team", "b")
              .containsEntry("cost-centre", "7")
              .containsEntry("another-client", "value")
              .doesNotContainKey("stage");
          assertThat(node.metadata().annotations())
              .containsEntry("runbook", "none")
              .doesNotContainKey("contact");
          assertThat(node.metadata().taints())
              .containsExactly(
                  KIND,
                  FOREIGN,
                  new Taint("dedicated", "b", "NoSchedule"),
                  new Taint("slow", "", "PreferNoSchedule"));
        });
    assertThat(writes(drill)).isEqualTo(8);

    drill.pool("a").carrying(NodeTemplate.EMPTY).toRest();
    assertThat(drill.pool("a").nodes())
        .allSatisfy(node -> assertThat(node.metadata().taints()).containsExactly(KIND, FOREIGN));
    assertThat(writes(drill)).isEqualTo(12);
  }

  @Test
  void aChangeIsReportedOnceOnThePoolAndItsTaintsOnEachNode() {
    Drill drill = grown(7);
    drill.pool("a").carrying(Scenario.FIRST).toRest();

    assertThat(drill.events(EventReason.NODE_POOL_METADATA))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.eventDraft().count()).isEqualTo(7);
          assertThat(event.eventDraft().message())
              .matches(
                  "Bringing the labels, annotations and taints of the spec to 7 Nodes: .* and 2 more\\.");
          assertThat(event.writes()).isEqualTo(1);
        });
    assertThat(onNodes(drill, EventReason.NODE_TAINTED))
        .hasSize(7)
        .allSatisfy(event ->
            assertThat(event.eventDraft().message())
                .contains("dedicated=a:NoSchedule, trial:NoExecute"));

    drill.pool("a").carrying(Scenario.SECOND).toRest();
    assertThat(drill.events(EventReason.NODE_POOL_METADATA)).hasSize(2);
    assertThat(onNodes(drill, EventReason.NODE_UNTAINTED))
        .hasSize(7)
        .allSatisfy(
            event -> assertThat(event.eventDraft().message()).contains(" trial:NoExecute:"));
  }

  private static Stream<WorldCluster.EventRecord> on(
      Drill drill, EventReason reason, EventTarget kind) {
    return drill.events(reason).filter(event -> event.eventDraft().regarding().kind() == kind);
  }

  private static Stream<WorldCluster.EventRecord> onNodes(Drill drill, EventReason reason) {
    return on(drill, reason, EventTarget.NODE);
  }

  @Test
  void theTaintsOfAChangeAreReportedOnThePoolWithCountAndFirstNames() {
    Drill drill = grown(7);
    drill.pool("a").carrying(Scenario.FIRST).toRest().pool("a").carrying(Scenario.SECOND).toRest();

    assertThat(on(drill, EventReason.NODE_TAINTED, EventTarget.POOL))
        .extracting(event -> event.eventDraft().count())
        .containsExactly(7, 7);
    assertThat(on(drill, EventReason.NODE_TAINTED, EventTarget.POOL))
        .anyMatch(event ->
            event
                .eventDraft()
                .message()
                .matches(
                    "Tainting 7 Nodes \\(.* and 2 more\\): dedicated=a:NoSchedule, trial:NoExecute; the spec has it so\\."));
    assertThat(on(drill, EventReason.NODE_UNTAINTED, EventTarget.POOL))
        .singleElement()
        .satisfies(event ->
            assertThat(event.eventDraft().message())
                .matches("Untainting 7 Nodes .*: trial:NoExecute; the spec has it so\\."));
  }

  @Test
  void aTaintOfTheSpecThatIsRestoredIsReportedOnThePoolToo() {
    Drill drill = grown(2);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    drill.world.cluster().nodeClients().metadata(node, metadata -> metadata.withTaints(List.of()));
    drill.toRest();

    assertThat(on(drill, EventReason.NODE_TAINTED, EventTarget.POOL))
        .hasSize(2)
        .anyMatch(event ->
            event.eventDraft().count() == 1
                && event.eventDraft().message().contains("1 Node (" + node));
    assertThat(drill.emitted(EventReason.NODE_UNTAINTED)).isZero();
  }

  @Test
  void aChangeThereAndBackIsReportedEachTime() {
    Drill drill = grown(2);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    drill.pool("a").carrying(NodeTemplate.EMPTY).toRest();
    drill.pool("a").carrying(Scenario.FIRST).toRest();

    assertThat(drill.events(EventReason.NODE_POOL_METADATA)).hasSize(3);
    assertThat(onNodes(drill, EventReason.NODE_TAINTED)).hasSize(4);
  }

  @Test
  void aChangeOfOtherFieldsWritesNoNode() {
    Drill drill = grown(2);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    drill.pool("a").target(3).toRest();

    assertThat(writes(drill)).isEqualTo(2);
    assertThat(drill.events(EventReason.NODE_POOL_METADATA)).hasSize(1);
  }

  @Test
  void aNodeThatBootedWithOldMetadataIsRegisteredOnlyWithTheNew() {
    Drill drill = Drill.calm(3);
    List<Node> registeredTooEarly = new ArrayList<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)
                  && node.registered()
                  && !node.metadata().applied().equals(Optional.of(Scenario.FIRST))) {
                registeredTooEarly.add(node);
              }
            });
    drill.pool("a").target(3).advance(15, MINUTES);
    drill.pool("a").carrying(Scenario.FIRST).toRest();

    assertThat(registeredTooEarly).isEmpty();
    assertThat(drill.pool("a").nodes()).hasSize(3).allMatch(Node::registered);
    assertThat(writes(drill)).isEqualTo(3);
    assertThat(drill.emitted(EventReason.NODE_POOL_METADATA)).isEqualTo(3);
  }

  @Test
  void managedMetadataThatAnotherClientChangesIsCorrected() {
    Drill drill = grown(1);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    NodeMetadata right = drill.pool("a").nodes().getFirst().metadata();

    List<UnaryOperator<NodeMetadata>> edits =
        List.of(
            metadata -> label(metadata, "team", "mine"),
            metadata -> label(metadata, NodeLabels.NODE_POOL.key(), "another"),
            metadata -> label(metadata, NodeLabels.COMPUTE_CLASS.key(), "spot"),
            metadata -> taints(metadata, List.of(KIND)),
            metadata ->
                taints(
                    metadata,
                    List.of(
                        KIND,
                        new Taint("dedicated", "b", "NoSchedule"),
                        new Taint("trial", "", "NoExecute"))));
    for (UnaryOperator<NodeMetadata> edit : edits) {
      int before = writes(drill);
      drill.pool("a").everyNode(edit).toRest();
      NodeMetadata now = drill.pool("a").nodes().getFirst().metadata();
      assertThat(now.labels()).isEqualTo(right.labels());
      assertThat(now.taints()).containsExactlyInAnyOrderElementsOf(right.taints());
      assertThat(writes(drill)).isEqualTo(before + 1);
    }
    assertThat(drill.events(EventReason.NODE_POOL_METADATA)).hasSize(1);
  }

  @Test
  void aNodeWhosePoolLabelWasRemovedStillBelongsToItsPool() {
    Drill drill = grown(2);
    String uid = drill.pool("a").seen().id().uid();
    drill
        .pool("a")
        .everyNode(metadata -> label(metadata, NodeLabels.NODE_POOL_UID.key(), "another"));
    drill.toRest();

    assertThat(drill.pool("a").nodes()).hasSize(2).allMatch(node -> node.poolUid().equals(uid));
    assertThat(drill.pool("a").seen().status().currentNodes()).isEqualTo(2);
  }

  @Test
  void aNodeWithoutARecordIsGivenOne() {
    Drill drill = grown(1);
    drill.pool("a").carrying(Scenario.FIRST).toRest();
    drill.pool("a").everyNode(metadata -> metadata.withApplied(Optional.empty()));
    drill.toRest();

    assertThat(drill.pool("a").nodes().getFirst().metadata().applied()).contains(Scenario.FIRST);
  }

  @Test
  void aNodeThatJoinedWithoutARecordLosesMetadataThatTheSpecNoLongerHas() {
    Drill drill = Drill.calm(5);
    drill.world.cluster().createPool("a", specWith(Scenario.FIRST), World.START);
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)
                  && !node.registered()
                  && node.metadata().applied().equals(Optional.of(Scenario.FIRST))
                  && writes(drill) == 0) {
                drill
                    .world
                    .cluster()
                    .nodeClients()
                    .metadata(node.name(), metadata -> metadata.withApplied(Optional.empty()));
              }
            });
    drill.advance(15, MINUTES);
    drill.pool("a").carrying(Scenario.SECOND).toRest();

    assertThat(drill.pool("a").nodes())
        .hasSize(2)
        .allSatisfy(node -> {
          assertThat(node.metadata().applied()).contains(Scenario.SECOND);
          assertThat(node.metadata().labels()).doesNotContainKey("stage");
          assertThat(node.metadata().taints()).doesNotContain(new Taint("trial", "", "NoExecute"));
        });
  }

  @Test
  void keysThatTheSpecMayNotSetAreUnchanged() {
    Drill drill = grown(1);
    NodeTemplate reaching =
        Drill.template(
            Map.of(
                "kubernetes.io/hostname", "h",
                "gpu.nvidia.com/count", "9",
                "cks.coreweave.cloud/system-critical", "true"),
            Map.of("fleet.nodepool.io/tenancy", "9"),
            new Taint("is_gpu", "no", "PreferNoSchedule"));
    drill.pool("a").carrying(reaching).toRest();

    NodeMetadata given = drill.pool("a").nodes().getFirst().metadata();
    assertThat(given.labels())
        .containsEntry("cks.coreweave.cloud/system-critical", "true")
        .containsEntry("node.coreweave.cloud/state", "production")
        .doesNotContainKey("kubernetes.io/hostname");
    assertThat(given.annotations()).isEmpty();
    assertThat(given.taints()).containsExactly(KIND);

    drill
        .pool("a")
        .everyNode(metadata ->
            metadata
                .withApplied(
                    Optional.of(
                        Drill.template(
                            Map.of(
                                "node.coreweave.cloud/state", "zap",
                                "cks.coreweave.cloud/system-critical", "true"),
                            Map.of(),
                            new Taint("is_gpu", "true", "PreferNoSchedule"),
                            new Taint("node.coreweave.cloud/reserved", "", "NoExecute"))))
                .withLabels(label(metadata, "node.coreweave.cloud/state", "production").labels()));
    drill.pool("a").carrying(NodeTemplate.EMPTY).toRest();
    NodeMetadata after = drill.pool("a").nodes().getFirst().metadata();
    assertThat(after.labels())
        .containsEntry("node.coreweave.cloud/state", "production")
        .doesNotContainKey("cks.coreweave.cloud/system-critical");
    assertThat(after.taints()).containsExactly(KIND);
  }

  @Test
  void whileThePoolIsBeingDeletedNoMetadataIsApplied() {
    Drill drill = grown(1);
    String node = drill.pool("a").nodes().getFirst().name();
    drill.world.cluster().namespaces().create("tenant");
    drill.world.cluster().bindPod("tenant", "work", node, "");
    drill.advance(10, SECONDS);
    drill.pool("a").delete();
    drill.pool("a").carrying(Scenario.FIRST).advance(10, MINUTES);

    assertThat(drill.pool("a").nodes().getFirst().metadata().labels()).doesNotContainKey("team");
    assertThat(writes(drill)).isZero();
  }

  private static NodeMetadata label(NodeMetadata metadata, String key, String value) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put(key, value);
    return metadata.withLabels(labels);
  }

  private static NodeMetadata taints(NodeMetadata metadata, List<Taint> taints) {
    return metadata.withTaints(taints);
  }
}
