package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.plan.DisruptionPairs;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page about several causes on one Node, made of the cells that a test plays. */
final class DisruptionsPage {
  private DisruptionsPage() {}

  static String text() {
    Markdown page =
        new Markdown("Several causes on one Node")
            .paragraph(
                "What happens to a Node that two causes disrupt, for every pair, in both orders and at every stage. A test plays each"
                    + " row through the planners. The Node belongs to a spot pool with `scaleDownStrategy: PreferIdle`, and has one Pod that a"
                    + " PodDisruptionBudget never allows to evict, so that every deadline of its drain comes. [ADR 7](../adr/0007-causes-demand-and-demands-merge.md)"
                    + " explains the rules, [spot.md](../spot.md) the timeline of a preemption.")
            .table(row("Cause", "How it comes about", "How it is withdrawn"), causes());
    page.heading("The second cause comes about at a stage of the first")
        .paragraph(
            "*Causes* is what is recorded when the drain begins and what joins later. The ending is always that the Node leaves. *Drain* is when the drain"
                + " begins, after the first cause or after the fleet's notice; *Budgets until* is when PodDisruptionBudgets are not respected"
                + " any more; *Machine stops* is when it stops whatever is left on it, not earlier than the Pods have ended otherwise. *Planned"
                + " first* is whose step is carried out first if the pool's plan and the machine's have one at the same moment.");
    for (String first : DisruptionPairs.CAUSES) {
      page.paragraph("**First: " + first + "**")
          .table(
              row(
                  "Second",
                  "Stage of the first",
                  "Planned first",
                  "Causes",
                  "Drain",
                  "Budgets until",
                  "Machine stops",
                  "Events about the Node, in order"),
              Stream.concat(meetings(first), never(first)).toList());
    }
    page.heading("A cause is withdrawn")
        .paragraph(
            "The record on the Node once both causes are there and everything that is due at that moment is done, and after each withdrawal. The number"
                + " counts the disruptions of the Node. Once the Node drains, no withdrawal changes anything.")
        .table(
            row(
                "First",
                "Second",
                "Stage",
                "Record",
                "Withdrawn",
                "Left",
                "Then withdrawn",
                "Left"),
            DisruptionPairs.WITHDRAWALS.stream().map(DisruptionsPage::withdrawal).toList())
        .heading("The operator is away when the notice comes")
        .paragraph(
            "The first cause has marked the Node before. The operator catches up: all Events in their order, no settle time, and the instants"
                + " of the notice. If the budgets' instant is over too, the Pods have 30 s from the operator's return (decision D139).")
        .table(
            row(
                "First",
                "Away",
                "Causes",
                "Drain",
                "Budgets until",
                "Machine stops",
                "Events about the Node, in order"),
            DisruptionPairs.ABSENCES.stream().map(DisruptionsPage::absence).toList())
        .heading("A person uncordons the Node")
        .paragraph(
            "That ends a scale-down and the deletion of the pool; they pass the Node over for 10 minutes. A preemption, an orphan and a"
                + " Node that drains are cordoned again.")
        .table(
            row("First", "Second", "Stage", "Record", "Left"),
            DisruptionPairs.UNCORDONINGS.stream()
                .map(cell ->
                    row(
                        cell.at().first(),
                        cell.at().second(),
                        cell.at().stage(),
                        cell.record(),
                        cell.left()))
                .toList());
    RebootTables.addTo(page);
    return page.text();
  }

  private static List<List<String>> causes() {
    return List.of(
        row("scale-down", "the target is lower than the number of Nodes", "the target rises again"),
        row("pool deletion", "the NodePool is deleted", "not at all"),
        row(
            "client's request",
            "the label `compute.coreweave.com/remove-node=true` is put on the Node; by itself it disrupts nothing, and chooses the Node when the target falls",
            "the label is removed"),
        row("orphan", "a client removes the finalizer of the NodePool", "not at all"),
        row(
            "preemption",
            "the fleet announces on the Host that it reclaims the machine in 7 minutes",
            "the fleet withdraws its notice"));
  }

  private static Stream<List<String>> meetings(String first) {
    return DisruptionPairs.MEETINGS.stream()
        .filter(cell -> cell.at().first().equals(first))
        .map(cell ->
            row(
                cell.at().second(),
                cell.at().stage(),
                cell.at().planned(),
                cell.outcome().causes(),
                cell.outcome().drain(),
                cell.outcome().force(),
                cell.outcome().stop(),
                events(cell.outcome())));
  }

  private static String events(DisruptionPairs.Outcome outcome) {
    return Arrays.stream(outcome.events().split(", "))
        .map(Markdown::code)
        .collect(Collectors.joining(", "));
  }

  private static List<String> absence(DisruptionPairs.Absence cell) {
    return row(
        cell.first().isEmpty() ? "none" : cell.first(),
        cell.away(),
        cell.outcome().causes(),
        cell.outcome().drain(),
        cell.outcome().force(),
        cell.outcome().stop(),
        events(cell.outcome()));
  }

  private static Stream<List<String>> never(String first) {
    return DisruptionPairs.NEVER.stream()
        .filter(never -> never.first().equals(first))
        .map(never -> row(never.second(), "cannot meet: " + never.why(), "", "", "", "", "", ""));
  }

  private static List<String> withdrawal(DisruptionPairs.Withdrawal cell) {
    return row(
        cell.at().first(),
        cell.at().second(),
        cell.at().stage(),
        cell.record(),
        cell.first().withdrawn(),
        cell.first().left(),
        cell.second().withdrawn(),
        cell.second().left());
  }
}
