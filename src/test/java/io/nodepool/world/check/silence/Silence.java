package io.nodepool.world.check.silence;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.text.Untruth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks that each cordon, drain, budget that blocks and use of force is reported, on the Node and
 * on its pool: as the operator announces it, or soon after it.
 */
public final class Silence {
  /** How long after it happened something is said at the latest. */
  private static final Duration IN_TIME = Duration.ofMinutes(2);

  /** How soon a change may be repeated whose Event is not emitted anew (decision D98). */
  private static final Duration REPEATED = Duration.ofMinutes(30);

  static final String REMOVAL = "a removal";
  static final String REBOOT = "a reboot";
  static final String PREEMPTION = "a preemption";
  private static final String LOST = "a lost machine";

  private final Chronicle chronicle;
  private final Consumer<Untruth> untruths;
  private final Excuses excuses;

  /** What happened and was not said yet, the oldest first. */
  private final List<Fact> unreported = new ArrayList<>();

  /** What was noted once: what happens again in one disruption is said once. */
  private final Set<String> noted = new HashSet<>();

  /** When an Event of each reason was last emitted on a Node, by its UID and the reason. */
  private final Map<String, Instant> reportedAt = new HashMap<>();

  /** The Events of pools, by the pool's UID and the reason, and then by their occasion. */
  private final Map<String, Map<String, PoolEvent>> reports = new HashMap<>();

  /** Watches over what this chronicle records. */
  public Silence(Chronicle chronicle, Consumer<Untruth> untruths) {
    this.chronicle = chronicle;
    this.untruths = untruths;
    this.excuses = new Excuses(chronicle);
  }

  /** Notes what an Event says. */
  public void emitted(EventDraft event) {
    boolean again = event.message().contains("cordoned again");
    String subject = Fact.subject(event.regarding().uid(), event.reason(), again);
    if (event.regarding().kind() == EventTarget.POOL) {
      PoolEvent report =
          reports
              .computeIfAbsent(subject, _ -> new HashMap<>())
              .computeIfAbsent(event.occasion(), _ -> new PoolEvent());
      report.update(event, chronicle.now());
      // What it names first: else what happened for something else uses up what it counts.
      unreported.removeIf(
          fact -> fact.subject().equals(subject) && report.names(fact) && report.reports(fact));
      unreported.removeIf(fact ->
          fact.subject().equals(subject) && report.isForCauseOf(fact) && report.reports(fact));
      unreported.removeIf(fact -> fact.subject().equals(subject) && report.reports(fact));
    } else {
      reportedAt.put(subject, chronicle.now());
      unreported.removeIf(fact -> fact.subject().equals(subject));
    }
  }

  /** Notes what a write did that took effect. */
  public void done(Action action, Answer<Observation> answer) {
    if (action instanceof Action.WriteNode write) {
      cordons(write);
    } else if (action instanceof Action.EvictPod evict) {
      drains(evict.subject().node(), evict.subject().uid());
      boolean blocked =
          answer instanceof Answer.Done<Observation>(Observation.EvictionTried tried)
              && tried.blockedBy().isPresent();
      if (blocked) {
        String node = evict.subject().node();
        happened(EventReason.NODE_DRAINING_PDB_VIOLATION, node, begun(node), "");
      }
    } else if (action instanceof Action.DeletePod delete) {
      String node = delete.subject().node();
      drains(node, delete.subject().uid());
      if (isForce(delete)) {
        happened(EventReason.NODE_DRAINING_FORCE_DELETE, node, begun(node), "");
      }
    }
  }

  private void cordons(Action.WriteNode write) {
    NodeChange.Cordoning cordoning = write.change().cordoning();
    if (cordoning == NodeChange.Cordoning.CORDON) {
      boolean again = write.isFor(NodePurpose.CORDON_AGAIN);
      Instant uncordoned = wasLast(write.node(), false);
      happened(EventReason.NODE_CORDONED, write.node(), uncordoned, again ? Fact.AGAIN : "");
    } else if (cordoning == NodeChange.Cordoning.UNCORDON) {
      happened(EventReason.NODE_UNCORDONED, write.node(), wasLast(write.node(), true), "");
    }
  }

