package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.machine;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.pool;
import static io.nodepool.plan.Given.running;
import static io.nodepool.plan.Given.unregistered;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Given;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** CWRegistered says why a Node is not registered, and costs an ordinary Node no write for it. */
class RegistrationTest {
  private static final MachinePlanner PLANNER =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private static final Host HOST = running("g1");
  private static final Node JOINED = unregistered(node(HOST, 3));

  private static Node notReady(Instant since) {
    return JOINED.withStatus(
        NodeConditions.notRegistered(
            JOINED.status().withNotReadySince(Optional.of(since)),
            RegistrationReason.NOT_REGISTERED));
  }

  private static MachinePlan plan(Node node) {
    return PLANNER.plan(
        machine(
            HOST,
            Optional.of(node),
            List.of(),
            Optional.of(pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)),
            MachineSnapshot.Evidence.NONE),
        NOW);
  }

  /** The Node in its pool, which an operator registered at this instant. */
  private static MachinePlan registeredAt(Instant since, MachineSnapshot.Announcements announced) {
    Node registered =
        node(HOST, 3)
            .withStatus(
                node(HOST, 3)
                    .status()
                    .with(
                        NodeCondition.REGISTERED,
                        Optional.of(new NodeStatus.Entry(true, "Registered", "", since, 1))));
    return PLANNER.plan(
        machine(
            HOST,
            Optional.of(registered),
            List.of(),
            Optional.of(pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)),
            MachineSnapshot.Evidence.NONE.withAnnouncements(announced)),
        NOW);
  }

  private static List<EventReason> announced(MachinePlan plan) {
    return plan.plannedActions().stream()
        .flatMap(each -> each.eventDrafts().stream())
        .map(EventDraft::reason)
        .toList();
  }

  @Test
  void itsEventFollowsTheRegistrationOnceAndAgainFromANewOperatorWithinMinutes() {
    assertThat(announced(plan(JOINED))).isEmpty();
    assertThat(announced(registeredAt(NOW, MachineSnapshot.Announcements.NONE)))
        .containsExactly(EventReason.NODE_REGISTERED);
    assertThat(
            announced(
                registeredAt(
                    NOW,
                    new MachineSnapshot.Announcements(
                        Map.of(EventReason.NODE_REGISTERED, "registered"), Instant.MIN, true))))
        .isEmpty();
    assertThat(announced(registeredAt(NOW.minusSeconds(600), MachineSnapshot.Announcements.NONE)))
        .isEmpty();
    // One that saw it happen asks no clock of another machine.
    assertThat(
            announced(
                registeredAt(
                    NOW.minusSeconds(3600),
                    new MachineSnapshot.Announcements(Map.of(), Instant.MIN, true))))
        .containsExactly(EventReason.NODE_REGISTERED);
  }

  private static List<ConditionChange.Set> said(MachinePlan plan) {
    return plan.plannedActions().stream()
        .map(each -> (Action.WriteNode) each.action())
        .flatMap(write -> write.change().conditionSet(NodeCondition.REGISTERED).stream())
        .toList();
  }

  @Test
  void aNodeThatBecomesReadyWithinAMinuteIsNotWritten() {
    Instant since = NOW.minusSeconds(59);

    assertThat(plan(notReady(since)).plannedActions()).isEmpty();
    assertThat(plan(notReady(since)).wakeup()).contains(since.plusSeconds(60));
  }

  @Test
  void oneThatIsNotReadyForAMinuteSaysSoOnce() {
    Node node = notReady(NOW.minusSeconds(60));

    assertThat(said(plan(node)))
        .containsExactly(
            new ConditionChange.Set(
                NodeCondition.REGISTERED,
                false,
                "NotReady",
                "The Node is not Ready since 2026-01-01T09:59:00Z.",
                false,
                Optional.empty()));

    Node says =
        node.withStatus(NodeConditions.notRegistered(node.status(), RegistrationReason.NOT_READY));
    assertThat(plan(says).plannedActions()).isEmpty();
  }

  @Test
  void theFirstWriteOfTheConditionIsItsTransition() {
    Node node = notReady(NOW.minusSeconds(60));

    assertThat(said(plan(node.withStatus(NodeConditions.registered(node.status(), false)))))
        .singleElement()
        .satisfies(set -> assertThat(set.transitions()).isTrue());
  }

  @Test
  void aReadyNodeIsRegistered() {
    assertThat(said(plan(JOINED)))
        .singleElement()
        .satisfies(set -> assertThat(set.status()).isTrue());
  }
}
