package io.nodepool.world.check.truth;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.Summary;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.condition.ConditionType;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.silence.Silence;
import io.nodepool.world.check.text.Untruth;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks what the operator says: each Event when it is emitted, each condition when it is written.
 * What is true is derived from what machines, Pods, Nodes and clients were since the last moment
 * that the operator can have observed.
 */
public final class TruthOracle {
  /**
   * What is written.
   *
   * @param reason the reason of the Event, or the type and the reason of the condition
   * @param name the object that it is about
   * @param count the count of the Event; 1 for a condition
   * @param occasion what distinguishes the Event from others of its reason about the same object
   */
  record Text(
      String reason,
      Untruth.About about,
      String name,
      String uid,
      String text,
      int count,
      String occasion) {
    /** The text of a condition. */
    static Text ofCondition(
        String type, String reason, Untruth.About about, String name, String uid, String text) {
      return new Text(type + "/" + reason, about, name, uid, text, 1, "");
    }

    /** The type of the condition whose text it is. */
    String type() {
      return reason.substring(0, reason.indexOf('/'));
    }

    /** The same text, for what it says of a Node. */
    Text ofNode(String node, String nodeUid) {
      return new Text(reason, Untruth.About.NODE, node, nodeUid, text, count, occasion);
    }
  }

  /** The conditions that change while a pool is being deleted. */
  private static final Set<PoolCondition> OF_DELETION =
      EnumSet.of(PoolCondition.NODES_REMOVED, PoolCondition.AT_TARGET, PoolCondition.ALLOCATED);

  /** Stands where a long text is cut, which then has no form. */
  private static final String SHORTENED = "…";

  private final Chronicle chronicle;
  private final Causes causes;
  private final Consumer<String> violation;
  private final Silence silence;

  /**
   * Checks what is said of a cluster.
   *
   * @param chronicle what the objects of the cluster were
   * @param causes what may be said of each cause of disruption
   * @param violation what is done with a text that is not true
   */
  public TruthOracle(
      Chronicle chronicle, List<? extends Causes.Texts> causes, Consumer<String> violation) {
    this.chronicle = chronicle;
    this.causes = new Causes(causes);
    this.silence = new Silence(chronicle, this::report);
    this.violation = violation;
  }

  /**
   * Checks an Event that is emitted.
   *
   * @param since the oldest moment that its writer may take for the present
   */
  public void emitted(EventDraft event, Instant since) {
    silence.emitted(event);
    Untruth.About about =
        switch (event.regarding().kind()) {
          case POOL -> Untruth.About.POOL;
          case NODE -> Untruth.About.NODE;
          case NAMESPACE -> Untruth.About.NAMESPACE;
        };
    check(
        EventWordings.of(event.reason(), causes),
        new Text(
            event.reason().word(),
            about,
            event.regarding().name(),
            event.regarding().uid(),
            event.message(),
            event.count(),
            event.occasion()),
        since);
  }

  /**
   * Checks that what happened is said in time.
   *
   * @param calmSince since when an operator runs and nothing disturbs it
   */
  public void check(Instant calmSince) {
    silence.check(calmSince);
  }

  /** Notes what a request is to record, which may fail. */
  public void tried(Action action) {
    if (action instanceof Action.WriteNode write) {
      write.next().ifPresent(next -> chronicle.tried(write.node(), next));
    }
  }

  /**
   * Checks the conditions that a write has set.
   *
   * @param since the oldest moment that its writer may take for the present
   */
  public void written(Action action, Answer<Observation> answer, Instant since) {
    silence.done(action, answer);
    if (action instanceof Action.PublishStatus(var pool, var status)) {
      published(pool, status, since);
      saysStates(pool, status, since);
      status.summary().ifPresent(summary -> sums(pool, status, summary, since));
    } else if (action instanceof Action.WriteNode write) {
      write.change().conditionsSet().forEach(set -> reported(write, set, since));
      stays(write, answer).ifPresent(pending -> stays(pending, write, since));
    } else if (action instanceof Action.ListPods list) {
      chronicle.list(list.nodeUid());
    }
  }

  private void sums(PoolId pool, PoolStatus status, Summary summary, Instant since) {
    Text text =
        Text.ofCondition(
            "summary",
            summary.reason().word(),
            Untruth.About.POOL,
            pool.name(),
            pool.uid(),
            summary.message());
    SummaryTruth.check(status, summary, new Moment(chronicle, causes, text, since, this::report));
  }

  private void saysStates(PoolId pool, PoolStatus status, Instant since) {
    for (ReportedState state : ReportedState.values()) {
      Optional<NodesInState> said = Optional.ofNullable(status.counts().states().get(state));
      Text text =
          Text.ofCondition(
              "nodeStates",
              state.name(),
              Untruth.About.POOL,
              pool.name(),
              pool.uid(),
              said.toString());
      NodeStates.check(state, said, new Moment(chronicle, causes, text, since, this::report));
    }
  }

  /** While a pool is being deleted its other conditions stay as they were. */
  private void published(PoolId pool, PoolStatus status, Instant since) {
    boolean deleted = status.condition(PoolCondition.NODES_REMOVED).isPresent();
    status
        .conditions()
        .forEach((type, condition) -> {
          if (!deleted || OF_DELETION.contains(type)) {
            check(
                PoolConditionWordings.of(condition.reason()),
                Text.ofCondition(
                    type.type(),
                    condition.reason().word(),
                    Untruth.About.POOL,
                    pool.name(),
                    pool.uid(),
                    condition.message()),
                since);
          }
        });
  }

  private void reported(Action.WriteNode write, ConditionChange.Set set, Instant since) {
    boolean leaves = set.type() == NodeCondition.NODE_REMOVAL && set.status();
    String status = set.status() ? "True" : "False";
    String reason = leaves ? set.reason() : status;
    check(NodeConditionWordings.of(set), text(write, set.type(), reason, set.message()), since);
  }

  private static Text text(
      Action.WriteNode write, ConditionType type, String reason, String message) {
    return Text.ofCondition(
        type.type(), reason, Untruth.About.NODE, write.node(), write.nodeUid(), message);
  }

  /** The request that the Node shows on, while its other conditions about its lifecycle change. */
  private static Optional<NodeStatus.Entry> stays(
      Action.WriteNode write, Answer<Observation> answer) {
    boolean changes =
        write
            .change()
            .conditionsSet()
            .anyMatch(set -> set.type() == NodeCondition.PENDING_PHASE_STATE);
    return write.isFor(NodePurpose.REPORT_LIFECYCLE)
            && !changes
            && answer instanceof Answer.Done<Observation>(Observation.NodeSeen(Node node))
        ? node.status().lifecycle().pending()
        : Optional.empty();
  }

  private void stays(NodeStatus.Entry pending, Action.WriteNode write, Instant since) {
    NodeCondition type = NodeCondition.PENDING_PHASE_STATE;
    String status = pending.status() ? "True" : "False";
    check(
        NodeConditionWordings.of(type, status),
        text(write, type, status, pending.message()),
        since);
  }

  private void check(List<Wording> wordings, Text text, Instant since) {
    Moment moment = new Moment(chronicle, causes, text, since, this::report);
    boolean isIncomplete =
        text.text().contains(SHORTENED)
            || PoolConditionWordings.LEFT_OUT.form().read(text.text()).isPresent();
    moment.require(
        Untruth.Kind.FORM,
        Wording.check(wordings, text.text(), moment) || isIncomplete,
        "the text has a registered form");
  }

  private void report(Untruth untruth) {
    violation.accept(untruth.toString());
  }
}
