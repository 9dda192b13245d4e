package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Assignments that an admission policy refuses are no lack of machines, and are said as such. */
@Tag("world")
class RefusedAssignmentsTest {
  private static final String POLICY =
      "HTTP 422: hosts \"…\" is forbidden: ValidatingAdmissionPolicy 'freeze' denied request: no changes today";

  /** The answer to an assignment instead of carrying it out; empty to carry it out. */
  private Optional<Answer<Observation>> answer = Optional.of(new Answer.Denied<>(POLICY, true));

  private int refused;

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
      boolean assigns = action instanceof Action.OnHost(HostOperation.Assign _);
      if (assigns && answer.isPresent()) {
        refused++;
        writer.submit(
            eventDrafts, new Action.Confirm(action.subject()), _ -> to.accept(naming(action)));
      } else {
        writer.submit(eventDrafts, action, to);
      }
    }

    /** The server names the Host in its error. */
    private Answer<Observation> naming(Action action) {
      return answer.orElseThrow() instanceof Answer.Denied<Observation>(String why, boolean invalid)
              && action.subject() instanceof Action.Subject.OfHost(var host)
          ? new Answer.Denied<>(why.replace("…", host.name()), invalid)
          : answer.orElseThrow();
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> to) {
      writer.read(subject, to);
    }
  }

  @Test
  void theConditionsSayWhoRefusesAndOneEventIsEmittedForAllHosts() {
    drill.pool("a").target(4).advance(1, HOURS);

    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "InternalError")
        .containsEntry("Capacity", "InternalError");
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET)).endsWith(POLICY);
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY)).endsWith(POLICY);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
    assertThat(drill.emitted(EventReason.INSUFFICIENT_CAPACITY)).isZero();

    answer = Optional.empty();
    drill.toRest();
    assertThat(drill.pool("a").nodes()).hasSize(4);
    assertThat(drill.pool("a").conditions())
        .containsEntry("AtTarget", "TargetMet")
        .containsEntry("Capacity", "Sufficient");
  }

  @Test
  void whileItIsRefusedOneHostIsTriedAtATimeWithGrowingWaits() {
    drill.pool("a").target(4).advance(1, MINUTES);
    int first = refused;
    assertThat(first).isLessThan(16);
    int writes = drill.world.cluster().appliedWrites().total();
    drill.advance(1, HOURS);
    assertThat(refused - first).isBetween(60, 180);
    assertThat(drill.world.cluster().appliedWrites().total()).isEqualTo(writes);
  }

  @Test
  void aRestartSaysTheSameAndEmitsNoSecondEvent() {
    drill.pool("a").target(4).advance(1, HOURS);
    drill.world.operators().kill();
    drill.world.operators().start();
    int before = refused;
    drill.advance(10, MINUTES);

    assertThat(refused - before).isLessThan(60);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "InternalError");
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
  }

  @Test
  void aSmallerTargetEndsTheReport() {
    drill.pool("a").target(4).advance(1, HOURS);
    drill.pool("a").target(0).toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void requestsWithoutAnAnswerAreReportedOnceForAllHosts() {
    answer = Optional.of(new Answer.Unavailable<>("HTTP 503: busy"));
    drill.pool("a").target(4).advance(1, HOURS);

    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
  }
}