  private void drains(String node, String podUid) {
    Instant committed = chronicle.node(node).lastWas(Node::isCommitted).orElse(Instant.MIN);
    boolean later =
        chronicle.pods(node).at(committed).stream().noneMatch(pod -> pod.uid().equals(podUid));
    happened(EventReason.NODE_DRAINING, node, begun(node), later ? ", of a later Pod" : "");
  }

  /** Since when the Node is disrupted. */
  private Instant begun(String name) {
    return chronicle.node(name).lastWas(Node::isTerminating).orElse(Instant.MIN);
  }

  /** Whether a Pod is deleted that budgets protect; one that may be interrupted is not. */
  private boolean isForce(Action.DeletePod delete) {
    return chronicle.pods(delete.subject().node()).latest().stream()
        .filter(pod -> pod.uid().equals(delete.subject().uid()))
        .anyMatch(pod -> pod.interruption() == Pod.Interruption.NONE);
  }

  /** Since when the Node is cordoned, or was not cordoned before that. */
  private Instant wasLast(String name, boolean cordoned) {
    return chronicle.node(name).lastWas(each -> each.cordoned() == cordoned).orElse(Instant.MIN);
  }

  private void happened(EventReason reason, String name, Instant from, String how) {
    Optional<Node> node = chronicle.node(name).latest();
    node.ifPresent(each -> {
      String cause = cause(each);
      String pool = each.poolUid();
      Instant now = chronicle.now();
      note(new Fact(reason, Untruth.About.NODE, each.uid(), name, cause, how, from, now));
      note(new Fact(reason, Untruth.About.POOL, pool, name, cause, how, from, now));
    });
  }

  private void note(Fact fact) {
    String key = "%s %s %s %s".formatted(fact.reason(), fact.uid(), fact.node(), fact.from());
    if (noted.add(key) && !isAnnounced(fact)) {
      unreported.add(fact);
    }
  }

  private boolean isAnnounced(Fact fact) {
    Instant last = reportedAt.get(fact.subject());
    return (last != null && !last.plus(REPEATED).isBefore(fact.from()))
        || reports.getOrDefault(fact.subject(), Map.of()).values().stream()
            .filter(report -> report.isSince(fact.from()))
            .filter(report -> report.names(fact) || report.isForCauseOf(fact))
            .anyMatch(report -> report.reports(fact));
  }

  /** What kind of cause the Node is disrupted for, or was until now. */
  private String cause(Node node) {
    return chronicle
        .node(node.name())
        .all(Instant.MIN)
        .filter(each -> each.uid().equals(node.uid()))
        .flatMap(each -> each.disruption().flatMap(Disruption::active).stream())
        .findFirst()
        .map(Silence::cause)
        .orElse("no cause");
  }

  private static String cause(Disruption.Active active) {
    if (active.isRemoval()) {
      return active.isFor("NoMachine") ? LOST : REMOVAL;
    }
    return active.counts(CauseRule.CountsAs.PREEMPTION) ? PREEMPTION : REBOOT;
  }

  /** Reports what is not said in time. What was disturbed may be lost. */
  public void check(Instant calmSince) {
    while (!unreported.isEmpty()
        && !chronicle.now().isBefore(unreported.getFirst().at().plus(IN_TIME))) {
      Fact fact = unreported.removeFirst();
      if (!calmSince.isAfter(fact.at()) && excuses.exists(fact) && !excuses.isOvertaken(fact)) {
        untruths.accept(
            new Untruth(
                fact.reason().word(),
                fact.about(),
                Untruth.Kind.SILENCE,
                "it is said for "
                    + (excuses.lostItsMachine(fact) ? LOST : fact.cause())
                    + fact.how(),
                "of Node %s since %s".formatted(fact.node(), fact.at())));
      }
    }
  }
}
