package io.nodepool.plan;

import io.nodepool.fleet.Host;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.RemovalBatch;
import io.nodepool.vocabulary.NodeRemovalReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which marks are put on Nodes and which are taken back, so that the pool comes down to its target.
 * What happens to a marked Node is its machine's business.
 */
final class Shrinking {
  private static final int NAMED = 3;

  /** Marks that one plan puts on Nodes: enough to keep the API server busy. */
  private static final int AT_ONCE = 128;

  private Shrinking() {}

  /**
   * How the pool comes down.
   *
   * @param steps the marks to be put on Nodes and to be taken back
   * @param names names of the Nodes on their way out, sorted
   * @param choice what they were chosen by
   */
  record Outlook(
      PoolSnapshot seen,
      Instant now,
      List<Step> steps,
      SortedSet<String> names,
      Victims.Choice choice) {
    /** What the status is to say about the batch. */
    RemovalBatch batch() {
      return new RemovalBatch(
          seen.ledger().batch(),
          (int) seen.members().stream().filter(Shrinking::isOnItsWay).count(),
          at(NodeRemovalReason.DRAINING)
              + at(NodeRemovalReason.BLOCKED_BY_BUDGET)
              + at(NodeRemovalReason.FORCED),
          at(NodeRemovalReason.BLOCKED_BY_BUDGET),
          at(NodeRemovalReason.FORCED),
          (int) seen.members().stream().filter(member -> member.trouble().isPresent()).count());
    }

    private int at(NodeRemovalReason reason) {
      return (int) seen.members().stream().filter(member -> isAt(member, reason)).count();
    }

    /** What is on its way and what is waited for, to be put behind a count; empty if nothing is. */
    String text() {
      List<String> parts = new ArrayList<>();
      if (!names.isEmpty()) {
        parts.add("%d being removed".formatted(names.size()));
      }
      if (choice.missing() > 0 && !choice.waiting().isEmpty()) {
        parts.add(waiting());
      }
      Deletion.awaited(seen.members()).ifPresent(parts::add);
      Emptying.trouble(seen).ifPresent(parts::add);
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
                      .formatted(Texts.count(busy.size(), "busy node"), Texts.list(busy, NAMED)),
              passed.isEmpty()
                  ? ""
                  : "%s passed over for some minutes, because tenant work or a person kept %s: %s"
                      .formatted(
                          busy.isEmpty() ? ": " : "; ",
                          passed.size() == 1 ? "it" : "them",
                          Texts.list(passed, NAMED)));
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

  /** Whether the removal of a member's Node is at this. */
  static boolean isAt(Member member, NodeRemovalReason reason) {
    return member
        .node()
        .filter(Node::isDraining)
        .flatMap(Node::removing)
        .filter(removing -> removing.reason() == reason)
        .isPresent();
  }

  /** Plans for this many Nodes to be left. */
  static Outlook plan(PoolSnapshot seen, int target, int rackSize, Instant now) {
    int excess = seen.staying() - target - Sizing.notUp(seen);
    Victims.Choice choice = Victims.choose(seen, excess, rackSize, now);
    List<Step> steps = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    for (Member member : seen.members()) {
      if (isOnItsWay(member)) {
        names.add(member.host().id().name());
      }
    }
    for (Member kept : choice.kept()) {
      names.remove(kept.host().id().name());
      kept.node()
          .ifPresent(node ->
              steps.add(
                  Departure.takeBack(
                      node,
                      seen.pool().id(),
                      kept.mark().orElseThrow(),
                      now,
                      "the pool needs it again")));
    }
    if (mayBegin(seen)) {
      begin(seen, choice, now, steps, names);
    }
    return new Outlook(seen, now, steps, names, choice);
  }

  /** While the fleet cannot be reached nothing is begun that does harm (decision D13). */
  private static boolean mayBegin(PoolSnapshot seen) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Known _ -> true;
      case PoolSnapshot.Offer.Lost _ -> false;
    };
  }

  private static boolean isOnItsWay(Member member) {
    return member.mark().isPresent()
        || member.node().filter(Node::isDraining).isPresent()
        || (member.isCurrent() && member.host().power() == Host.Power.OFF);
  }

  private static void begin(
      PoolSnapshot seen,
      Victims.Choice choice,
      Instant now,
      List<Step> steps,
      SortedSet<String> names) {
    // Of what stands on objects, so that a mark that is tried again after a crash is the same one.
    String occasion = "generation %d".formatted(seen.pool().generation());
    int begun = 0;
    for (Victims.Chosen chosen : choice.chosen()) {
      Member member = chosen.member();
      if (member.mark().isPresent()) {
        continue;
      }
      if (member.node().isPresent()) {
        names.add(member.host().id().name());
        if (begun++ < AT_ONCE) {
          steps.add(
              Departure.mark(member.node().get(), seen.pool().id(), chosen.cause(), now, occasion));
        }
      } else if (member.underWay().isEmpty()) {
        PowerOff.step(
                member.host(),
                seen.pool().id(),
                member.findings().look(),
                Optional.empty(),
                List.of(),
                chosen.cause().text(),
                now)
            .ifPresent(steps::add);
      }
    }
  }
}
