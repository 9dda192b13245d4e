package io.nodepool.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.report.OldestReference;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.RegistrationReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeInterfaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import io.nodepool.vocabulary.metadata.PodLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VocabularyTest {

  /** The condition of a pool that no reference has. */
  private static final PoolCondition OURS = PoolCondition.REPAIRS_HELD;

  @Test
  void conditionsAreInTheOrderOfTheSample() {
    assertThat(PoolCondition.values())
        .extracting(PoolCondition::type)
        .containsExactly(
            "Validated",
            "Capacity",
            "Quota",
            "AtTarget",
            "NodesRemoved",
            "NodeReconfigurationRequired",
            "RepairsHeld",
            "Accepted",
            "Allocated",
            "MetadataSynced",
            "SufficientCapacity");
  }

  @Test
  void theOldestReferenceHasItsConditionsReasonsAndEventsAsPrinted() {
    OldestReference.CONDITIONS.forEach((type, words) ->
        assertThat(PoolCondition.allReasons())
            .filteredOn(reason -> reason.condition().type().equals(type))
            .extracting(PoolReason::word)
            .containsExactlyInAnyOrderElementsOf(words));
    assertThat(EventReason.values())
        .filteredOn(VocabularyTest::isOldest)
        .extracting(EventReason::word)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    OldestReference.EVENTS.keySet().stream(),
                    OldestReference.QUOTA.keySet().stream())
                .toList());
  }

  private static boolean isOldest(EventReason reason) {
    return reason.beside().isPresent() || reason == EventReason.OLDEST_NODE_ACTIVE;
  }

  @Test
  void everyReasonBelongsToItsConditionAndIsUniqueWithinIt() {
    for (PoolCondition condition : PoolCondition.values()) {
      List<PoolReason> reasons = condition.reasons();
      assertThat(reasons).allSatisfy(reason -> assertThat(reason.condition()).isEqualTo(condition));
      assertThat(reasons).extracting(PoolReason::word).doesNotHaveDuplicates();
      if (condition != OURS) {
        assertThat(reasons)
            .extracting(PoolReason::word)
            .contains(condition == PoolCondition.METADATA_SYNCED ? "Unknown" : "InternalError");
      }
    }
    assertThat(ofNewerReferences())
        .hasSize(26)
        .extracting(PoolReason::word)
        .doesNotContain("CapacityUnknown");
  }

  /** Reasons of conditions of the reference that it does not have (decision D82). */
  private static final Set<PoolReason> OUR_REASONS =
      Set.of(CapacityReason.NOT_CHECKED, QuotaReason.NOT_CHECKED);

  private static List<PoolReason> ofNewerReferences() {
    return PoolCondition.allReasons().stream()
        .filter(reason -> reason.condition().isCurrent() && reason.condition() != OURS)
        .filter(reason -> !OUR_REASONS.contains(reason))
        .toList();
  }

  @Test
  void statusesFollowTheReasonsAndOneConditionIsHealthyWhenFalse() {
    assertThat(ofNewerReferences())
        .filteredOn(reason -> reason.status() == ConditionStatus.TRUE)
        .extracting(PoolReason::word)
        .containsExactly(
            "Valid", "Sufficient", "Under", "TargetMet", "Complete", "StagedNodeConfig");
    assertThat(ofNewerReferences())
        .filteredOn(reason -> reason.status() == ConditionStatus.UNKNOWN)
        .extracting(PoolReason::word)
        .hasSize(6)
        .containsOnly("InternalError");
    assertThat(NodeReconfigurationReason.ALL_NODES_UP_TO_DATE.status())
        .isEqualTo(ConditionStatus.FALSE);
    assertThat(QuotaReason.NOT_SET.status()).isEqualTo(ConditionStatus.FALSE);
  }

  @Test
  void aHealthyPoolHasTheMessagesOfTheSample() {
    assertThat(
            Stream.of(
                    ValidatedReason.VALID,
                    CapacityReason.SUFFICIENT,
                    QuotaReason.UNDER,
                    AtTargetReason.TARGET_MET,
                    NodeReconfigurationReason.ALL_NODES_UP_TO_DATE)
                .map(reason -> reason.message().orElseThrow()))
        .containsExactly(
            "NodePool configuration is valid.",
            "Sufficient capacity available for the requested instance type.",
            "NodePool is within instance type quota.",
            "NodePool has reached its target node count.",
            "All nodes are on the current configuration.");
  }

  @Test
  void eventsAreTheNewestReferencesPlusTheFailedUpdateTheThreeOfSpotOneOfALogAndOurs() {
    assertThat(EventReason.values()).extracting(EventReason::word).doesNotHaveDuplicates();
    assertThat(EventReason.values())
        .filteredOn(event -> !event.meaning().contains("Specific to this operator."))
        .filteredOn(event -> !isOldest(event))
        .hasSize(44 + 1 + 3 + 1);
    assertThat(EventReason.values()).allSatisfy(event -> assertThat(event.on()).isNotEmpty());
    assertThat(EventReason.values())
        .filteredOn(event -> event.word().contains(" "))
        .hasSize(3)
        .allSatisfy(event -> assertThat(event.type()).isEqualTo(EventType.WARNING))
        .allSatisfy(event -> assertThat(event.on()).containsExactly(EventTarget.NODE))
        .extracting(EventReason::word)
        .containsExactly("Preemption pending", "Preemption in progress", "Deleted for preemption");
    assertThat(EventReason.NODE_POOL_NODES_REMOVED.type()).isEqualTo(EventType.NORMAL);
    assertThat(EventReason.NODE_POOL_NODES_REMOVE_ERROR.type()).isEqualTo(EventType.WARNING);
  }

  @Test
  void everyNameHasAMeaningInWholeSentences() {
    Stream<String> meanings =
        Stream.of(
                Arrays.stream(PoolCondition.values()).map(PoolCondition::meaning),
                PoolCondition.allReasons().stream().map(PoolReason::meaning),
                Arrays.stream(NodeCondition.values()).map(NodeCondition::meaning),
                Arrays.stream(NodeRemovalReason.values()).map(NodeRemovalReason::meaning),
                Arrays.stream(RegistrationReason.values()).map(RegistrationReason::meaning),
                Arrays.stream(CandidateRank.values()).map(CandidateRank::meaning),
                KnownCause.Catalogue.ALL.stream().map(CauseKind::meaning),
                Arrays.stream(EventReason.values()).map(EventReason::meaning),
                keys().map(MetadataKey::meaning),
                Arrays.stream(NodeInterfaceLabels.values()).map(NodeInterfaceLabels::meaning),
                Arrays.stream(NodeTaints.values()).map(NodeTaints::meaning),
                Arrays.stream(Metric.values()).map(Metric::meaning))
            .flatMap(words -> words);
    assertThat(meanings).allSatisfy(meaning -> assertThat(meaning).matches("(?s).{10,}[.?]"));
  }

  @Test
  void theApiServerAcceptsKeysAndSamples() {
    // One key may be an annotation of NodePools and of Nodes.
    assertThat(keys())
        .extracting(key -> key.getClass().getSimpleName() + " " + key.key())
        .doesNotHaveDuplicates();
    assertThat(keys())
        .allSatisfy(key -> assertThat(key.key()).matches("[a-z0-9.-]+/[A-Za-z0-9._-]{1,63}"));
    assertThat(
            keys()
                .filter(key ->
                    !(key instanceof NodeAnnotations
                        || key instanceof PoolAnnotations
                        || key instanceof HostAnnotations
                        || key instanceof PodAnnotations)))
        .allSatisfy(key ->
            assertThat(key.sample()).matches("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"));
  }

  @Test
  void interfacePatternsAreFilledWithTheNameOfTheInterface() {
    assertThat(NodeInterfaceLabels.IB_NEIGHBOR_EXPECTED_PORT_ID.key("ibp0"))
        .isEqualTo("ib.coreweave.cloud/neighbors.expected.ibp0.port-id");
    assertThat(NodeInterfaceLabels.values())
        .allSatisfy(label -> assertThat(label.pattern()).contains("{interface}"))
        .allSatisfy(label -> assertThat(label.key("ibp0")).doesNotContain("{"));
  }

  private static Stream<MetadataKey> keys() {
    return Stream.of(
            NodeLabels.values(),
            NodeAnnotations.values(),
            PoolAnnotations.values(),
            HostAnnotations.values(),
            PodAnnotations.values(),
            PodLabels.values(),
            NamespaceLabels.values())
        .flatMap(Arrays::stream);
  }
}
