package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Condition;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A status that the API server refuses because of a text stops neither counts nor growth. */
@Tag("world")
class RefusedStatusTest {
  private static final String REFUSAL = "HTTP 422: status.conditions[0].message: Too long";

  /** The messages of conditions that the API server refuses. */
  private Predicate<String> refused = message -> message.contains("spec.prefill is stored");

  private int refusals;

  private final Drill drill =
      Drill.with(1, Faults.NONE, OperatorOverrides.AS_BUILT.withWriter(Refusing::new));

  private final class Refusing implements Writer {
    private final Writer writer;

    Refusing(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> to) {
      if (action instanceof Action.PublishStatus publish
          && publish.status().conditions().values().stream()
              .map(Condition::message)
              .anyMatch(refused)) {
        refusals++;
        writer.submit(
            eventDrafts,
            new Action.Confirm(action.subject()),
            _ -> to.accept(new Answer.Denied<>(REFUSAL, true)));
        return;
      }
      writer.submit(eventDrafts, action, to);
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> to) {
      writer.read(subject, to);
    }
  }

  private void prefill() {
    drill.world.cluster().editPool("a", spec -> spec.withPrefill(true));
  }

  @Test
  void thePoolGrowsAndTheTextIsLeftOutAndAnEventSaysWhy() {
    drill.pool("a").target(0).settle();
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
            "The API server refuses the status of the NodePool; it is published without the message of Validated: "
                + REFUSAL);
  }

  @Test
  void theTextIsTriedAgainAtLongIntervalsAndPublishedOnceItIsAccepted() {
    drill.pool("a").target(0).settle();
    prefill();
    drill.advance(1, MINUTES);
    int first = refusals;
    assertThat(first).isBetween(1, 4);
    drill.advance(1, HOURS);
    assertThat(refusals - first).isBetween(1, 8);

    refused = message -> false;
    drill.settle();
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED)).contains("spec.prefill is stored");
  }
}
