package io.nodepool.world.check.truth;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.chronicle.Track;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks that each cordon, drain, budget that blocks and use of force is reported, on the Node and
 * on its pool: as the operator announces it, or soon after it.
 */
final class Silence {
  /** How long after it happened something is said at the latest. */
  private static final Duration IN_TIME = Duration.ofMinutes(2);

  /**
   * How soon after it happened something is counted that is said of a pool, or is observed again.
   */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  /** How soon a change may be repeated whose Event is not emitted anew (decision D98). */
  private static final Duration REPEATED = Duration.ofMinutes(30);

  private static final String REMOVAL = "a removal";
  private static final String LOST = "a lost machine";

  /** A Node is cordoned again, which has an Event of its own. */
  private static final String AGAIN = " again";

  private final Chronicle chronicle;
  private final Consumer<Untruth> untruths;

  /** What happened and was not said yet, the oldest first. */
  private final List<Fact> unreported = new ArrayList<>();

  /** What was noted once: what happens again in one disruption is said once. */
  private final Set<String> noted = new HashSet<>();

  /** When an Event of each reason was last emitted on a Node, by its UID and the reason. */
  private final Map<String, Instant> reportedAt = new HashMap<>();

  /** The Events of pools, by the pool's UID and the reason, and then by their occasion. */
  private final Map<String, Map<String, Report>> reports = new HashMap<>();

  /**
   * What happened to a Node.
   *
   * @param about where it must be said
   * @param uid the object on which it must be said
   * @param how what is particular about it; empty if nothing is
   * @param from since when it may have been announced
   */
  private record Fact(
      EventReason reason,
      Untruth.About about,
      String uid,
      String node,
      String cause,
      String how,
      Instant from,
      Instant at) {
    /** The objects that it is said on, with the reason. */
    private String subject() {
      return subject(uid, reason, how.equals(AGAIN));
    }

    private static String subject(String uid, EventReason reason, boolean again) {
      return uid + reason + (again ? AGAIN : "");
    }

    /** Identifies it among those of its pool. */
    private String key() {
      return "%s %s".formatted(node, from);
    }
  }

  /** An Event of a pool, which is brought up to date while more happens. */
  private static final class Report {
    private final Set<String> counted = new HashSet<>();
    private Set<String> names = Set.of();
    private int count;
    private Instant at = Instant.MIN;

    private void update(EventDraft event, Instant now) {
      Matcher alone = WITHOUT_MACHINE.matcher(event.message());
      Matcher named = NAMED.matcher(event.message());
      if (alone.find()) {
        names = Set.of(alone.group(1));
      } else {
        names = named.find() ? Set.of(named.group(1).split(LIST)) : Set.of();
      }
      count = event.count();
      at = now;
    }

    /** Whether it names the Node, or counts more than is said by it otherwise. */
    private boolean reports(Fact fact) {
      if (names.contains(fact.node()) || counted.size() < count) {
        counted.add(fact.key());
        return true;
      }
      return false;
    }
  }

  /** The Node that an Event of a pool is about alone. */
  private static final Pattern WITHOUT_MACHINE =
      Pattern.compile("^Node (\\S+) has no machine of the pool any more");

  /** What stands between the names of a list, and after the last. */
  private static final String LIST = ", | and \\d+ more$| and others; .*|; .*";

  /** The Nodes that an Event of a pool names, of which there may be more. */
  private static final Pattern NAMED = Pattern.compile("\\(([^)]*)\\)");

  Silence(Chronicle chronicle, Consumer<Untruth> untruths) {
    this.chronicle = chronicle;
    this.untruths = untruths;
  }

  void emitted(EventDraft event) {
    boolean again = event.message().contains("cordoned again");
    String subject = Fact.subject(event.regarding().uid(), event.reason(), again);
    if (event.regarding().kind() == EventDraft.Kind.NODE_POOL) {
      Report report =
          reports
              .computeIfAbsent(subject, _ -> new HashMap<>())
              .computeIfAbsent(event.occasion(), _ -> new Report());
      report.update(event, chronicle.now());
      unreported.removeIf(fact -> fact.subject().equals(subject) && report.reports(fact));
    } else {
      reportedAt.put(subject, chronicle.now());
      unreported.removeIf(fact -> fact.subject().equals(subject));
    }
  }

