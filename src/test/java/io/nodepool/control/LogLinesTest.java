package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.ClusterStates;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests that lines of the log are sentences about one object, with their reason first. */
class LogLinesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final HostId HOST = new HostId("g1", "h-1");
  private static final PoolId POOL = new PoolId("train", "pool-uid");
  private static final Action STATUS = new Action.PublishStatus(POOL, PoolStatus.NONE);

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger log =
      ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger("io.nodepool.control");
  private final ClusterState state = ClusterStates.empty(() -> NOW);

  @BeforeEach
  void listen() {
    log.setLevel(Level.DEBUG);
    lines.start();
    log.addAppender(lines);
  }

  @AfterEach
  void stop() {
    log.detachAppender(lines);
    log.setLevel(null);
  }

  private List<String> of(Action action, String why, Answer<Observation> answered) {
    Writer writer =
        new Writer() {
          @Override
          public void submit(
              List<EventDraft> eventDrafts, Action sent, Consumer<Answer<Observation>> answer) {
            answer.accept(answered);
          }

          @Override
          public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
            answer.accept(answered);
          }
        };
    new ActionSubmitter(
            writer,
            state,
            _ -> {},
            () -> NOW,
            LoopSettings.DEFAULTS.backOff(),
            ReferenceGeneration.CURRENT)
        .submit(PlannedAction.quiet(action, why), new ReconcileKey.OfMachine("g1"));
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void aWriteThatFailedIsNamedAfterItsReason() {
    assertThat(of(STATUS, "status changed", new Answer.Refused<>("HTTP 409: it has changed")))
        .containsExactly(
            "publish status: NodePool train: status changed",
            "refused: HTTP 409: it has changed (publish status: NodePool train); next try in 250 ms at the earliest");
  }

  @Test
  void aWriteInDoubtIsNamedAfterItsReason() {
    assertThat(of(STATUS, "status changed", new Answer.Unknown<>("no answer in time")))
        .contains(
            "no answer in time (publish status: NodePool train): unknown whether it took effect; the object is read in 250 ms");
  }

  @Test
  void aPodIsNamedWithItsNode() {
    Action evict =
        new Action.EvictPod(
            new Action.Subject.OfPod("team", "train-0", "pod-uid", "g1"), Optional.empty());
    assertThat(of(evict, "its Node is drained", new Answer.Missing<>()))
        .containsExactly(
            "evict Pod: Pod team/train-0 on Node g1: its Node is drained",
            "object is gone (evict Pod: Pod team/train-0 on Node g1); next try in 250 ms at the earliest");
  }

  @Test
  void aDecisionAboutANodeWhosePoolIsNotKnownNamesNone() {
    Action decided =
        Action.WriteNode.reportRemoval(Fixtures.node(HOST, "n-1", 1), Optional.empty());
    Action stays =
        new Action.WriteNode(
            "g1",
            "n-1",
            ((Action.WriteNode) decided).precondition(),
            ((Action.WriteNode) decided).change(),
            NodePurpose.WITHDRAW);
    assertThat(of(stays, "its work goes on", new Answer.Unavailable<>("HTTP 429")).getFirst())
        .isEqualTo("Node g1 stays: its work goes on");
  }

  @Test
  void anOperationOnAHostNamesItsPool() {
    Action stop = new Action.OnHost(new HostOperation.Stop(HOST, 1, POOL, Optional.empty()));
    assertThat(of(stop, "it is drained", new Answer.Unavailable<>("HTTP 429")))
        .containsExactly(
            "pool train: Node g1 loses its machine: it is drained",
            "HTTP 429 (stop Host: Host g1 of NodePool train); next try in 250 ms at the earliest");
  }
}
