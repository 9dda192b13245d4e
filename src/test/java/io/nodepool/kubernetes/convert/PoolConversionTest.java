package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.PoolStatus.RackCounts;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.pool.Summary;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolConversionTest {
  private static final Instant THEN = Instant.parse("2026-11-21T05:02:00Z");
  private static final PoolStatus STATUS =
      new PoolStatus(
          3,
          new PoolStatus.NodeCounts(
              36,
              0,
              2,
              0,
              Optional.of(new RackCounts(2, 1, 1)),
              Map.of(
                  ReportedState.NOT_READY, new NodesInState(7, List.of("g1", "g2"), THEN),
                  ReportedState.IN_DISRUPTION, new NodesInState(1, List.of("g3"), THEN))),
          new RemovalBatch(2, 2, 1, 1, 0, 1),
          FailedReboots.NONE,
          RepairState.NONE,
          ConfigurationState.NONE.withProfile("profile-1"),
          "0123456789abcdef",
          Optional.of(new Growth(THEN.plusNanos(123456789), 2, 2, 1)),
          Map.of(
              PoolCondition.VALIDATED,
              new Condition(ValidatedReason.VALID, "fine", THEN),
              PoolCondition.AT_TARGET,
              new Condition(AtTargetReason.UNDER_TARGET, "0 of 2", THEN)),
          new EventState(
              OptionalInt.of(4),
              Map.of(PoolCondition.CAPACITY, CapacityReason.PARTIAL),
              new Occurrences(
                  Map.of(
                      Occurrence.ASSIGNED,
                      12,
                      Occurrence.REGISTERED,
                      13,
                      Occurrence.VANISHED,
                      9,
                      Occurrence.TAINTED,
                      10,
                      Occurrence.UNTAINTED,
                      11)),
              Map.of(
                  CountsAs.REMOVAL,
                  batch(1),
                  CountsAs.PREEMPTION,
                  batch(20),
                  CountsAs.REBOOT,
                  batch(40)),
              3),
          Optional.of(new Summary(SummaryReason.WAITS_FOR_MACHINES, "Waits for 2.")));

  /** A batch in which each number is another one. */
  private static BatchState batch(int first) {
    Map<Occurrence, Integer> counts = new EnumMap<>(Occurrence.class);
    EnumSet.range(Occurrence.CHOSEN, Occurrence.REMOVED)
        .forEach(what -> counts.put(what, first + counts.size()));
    return new BatchState(
        first + 10,
        first + 11,
        new BatchState.Drains(first + 12, first + 13, first + 14),
        new Occurrences(counts),
        new TreeMap<>(Map.of("Rollout", first + 15, "Reboot", first + 16)));
  }

  private static PoolSpec.RepairPolicy repair(Map<String, String> annotations) {
    NodePool object = poolObject();
    object.getMetadata().setAnnotations(annotations);
    return PoolConversion.pool(object).spec().repair();
  }

  @Test
  void theLimitsOfRepairsAreNumbersOrPercentages() {
    assertThat(repair(Map.of()).limits()).isEqualTo(PoolSpec.RepairBrakes.DEFAULTS);
    PoolSpec.RepairPolicy repair =
        repair(
            Map.of(
                "nodepool.io/repair-max-unavailable", "10%",
                "nodepool.io/repair-max-at-once", "3"));
    assertThat(repair.limits().unavailable().of(50)).isEqualTo(5);
    assertThat(repair.limits().atOnce().of(50)).isEqualTo(3);
    assertThat(repair.isRepairing()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "nodepool.io/repair-max-unavailable, 0",
    "nodepool.io/repair-max-unavailable, 101%",
    "nodepool.io/repair-max-at-once, many",
    "nodepool.io/repair-max-at-once, -1"
  })
  void aLimitThatCannotBeReadHoldsAllRepairs(String key, String text) {
    PoolSpec.RepairPolicy repair = repair(Map.of(key, text));
    assertThat(repair.limits().problem().orElseThrow())
        .startsWith(
            "Annotation %s: \"%s\" is not a number of Nodes above zero".formatted(key, text));
    assertThat(repair.isRepairing()).isFalse();
  }

  @Test
  void aReleaseIsAnInstantThatIsOver() {
    Instant at = Instant.parse("2026-01-01T10:00:00Z");
    assertThat(released("2026-01-01T11:00:00+01:00").released(at)).contains(at);
    assertThat(released("2026-01-01T11:00:00+01:00").ignoredRelease(at)).isEmpty();
    assertThat(released("").released(at)).isEmpty();
    assertThat(released("").ignoredRelease(at)).isEmpty();
    assertThat(repair(Map.of("nodepool.io/release", "2026-01-01T10:00:00Z")).isRepairing())
        .isTrue();
  }

  @Test
  void aReleaseThatIsNoneIsIgnoredAndNamed() {
    Instant at = Instant.parse("2026-01-01T10:00:00Z");
    PoolSpec.RepairBrakes future = released("2026-01-01T10:00:01Z");
    assertThat(future.released(at)).isEmpty();
    assertThat(future.ignoredRelease(at))
        .contains(
            "The annotation nodepool.io/release is ignored: 2026-01-01T10:00:01Z is in the future.");
    PoolSpec.RepairBrakes misread = released("now");
    assertThat(misread.released(at)).isEmpty();
    assertThat(misread.ignoredRelease(at))
        .contains(
            "The annotation nodepool.io/release is ignored: \"now\" is not an instant; example: 2026-01-01T00:00:00Z.");
  }

  private static PoolSpec.RepairBrakes released(String text) {
    return repair(Map.of("nodepool.io/release", text)).limits();
  }

  @Test
  void onlyTrueKeepsMachinesForInspection() {
    assertThat(repair(Map.of("nodepool.io/preserve", "true")).isPreserving()).isTrue();
    assertThat(repair(Map.of("nodepool.io/preserve", "yes")).isPreserving()).isFalse();
    assertThat(repair(Map.of()).isPreserving()).isFalse();
  }

  private static NodePool poolObject() {
    NodePool object = new NodePool();
    object.setMetadata(
        new ObjectMetaBuilder()
            .withName("p")
            .withUid("uid-p")
            .withResourceVersion("12")
            .withGeneration(4L)
            .withCreationTimestamp("2026-11-21T05:00:00Z")
            .build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = "gd-8xh100ib-i128";
    spec.targetNodes = 8;
    object.setSpec(spec);
    return object;
  }

  private static StatusCondition condition(String type, String status, String reason) {
    StatusCondition condition = new StatusCondition();
    condition.type = type;
    condition.status = status;
    condition.reason = reason;
    condition.lastTransitionTime = THEN.toString();
    return condition;
  }

  @Test
  void aStatusIsReadAsItWasWritten() {
    assertThat(PoolConversion.status(PoolConversion.status(STATUS))).isEqualTo(STATUS);
  }

  private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

  /** A real one, as the version before wrote it. */
  @Test
  void theStatusOfAnEarlierVersionIsRead() {
    NodePool earlier =
        new KubernetesSerialization()
            .unmarshal(
                Objects.requireNonNull(
                    getClass().getResourceAsStream("/status-of-an-earlier-version.yaml")),
                NodePool.class);
    PoolStatus read = PoolConversion.pool(earlier).status();

    assertThat(read.growth())
        .contains(new Growth(Instant.parse("2026-11-29T16:05:05.635Z"), 3, 3, 3));
    assertThat(read.nodeMetadata()).isEqualTo("390feabc786e369e");
    assertThat(read.events().reachedTarget()).hasValue(3);
    assertThat(read.events().occurrences().of(Occurrence.REGISTERED)).isEqualTo(3);
    assertThat(PoolConversion.status(PoolConversion.status(read))).isEqualTo(read);
  }

  @Test
  void whatIsRememberedIsOneShortLineAtTheEnd() {
    NodePoolStatus written = PoolConversion.status(STATUS);
    String json = new KubernetesSerialization().asJson(written);

    assertThat(new TreeMap<>(new ObjectMapper().convertValue(written, FIELDS)).lastKey())
        .isEqualTo("workingMemory");
    assertThat(written.workingMemory).hasSizeLessThan(2048);
    assertThat(json).doesNotContain("\"growth\"", "\"removal\"", "\"nodeMetadata\"");
  }

  /** Instead of without what it remembers. */
  @Test
  void anEarlierVersionCannotReadTheStatus() {
    ObjectMapper json = new ObjectMapper();
    Object eventState = PoolConversion.status(STATUS).eventState;

    assertThatThrownBy(() -> json.convertValue(eventState, EventStateDocument.class))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMemoryThatCannotBeReadOrIsMissingIsNoEmptyOne() {
    NodePoolStatus written = PoolConversion.status(STATUS);
    String text = Objects.requireNonNull(written.workingMemory);
    for (String wrong :
        Arrays.asList("2:" + text, text.substring(0, text.length() / 2), "", null)) {
      written.workingMemory = wrong;
      assertThatThrownBy(() -> PoolConversion.status(written))
          .isInstanceOf(UnreadableObjectException.class)
          .hasMessageContaining("status.workingMemory cannot be read");
    }
  }

  @Test
  void anEventStateThatIsNoneIsNoEmptyOne() {
    NodePoolStatus earlier = new NodePoolStatus();
    for (Object wrong : List.of("lost", 7, Map.of("reachedTarget", "many"))) {
      earlier.eventState = wrong;
      assertThatThrownBy(() -> PoolConversion.status(earlier))
          .isInstanceOf(UnreadableObjectException.class)
          .hasMessageStartingWith("status.eventState cannot be read");
    }
  }

  @Test
  void whatHoldsFailedRebootsIsReadAsItWasWrittenAlsoBesideNoRemoval() {
    FailedReboots held =
        new FailedReboots(
            2,
            List.of("g1", "g2"),
            "At most one leaves each minute.",
            Optional.of(new FailedReboots.Admitted("g3", "uid-3", "4/2026-01-01T00:00:00Z")),
            List.of(THEN, THEN.plusMillis(90_001)),
            Optional.of(THEN));
    PoolStatus status = PoolStatus.NONE.withFailedReboots(held);

    assertThat(PoolConversion.status(PoolConversion.status(status))).isEqualTo(status);
    assertThat(PoolConversion.status(PoolStatus.NONE).failedReboots).isNull();
  }

  @Test
  void theGrantOfAnotherPoolIsVoid() {
    Pool pool = PoolConversion.pool(poolObject());
    PoolStatus copied =
        PoolStatus.NONE
            .withGrowth(Optional.of(new Growth(THEN, 5, 5, 5)))
            .withConfiguration(
                ConfigurationState.NONE.withHandled(
                    ConfigurationState.Handled.NOTHING.withPoolUid("another")));

    assertThat(pool.withStatus(copied).status().growth()).isEmpty();
  }

  @Test
  void countsOfZeroAreWritten() {
    String json = new KubernetesSerialization().asJson(PoolConversion.status(STATUS));

    assertThat(json).contains("\"currentNodes\":0", "\"queuedNodes\":0", "\"inProgress\":2");
  }

  @Test
  void theCountsAreWrittenUnderTheNamesThatClientsRead() {
    String json = new KubernetesSerialization().asJson(PoolConversion.status(STATUS));

    assertThat(json).contains("\"inProgressNodes\":2", "\"targetNodes\":36", "\"prefillNodes\":0");
  }

  @Test
  void aStatusOfAVersionThatDidNotPublishTheTargetIsWrittenAgain() {
    NodePoolStatus earlier = PoolConversion.status(PoolStatus.NONE);
    assertThat(PoolConversion.status(earlier)).isEqualTo(PoolStatus.NONE);

    earlier.targetNodes = null;

    assertThat(PoolConversion.status(earlier)).isNotEqualTo(PoolStatus.NONE);
  }

  @ParameterizedTest
  @CsvSource({"999999999, 999999999", "1000000000, 0", "-1, 0"})
  void aNumberOfACommandThatTheOperatorNeverWritesCountsAsALostRecord(int written, int read) {
    ConfigurationState.Handled handled =
        new ConfigurationState.Handled("", "", Optional.of(UpdateStrategy.MANUAL), "r", 7);
    NodePoolStatus object =
        PoolConversion.status(
            STATUS.withConfiguration(STATUS.configuration().withHandled(handled)));
    Objects.requireNonNull(object.configuration).command = written;

    ConfigurationState.Handled found = PoolConversion.status(object).configuration().handled();
    assertThat(found)
        .isEqualTo(read == 0 ? ConfigurationState.Handled.NOTHING : handled.withCommand(read));
  }

  @Test
  void transitionTimesHaveSecondsPrecision() {
    PoolStatus status =
        PoolStatus.NONE
            .withObservedGeneration(1)
            .withConditions(
                Map.of(
                    PoolCondition.VALIDATED,
                    new Condition(ValidatedReason.VALID, "fine", THEN.plusMillis(900))));

    assertThat(PoolConversion.status(status).conditions.getFirst().lastTransitionTime)
        .isEqualTo("2026-11-21T05:02:00Z");
  }

  @Test
  void conditionsOfOtherClientsAreOmitted() {
    NodePoolStatus status = new NodePoolStatus();
    status.conditions =
        List.of(
            condition("Validated", "True", "SomethingNew"),
            condition("Quota", "False", "Under"),
            condition("SomebodyElses", "True", "Valid"),
            condition("AtTarget", "True", "TargetMet"));

    assertThat(PoolConversion.status(status).conditions())
        .containsOnlyKeys(PoolCondition.AT_TARGET);
  }

  @Test
  void onlyTheOperatorsFinalizerGuardsAPool() {
    NodePool object = poolObject();
    object.getMetadata().setFinalizers(List.of("somebody/else"));
    assertThat(PoolConversion.pool(object).guarded()).isFalse();

    object.getMetadata().setFinalizers(List.of("somebody/else", PoolConversion.FINALIZER));
    assertThat(PoolConversion.pool(object).guarded()).isTrue();
  }

  @Test
  void aSpecIsReadWithItsDefaults() {
    Pool pool = PoolConversion.pool(poolObject());

    assertThat(pool.spec().target()).isEqualTo(8);
    assertThat(pool.spec().priority()).isZero();
    assertThat(pool.spec().lifecycle().scaleDownStrategy())
        .isEqualTo(PoolSpec.ScaleDownStrategy.IDLE_ONLY);
    assertThat(pool.status()).isEqualTo(PoolStatus.NONE);
    assertThat(pool.generation()).isEqualTo(4);
    assertThat(pool.isTerminating()).isFalse();
  }

  @Test
  void aVersionThatIsNotANumberIsNamed() {
    NodePool object = poolObject();
    object.getMetadata().setResourceVersion("abc");

    assertThatThrownBy(() -> PoolConversion.pool(object))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("metadata.resourceVersion is no number: abc");
  }
}
