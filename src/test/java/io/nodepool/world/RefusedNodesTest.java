package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests Nodes that cannot be registered: no machine is powered off under a tenant's Pods, and if
 * the API server denies the write, it does not count as a failure of the machine.
 */
@Tag("world")
class RefusedNodesTest {
  private static final String DENIED = "HTTP 403: nodes is forbidden: policy says no";

  /** The answer to a registration instead of carrying it out; empty to carry it out. */
  private Optional<Answer<Observation>> answer = Optional.of(new Answer.Denied<>(DENIED));

  private Drill drill = drill(1);

  private Drill drill(long seed) {
    return Drill.with(seed, Faults.NONE, OperatorOverrides.AS_BUILT.withWriter(Answering::new));
  }

  private final class Answering implements Writer {
    private final Writer writer;

    Answering(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> to) {
      boolean registers =
          action instanceof Action.WriteNode report
              && report
                  .change()
                  .conditionSet(NodeCondition.REGISTERED)
                  .filter(ConditionChange.Set::status)
                  .isPresent();
      writer.submit(
          eventDrafts,
          registers && answer.isPresent() ? new Action.Confirm(action.subject()) : action,
          outcome -> to.accept(registers ? answer.orElse(outcome) : outcome));
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> to) {
      writer.read(subject, to);
    }
  }

  private List<Host> blamed() {
    return drill.world.cluster().hosts().values().stream()
        .filter(host -> host.deliveries().failure().isPresent() || host.deliveries().isSetAside())
        .toList();
  }

  private Pod workOn(Node node) {
    return drill.world.cluster().bindPod("default", "train-" + node.name(), node.name(), "Job");
  }

  @Test
  void aForbiddenRegistrationStopsNoMachineAndCountsNoFailure() {
    drill.pool("a").target(3).advance(40, MINUTES);
    List<Pod> work = drill.world.cluster().nodes().values().stream().map(this::workOn).toList();
    assertThat(work).hasSize(3);

    drill.advance(5, HOURS);

    assertThat(drill.world.cluster().pods().keySet())
        .containsAll(work.stream().map(Pod::uid).toList());
    assertThat(drill.world.cluster().appliedWrites().of("stop Host")).isZero();
    assertThat(blamed()).isEmpty();
    assertThat(drill.pool("a").hosts()).hasSize(3);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "InternalError");
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .contains("The API server does not carry out what the pool asks for on 3 Nodes")
        .endsWith(DENIED);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
    assertThat(drill.events(EventReason.NODE_REGISTRATION_FAILED))
        .extracting(event -> event.eventDraft().regarding().name())
        .containsAll(drill.world.cluster().nodes().keySet());
    assertThat(drill.events(EventReason.NODE_REGISTRATION_FAILED))
        .allSatisfy(event ->
            assertThat(event.eventDraft().message())
                .matches(
                    "Node .* could not be registered, [0-9]+ times?: .*policy says no. It is retried."));
  }

  @Test
  void whileItIsForbiddenNoFurtherHostIsAssignedAndAfterwardsThePoolContinues() {
    drill.pool("a").target(2).advance(90, MINUTES);
    drill.pool("a").target(6).advance(3, HOURS);
    assertThat(drill.pool("a").hosts()).hasSize(2);

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(3, HOURS);
    assertThat(drill.pool("a").hosts()).hasSize(2);
    assertThat(drill.emitted(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
    assertThat(drill.events(EventReason.NODE_REGISTERED)).isEmpty();

    answer = Optional.empty();
    drill.toRest();
    assertThat(
            drill
                .events(EventReason.NODE_REGISTERED)
                .filter(event -> event.eventDraft().regarding().kind() == EventTarget.NODE))
        .hasSize(6);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.pool("a").nodes()).hasSize(6);
    assertThat(blamed()).isEmpty();
  }

  @Test
  void anotherOperatorNamesTheNodesWithoutHostOnce() {
    answer = Optional.empty();
    drill.pool("a").target(2).toRest();
    Node lost = drill.pool("a").nodes().getFirst();
    workOn(lost);
    drill.advance(1, MINUTES);
    answer = Optional.of(new Answer.Denied<>(DENIED));
    drill.world.cluster().fleetOwner().delete(lost.name());
    drill.advance(3, HOURS);
    String published = drill.pool("a").message(PoolCondition.AT_TARGET);
    assertThat(published)
        .startsWith("The API server does not carry out what the pool asks for on 1 Node")
        .containsOnlyOnce(" Without a Host, and kept until their work ends: 1 Node");

    List<String> messages = new ArrayList<>();
    drill.world.operators().kill();
    drill.world.operators().start();
    for (int second = 0; second < 120; second++) {
      drill.advance(1, SECONDS);
      messages.add(drill.pool("a").message(PoolCondition.AT_TARGET));
    }
    assertThat(messages).containsOnly(published);
  }

  /** As while a webhook that hangs is asked about each Node. */
  @Test
  void aRegistrationThatIsNotAnsweredCountsNoFailureEitherAndHealsByItself() {
    answer = Optional.of(new Answer.Unavailable<>("no answer in time"));
    drill.pool("a").target(3).advance(32, MINUTES);
    drill.advance(3, HOURS);

    assertThat(blamed()).isEmpty();
    assertThat(drill.world.cluster().appliedWrites().of("stop Host")).isZero();
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .contains("The API server does not carry out what the pool asks for on 3 Nodes")
        .endsWith("no answer in time");
    assertThat(drill.emitted(EventReason.NODE_REGISTRATION_FAILED)).isPositive();

    answer = Optional.empty();
    drill.toRest();
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(blamed()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void aRestartWhileNodesAreForbiddenWritesNothing(long seed) {
    drill = drill(seed);
    drill.pool("a").target(2).advance(5, HOURS);
    int before = drill.world.cluster().appliedWrites().total();
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(1, HOURS);

    assertThat(drill.world.cluster().appliedWrites().total()).isEqualTo(before);
    assertThat(drill.world.cluster().hosts().values())
        .filteredOn(host -> host.assignment().isPresent())
        .allMatch(host -> host.is(HostPhase.RUNNING));
  }
}
