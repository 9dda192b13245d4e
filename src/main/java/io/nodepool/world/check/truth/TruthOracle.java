package io.nodepool.world.check.truth;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.Collections;
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
  /** Stands where a long text is cut, which then has no form. */
  private static final String SHORTENED = "…";

  private final Chronicle chronicle;
  private final Consumer<String> violation;
  private final Silence silence;
  private final Set<UnmendedText> found = EnumSet.noneOf(UnmendedText.class);

  /**
   * Checks what is said of a cluster.
   *
   * @param chronicle what the objects of the cluster were
   * @param violation what is done with a text that is not true and not on the list
   */
  public TruthOracle(Chronicle chronicle, Consumer<String> violation) {
    this.chronicle = chronicle;
    this.silence = new Silence(chronicle, this::report);
    this.violation = violation;
  }

  /** What was found that is on the list of what is not mended yet. */
  public Set<UnmendedText> found() {
    return Collections.unmodifiableSet(found);
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
          case NODE_POOL -> Untruth.About.POOL;
          case NODE -> Untruth.About.NODE;
          case NAMESPACE -> Untruth.About.NAMESPACE;
        };
    check(
        EventWordings.of(event.reason()),
        new Moment.Text(
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

  /**
   * Checks the conditions that a write has set.
   *
   * @param since the oldest moment that its writer may take for the present
   */
  public void written(Action action, Answer<Observation> answer, Instant since) {
    silence.done(action, answer);
    if (action instanceof Action.PublishStatus(var pool, var status)) {
      published(pool, status, since);
    } else if (action instanceof Action.ReportNode report) {
      activity(report, since);
    } else if (action instanceof Action.ReportRemoval report) {
      report.says().ifPresent(says -> removal(says, report.node(), report.nodeUid(), since));
    } else if (action instanceof Action.CommitDisruption commit) {
      commit.says().ifPresent(says -> removal(says, commit.node(), commit.nodeUid(), since));
    } else if (action instanceof Action.ReportLifecycle report) {
      lifecycle(report, since);
    } else if (action instanceof Action.ListPods list) {
      chronicle.list(list.nodeUid());
    }
  }

  /** While a pool is being deleted its other conditions stay as they were. */
  private void published(PoolId pool, PoolStatus status, Instant since) {
    boolean deleted = status.condition(PoolCondition.NODES_REMOVED).isPresent();
    status
        .conditions()
        .forEach((type, condition) -> {
          if (!deleted || type == PoolCondition.NODES_REMOVED || type == PoolCondition.AT_TARGET) {
            check(
                PoolConditionWordings.of(condition.reason()),
                Moment.Text.ofCondition(
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

  private void activity(Action.ReportNode report, Instant since) {
    condition(
        NodeCondition.ACTIVE,
        report.activity().active() ? "True" : "False",
        report.activity().message(),
        report.node(),
        report.nodeUid(),
        since);
    if (report.register()) {
      condition(NodeCondition.REGISTERED, "True", "", report.node(), report.nodeUid(), since);
    }
  }

  private void removal(Node.Removing says, String node, String uid, Instant since) {
    check(
        NodeConditionWordings.of(says.reason()),
        Moment.Text.ofCondition(
            NodeCondition.NODE_REMOVAL.type(),
            says.reason().word(),
            Untruth.About.NODE,
            node,
            uid,
            says.message()),
        since);
  }

  private void lifecycle(Action.ReportLifecycle report, Instant since) {
    Node.Lifecycle next = report.next();
    next.pending()
        .ifPresent(pending ->
            condition(
                NodeCondition.PENDING_PHASE_STATE,
                pending.status() ? "True" : "False",
                pending.message(),
                report.node(),
                report.nodeUid(),
                since));
    condition(
        NodeCondition.PHASE_STATE, "True", next.phase(), report.node(), report.nodeUid(), since);
    condition(
        NodeCondition.IMMEDIATE_REBOOT,
        next.rebooting() ? "True" : "False",
        "",
        report.node(),
        report.nodeUid(),
        since);
  }

  private void condition(
      NodeCondition type, String status, String message, String node, String uid, Instant since) {
    check(
        NodeConditionWordings.of(type, status),
        Moment.Text.ofCondition(type.type(), status, Untruth.About.NODE, node, uid, message),
        since);
  }

  private void check(List<Wording> wordings, Moment.Text text, Instant since) {
    Moment moment = new Moment(chronicle, text, since, this::report);
    Optional<TextForm.Statement> said = Optional.empty();
    for (Wording wording : wordings) {
      said = wording.about() == text.about() ? wording.form().read(text.text()) : Optional.empty();
      if (said.isPresent()) {
        check(wording, said.get(), moment);
        return;
      }
    }
    boolean isComplete =
        !text.text().contains(SHORTENED)
            && PoolConditionWordings.LEFT_OUT.form().read(text.text()).isEmpty();
    moment.require(Untruth.Kind.FORM, !isComplete, "the text has a registered form");
  }

  private static void check(Wording wording, TextForm.Statement said, Moment moment) {
    said.miscounted()
        .forEach((wrong, what) -> moment.require(Untruth.Kind.NAMES, false, what, wrong));
    int count = wording.counts().isEmpty() ? 1 : said.number(wording.counts());
    moment.require(
        Untruth.Kind.COUNT,
        count == moment.text().count(),
        "the number is the count of the Event",
        moment.text().count());
    wording.check().check(said, moment);
  }

  private void report(Untruth untruth) {
    Optional<UnmendedText> known = UnmendedText.of(untruth);
    known.ifPresent(found::add);
    if (known.isEmpty()) {
      violation.accept(untruth.toString());
    }
  }
}
