package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A status that the API server refuses because of a text stops neither counts nor growth. */
@Tag("world")
class RefusedStatusTest {
  private static final String REFUSAL =
      "nodepools \"a\" is forbidden: ValidatingAdmissionPolicy 'words' denied request: no prefill";

  /** The messages of conditions that an admission policy refuses. */
  private Predicate<String> refused = message -> message.contains("spec.prefill is stored");

  private int refusals;

  private final Drill drill = Drill.calm(1);

  RefusedStatusTest() {
    drill.world.cluster().validate(new WithPolicy());
  }

  private final class WithPolicy extends CrdValidation {
    @Override
    public Optional<String> status(PoolStatus next) {
      if (next.conditions().values().stream().map(Condition::message).anyMatch(refused)) {
        refusals++;
        return Optional.of(REFUSAL);
      }
      return super.status(next);
    }
  }

  private void prefill() {
    drill.world.cluster().editPool("a", spec -> spec.withPrefill(true));
  }

  @Test
  void thePoolGrowsAndTheTextIsLeftOutAndAnEventSaysWhy() {
    drill.pool("a").target(0).toRest();
    prefill();
    drill.pool("a").target(3).advance(40, MINUTES);

    assertThat(drill.pool("a").nodes()).hasSize(3);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "Valid");
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED))
        .contains("CWNodePoolStatusRefused");
    assertThat(drill.emitted(EventReason.NODE_POOL_STATUS_REFUSED)).isPositive();
    assertThat(drill.world.cluster().events().values())
        .extracting(record -> record.eventDraft().message())
        .contains(
            "The API server refuses the status of the NodePool; it is published without the message of Validated: HTTP 422: "
                + REFUSAL);
  }

  @Test
  void theTextIsTriedAgainAtLongIntervalsAndPublishedOnceItIsAccepted() {
    drill.pool("a").target(0).toRest();
    prefill();
    drill.advance(1, MINUTES);
    int first = refusals;
    assertThat(first).isBetween(1, 4);
    drill.advance(1, HOURS);
    assertThat(refusals - first).isBetween(1, 8);

    refused = message -> false;
    drill.toRest();
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED)).contains("spec.prefill is stored");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"ACCEPTED_COMMAND", "NODE_AFFINITY"})
  void aLongTextInAnAnnotationStopsNeitherStatusNorGrowth(PoolAnnotations annotation) {
    drill.pool("a").target(0).toRest();
    Map<String, String> annotations = Map.of(annotation.key(), "x".repeat(40_000));
    drill
        .pool("a")
        .edit(spec ->
            spec.withConfiguration(
                spec.configuration()
                    .withRollout(RolloutAnnotations.read(annotations))
                    .withCommands(CommandAnnotations.read(annotations, uid()))));
    drill.pool("a").target(3).toRest();

    assertThat(drill.pool("a").nodes()).hasSize(3);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_POOL_STATUS_REFUSED)).isZero();
  }

  @Test
  void aRollbackWhoseTextDoesNotFitIntoTheRecordOfCommandsIsRefused() {
    drill.pool("a").target(1).toRest();
    // Each character has two in JSON.
    Map<String, String> annotations =
        Map.of(
            PoolAnnotations.ROLLBACK.key(), "\"".repeat(CrdValidation.LARGEST_ANNOTATIONS * 3 / 4));
    drill
        .pool("a")
        .edit(spec ->
            spec.withConfiguration(
                spec.configuration().withCommands(CommandAnnotations.read(annotations, uid()))))
        .toRest();

    assertThat(drill.emitted(EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED)).isEqualTo(1);
    assertThat(drill.pool("a").seen().spec().configuration().commands().isWaiting()).isFalse();
  }

  private String uid() {
    return drill.pool("a").seen().id().uid();
  }
}
