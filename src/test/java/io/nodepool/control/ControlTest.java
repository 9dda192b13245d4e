package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Given;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ControlTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final HostId HOST = new HostId("g1", "h-1");

  private Instant now = NOW;
  private final RecordingWriter writer = new RecordingWriter();

  private final Control control =
      new Control(
          new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS)::plan,
          MachinePlanning.by(
              new MachinePlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS)),
          ControlPlaneNamespaces.DEFAULTS,
          writer,
          key -> {},
          () -> now,
          LoopSettings.DEFAULTS,
          ReferenceGeneration.CURRENT,
          Optional::empty);

  /** Records what is sent, and answers when the test says so. */
  private static final class RecordingWriter implements Writer {
    final List<Action> sent = new ArrayList<>();
    final List<EventDraft> eventDrafts = new ArrayList<>();
    private Consumer<Answer<Observation>> waiting = answer -> {};

    void answer(Observation found) {
      waiting.accept(new Answer.Done<>(found));
    }

    @Override
    public void submit(
        List<EventDraft> drafts, Action action, Consumer<Answer<Observation>> answer) {
      eventDrafts.addAll(drafts);
      sent.add(action);
      waiting = answer;
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {}
  }

  private static Observation host(long version, Optional<PoolId> holder) {
    return host(HOST, version, holder);
  }

  private static Observation host(HostId id, long version, Optional<PoolId> holder) {
    return new Observation.HostSeen(
        Fixtures.host(
                id,
                new Host.Occupancy(1, holder.map(Fixtures::assignment), "", Host.Power.ON),
                new Host.Report(HostPhase.RUNNING, 1, "boot", "ncore-1", NOW))
            .withVersion(version));
  }

  @Test
  void aHostAndItsNodeBelongToThePoolThatHoldsTheHost() {
    Action.Subject host = new Action.Subject.OfHost(HOST);
    Action.Subject node = new Action.Subject.OfNode("g1", "n-1");
    assertThat(control.poolOf(host)).isEmpty();

    control.observe(host(1, Optional.of(POOL)));
    assertThat(control.poolOf(host)).isEqualTo("pool-uid");
    assertThat(control.poolOf(node)).isEqualTo("pool-uid");

    control.observe(host(2, Optional.empty()));
    assertThat(control.poolOf(host)).isEmpty();
    assertThat(control.poolOf(node)).isEmpty();
  }

  private static Observation node(long version) {
    return node(HOST, version);
  }

  private static Observation node(HostId host, long version) {
    return new Observation.NodeSeen(Fixtures.node(host, "n-1", 1).withVersion(version));
  }

  private List<Action> planned() {
    return planned("g1");
  }

  private List<Action> planned(String machine) {
    writer.sent.clear();
    control.reconcileMachine(machine);
    return List.copyOf(writer.sent);
  }

  @Test
  void aNodeWhosePoolWasNotObservedIsOrphanedOnlyAfterALiveRead() {
    control.observe(new Observation.OfferSeen(Given.OFFER));
    control.observe(host(1, Optional.of(POOL)));
    control.observe(node(2));
    control.listed();

    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfPool(POOL)));
    writer.answer(new Observation.PoolGone(POOL, 0));
    assertThat(planned()).hasOnlyElementsOfType(Action.WriteNode.class).hasSize(1);
  }

  @Test
  void anUnreadablePoolExistsAndItsMachinesAreUnchangedAcrossARestart() {
    control.observe(host(1, Optional.of(POOL)));
    control.observe(node(2));
    control.observe(new Observation.PoolUnreadable(POOL, 3, "status.x is no time: y"));
    control.listed();

    assertThat(planned()).isEmpty();
    control.reconcilePool("a");
    assertThat(writer.eventDrafts)
        .singleElement()
        .satisfies(eventDraft -> {
          assertThat(eventDraft.reason()).isEqualTo(EventReason.OBJECT_UNREADABLE);
          assertThat(eventDraft.message()).contains("status.x is no time: y");
        });
    control.reconcilePool("a");
    assertThat(writer.eventDrafts).hasSize(1);
    assertThat(control.state().unread().count()).isEqualTo(1);

    writer.answer(new Observation.PoolUnreadable(POOL, 3, "status.x is no time: y"));
    control.observe(new Observation.PoolGone(POOL, 4));
    now = now.plusSeconds(1);
    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfPool(POOL)));
    assertThat(control.state().unread().count()).isZero();
  }

  @Test
  void anUnreadableHostOrNodeExistsAndIsUnchanged() {
    control.observe(host(1, Optional.of(POOL)));
    control.observe(node(2));
    control.observe(
        new Observation.HostUnreadable(HOST, 5, "spec.tenancy is out of range", "pool-uid"));
    control.listed();

    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfHost(HOST)));
    assertThat(planned()).isEmpty();

    control.observe(host(6, Optional.of(POOL)));
    control.observe(new Observation.NodeUnreadable("g1", "n-1", 7, "annotation is no record"));
    assertThat(planned())
        .containsExactly(new Action.Confirm(new Action.Subject.OfNode("g1", "n-1")));
    assertThat(planned()).isEmpty();
  }

  @Test
  void aNodeWhoseHostWasNotObservedIsALeftoverOnlyAfterALiveRead() {
    control.observe(node(2));
    control.listed();

    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfHost(HOST)));
    writer.answer(new Observation.HostGone(HOST, 0));
    assertThat(planned()).hasOnlyElementsOfType(Action.WriteNode.class).hasSize(1);
  }

  @Test
  void aNodeIsRemovedOnceALiveReadFindsNoHostEvenIfAnotherHostHasItsName() {
    control.observe(host(new HostId("g1", "h-2"), 1, Optional.empty()));
    control.observe(node(2));
    control.listed();

    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfHost(HOST)));
    writer.answer(new Observation.HostGone(HOST, 0));
    assertThat(planned()).hasOnlyElementsOfType(Action.WriteNode.class).hasSize(1);
  }

  /** The watch of Hosts may be behind that of Nodes, so the other Host may be an older one. */
  @Test
  void aDeletedPoolDoesNotOrphanANodeOfAnotherHostUnderTheName() {
    HostId second = new HostId("g2", "h-2");
    control.observe(host(second, 1, Optional.of(POOL)));
    control.observe(node(second, 2));
    control.observe(host(new HostId("g1", "h-0"), 3, Optional.of(POOL)));
    control.observe(node(4));
    control.listed();

    assertThat(planned("g2")).containsExactly(new Action.Confirm(new Action.Subject.OfPool(POOL)));
    writer.answer(new Observation.PoolGone(POOL, 0));
    assertThat(planned()).containsExactly(new Action.Confirm(new Action.Subject.OfHost(HOST)));
  }

  @Test
  void aPoolBelongsToItselfAndANamespaceToNone() {
    assertThat(control.poolOf(new Action.Subject.OfPool(POOL))).isEqualTo("pool-uid");
    assertThat(control.poolOf(new Action.Subject.OfNamespace("kube-system", "u"))).isEmpty();
  }
}