  /** Notes what a write did that took effect. */
  void done(Action action, Answer<Observation> answer) {
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
      happened(EventReason.NODE_CORDONED, write.node(), uncordoned, again ? AGAIN : "");
    } else if (cordoning == NodeChange.Cordoning.UNCORDON) {
      happened(EventReason.NODE_UNCORDONED, write.node(), wasLast(write.node(), true), "");
    }
  }

  private void drains(String node, String podUid) {
    Instant committed =
        chronicle
            .node(node)
            .last(each -> each.filter(Node::isCommitted).isPresent())
            .orElse(Instant.MIN);
    boolean later =
        chronicle.pods(node).at(committed).stream().noneMatch(pod -> pod.uid().equals(podUid));
    happened(EventReason.NODE_DRAINING, node, begun(node), later ? ", of a later Pod" : "");
  }

  /** Since when the Node is disrupted. */
  private Instant begun(String name) {
    return chronicle
        .node(name)
        .last(node -> node.filter(Node::isTerminating).isPresent())
        .orElse(Instant.MIN);
  }

  /** Whether a Pod is deleted that budgets protect; one that may be interrupted is not. */
  private boolean isForce(Action.DeletePod delete) {
    return chronicle.pods(delete.subject().node()).latest().stream()
        .filter(pod -> pod.uid().equals(delete.subject().uid()))
        .anyMatch(pod -> pod.interruption() == Pod.Interruption.NONE);
  }

  /** Since when the Node is cordoned, or was not cordoned before that. */
  private Instant wasLast(String name, boolean cordoned) {
    return chronicle
        .node(name)
        .last(node -> node.filter(each -> each.cordoned() == cordoned).isPresent())
        .orElse(Instant.MIN);
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
            .anyMatch(report -> !report.at.isBefore(fact.from()) && report.reports(fact));
  }

  /** What kind of cause the Node is disrupted for, or was until now. */
  private String cause(Node node) {
    return chronicle.node(node.name()).since(Instant.MIN).stream()
        .flatMap(Optional::stream)
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
    return active.counts(CauseRule.CountsAs.PREEMPTION) ? "a preemption" : "a reboot";
  }

  /** Reports what is not said in time. What was disturbed may be lost. */
  void check(Instant calmSince) {
    while (!unreported.isEmpty()
        && !chronicle.now().isBefore(unreported.getFirst().at().plus(IN_TIME))) {
      Fact fact = unreported.removeFirst();
      if (!calmSince.isAfter(fact.at()) && exists(fact) && !isOvertaken(fact)) {
        untruths.accept(
            new Untruth(
                fact.reason().word(),
                fact.about(),
                Untruth.Kind.SILENCE,
                "it is said for " + (lostItsMachine(fact) ? LOST : fact.cause()) + fact.how(),
                "of Node %s since %s".formatted(fact.node(), fact.at())));
      }
    }
  }

  /**
   * Whether something else came between what happened and its report: the pool lost the machine, so
   * it no longer counts the Node; its status lost what had been counted (decision D89); or the Pods
   * went that a budget kept, and it blocks nothing any more.
   */
  private boolean isOvertaken(Fact fact) {
    boolean ofPool = fact.about() == Untruth.About.POOL;
    boolean blocked = fact.reason() == EventReason.NODE_DRAINING_PDB_VIOLATION;
    return ((ofPool || blocked) && isLostAtOnce(fact))
        || (blocked && isUnblockedAtOnce(fact))
        || (ofPool && isForgotten(fact));
  }

  /** Whether the pool lost the machine just when it happened. */
  private boolean isLostAtOnce(Fact fact) {
    String pool = chronicle.node(fact.node()).at(fact.at()).map(Node::poolUid).orElse("");
    return chronicle
        .host(fact.node())
        .last(host -> !isHeldBy(host, pool))
        .filter(lost -> Duration.between(lost, fact.at()).abs().compareTo(AT_ONCE) <= 0)
        .isPresent();
  }

  private boolean isUnblockedAtOnce(Fact fact) {
    List<Pod> then = chronicle.pods(fact.node()).at(fact.at().plus(AT_ONCE));
    return chronicle.pods(fact.node()).at(fact.at()).stream()
        .anyMatch(pod ->
            pod.deletedAt().isEmpty()
                && then.stream()
                    .noneMatch(each -> each.uid().equals(pod.uid()) && each.deletedAt().isEmpty()));
  }

  /** Whether the pool's status lost a batch since. */
  private boolean isForgotten(Fact fact) {
    return chronicle
        .node(fact.node())
        .at(fact.at())
        .map(node -> chronicle.pool(node.metadata().label(NodeLabels.NODE_POOL)))
        .filter(pool ->
            Stream.of(CauseRule.CountsAs.values()).anyMatch(as -> fell(pool, as, fact.from())))
        .isPresent();
  }

  private static boolean fell(Track<Optional<Pool>> pool, CauseRule.CountsAs as, Instant since) {
    int later = Integer.MAX_VALUE;
    for (Optional<Pool> seen : pool.since(since)) {
      int number = seen.map(each -> each.status().events().batch(as).number()).orElse(0);
      if (number > later) {
        return true;
      }
      later = number;
    }
    return false;
  }

  /** Whether the Node existed while its pool did not hold its machine, then or later. */
  private boolean lostItsMachine(Fact fact) {
    Track<Optional<Host>> machine = chronicle.host(fact.node());
    Instant lost = machine.last(host -> !isHeldBy(host, fact.uid())).orElse(Instant.MAX);
    return fact.about() == Untruth.About.POOL
        && fact.cause().equals(REMOVAL)
        && machine.ever(fact.at(), host -> !isHeldBy(host, fact.uid()))
        && chronicle
            .node(fact.node())
            .at(lost.isBefore(fact.at()) ? fact.at() : lost)
            .filter(node -> node.poolUid().equals(fact.uid()))
            .isPresent();
  }

  private static boolean isHeldBy(Optional<Host> host, String poolUid) {
    return host.filter(each -> each.isHeldBy(poolUid)).isPresent();
  }

  /** Whether the object still exists on which it must be said. */
  private boolean exists(Fact fact) {
    return fact.about() == Untruth.About.NODE
        || chronicle
            .node(fact.node())
            .ever(
                fact.at(),
                node ->
                    node.flatMap(each ->
                            chronicle.pool(each.metadata().label(NodeLabels.NODE_POOL)).latest())
                        .filter(pool -> pool.id().uid().equals(fact.uid()))
                        .isPresent());
  }
}
