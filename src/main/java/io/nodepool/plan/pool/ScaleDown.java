package io.nodepool.plan.pool;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.node.NodeDeletion;
import io.nodepool.plan.node.NodeTermination;
import io.nodepool.plan.node.PowerOff;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which marks are put on Nodes and which are taken back, so that the pool comes down to its target.
 * What happens to a marked Node is its machine's business.
 */
final class ScaleDown {
  private static final int NAMED = 3;

  /** Marks that one plan puts on Nodes: enough to keep the API server busy. */
  private static final int AT_ONCE = 128;

  private ScaleDown() {}

  /**
   * How the pool comes down.
   *
   * @param plannedActions the marks to be put on Nodes and to be taken back
   * @param beingRemoved how many Nodes are being removed once these steps are done
   * @param choice what they were chosen by
   */
  record Outlook(
      PoolSnapshot seen,
      Instant now,
      List<PlannedAction> plannedActions,
      int beingRemoved,
      ScaleDownCandidates.Choice choice) {
    /** What the status is to say about the batch. */
    RemovalBatch batch() {
      return new RemovalBatch(
          seen.ledger().batch(),
          count(Members.Trait.BEING_REMOVED),
          count(Members.Trait.DRAINING)
              + count(Members.Trait.BLOCKED)
              + count(Members.Trait.FORCED),
          count(Members.Trait.BLOCKED),
          count(Members.Trait.FORCED),
          count(Members.Trait.TROUBLED));
    }

    private int count(Members.Trait trait) {
      return seen.members().count(trait);
    }

    /** What is on its way and what is waited for, to be put behind a count; empty if nothing is. */
    String text() {
      List<String> parts = new ArrayList<>();
      if (beingRemoved > 0) {
        parts.add("%d being removed".formatted(beingRemoved));
      }
      if (choice.missing() > 0 && !choice.waiting().isEmpty()) {
        parts.add(waiting());
      }
      NodeDeletion.awaited(seen.members()).ifPresent(parts::add);
      PoolDeletion.trouble(seen).ifPresent(parts::add);
      return parts.isEmpty() ? "" : ": " + String.join("; ", parts);
    }

    /** Nodes that are passed over may be idle by now; what keeps them is that they were not. */
    private String waiting() {
      List<String> busy = waiting(false);
      List<String> passed = waiting(true);
      return "%d must wait%s%s"
          .formatted(
              choice.missing(),
              busy.isEmpty()
                  ? ""
                  : " for tenant workloads to end on %s: %s"
                      .formatted(
                          Messages.count(busy.size(), "busy node"), Messages.list(busy, NAMED)),
              passed.isEmpty()
                  ? ""
                  : "%s passed over for some minutes, because tenant work or a person kept %s: %s"
                      .formatted(
                          busy.isEmpty() ? ": " : "; ",
                          passed.size() == 1 ? "it" : "them",
                          Messages.list(passed, NAMED)));
    }

    private List<String> waiting(boolean passedOver) {
      return choice.waiting().stream()
          .filter(member -> member.passedOverUntil(now).isPresent() == passedOver)
          .map(member -> member.host().id().name())
          .sorted()
          .toList();
    }

    /** When to look again although nothing happens. */
    Optional<Instant> wakeup() {
      Stream<Instant> passed =
          choice.waiting().stream().flatMap(member -> member.passedOverUntil(now).stream());
      Stream<Instant> looks =
          choice.chosen().stream()
              .flatMap(each -> PowerOff.lookAgain(each.member().findings().look(), now).stream());
      return Stream.concat(passed, looks).min(Instant::compareTo);
    }
  }

  /** Plans for this many Nodes to be left. */
  static Outlook plan(PoolSnapshot seen, int target, int rackSize, Instant now) {
    int excess = seen.staying() - target - HostScaling.notUp(seen);
    ScaleDownCandidates.Choice choice = ScaleDownCandidates.choose(seen, excess, rackSize, now);
    List<PlannedAction> plannedActions = new ArrayList<>();
    for (Member kept : choice.kept()) {
      kept.node()
          .ifPresent(node ->
              plannedActions.add(
                  NodeTermination.takeBack(
                      node,
                      seen.pool().id(),
                      kept.mark().orElseThrow(),
                      now,
                      "the pool needs it again")));
    }
    int begun = mayBegin(seen) ? begin(seen, choice, now, plannedActions) : 0;
    int beingRemoved =
        seen.members().count(Members.Trait.BEING_REMOVED) - choice.kept().size() + begun;
    return new Outlook(seen, now, plannedActions, beingRemoved, choice);
  }

  /** While the fleet cannot be reached nothing is begun that does harm (decision D13). */
  private static boolean mayBegin(PoolSnapshot seen) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Known _ -> true;
      case PoolSnapshot.Offer.Lost _ -> false;
    };
  }

  /** Adds the steps that begin removals. Returns of how many Nodes. */
  private static int begin(
      PoolSnapshot seen,
      ScaleDownCandidates.Choice choice,
      Instant now,
      List<PlannedAction> plannedActions) {
    // Of what stands on objects, so that a mark that is tried again after a crash is the same one.
    String occasion = "generation %d".formatted(seen.pool().generation());
    int begun = 0;
    for (ScaleDownCandidates.Chosen chosen : choice.chosen()) {
      Member member = chosen.member();
      if (member.mark().isPresent()) {
        continue;
      }
      if (member.node().isPresent()) {
        if (begun++ < AT_ONCE) {
          plannedActions.add(
              NodeTermination.mark(
                  member.node().get(), seen.pool().id(), chosen.cause(), now, occasion));
        }
      } else if (member.underWay().isEmpty()) {
        PowerOff.plannedAction(
                member.host(),
                seen.pool().id(),
                member.findings().look(),
                Optional.empty(),
                List.of(),
                chosen.cause().text(),
                now)
            .ifPresent(plannedActions::add);
      }
    }
    return begun;
  }
}
