package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.plan.DisruptionPairs;
import io.nodepool.plan.RebootPairs;
import io.nodepool.plan.RolloutPairs;
import io.nodepool.world.GradePairs;
import io.nodepool.world.RepairPairs;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page about several causes on one Node: of the cells that tests play those that a person asks
 * for, one for each pair. The others are in the tests, which the page names.
 */
final class DisruptionsPage {
  private static final String SOURCES = "../../src/test/java/io/nodepool/plan/";
  private static final String RESOURCES = "../../src/test/resources/";
  private static final String NEVER_MEET = "never meet";

  private DisruptionsPage() {}

  static String text() {
    Markdown page =
        new Markdown("Several causes on one Node")
            .paragraph(
                "What happens to a Node that two causes disrupt: the first one is named at the left, the second one at the top. Tests play each pair in both orders,"
                    + " at every stage, with withdrawals, an operator that is away and a person who uncordons the Node. This page shows one stage of each. [ADR"
                    + " 7](../adr/0007-causes-demand-and-demands-merge.md) explains the rules. In short: the strongest ending counts (to leave before to boot), the"
                    + " earliest of each deadline counts, and which cause came first does not matter.")
            .table(row("Cause", "How it comes about", "How it is withdrawn"), causes());
    page.heading("Two causes to leave")
        .paragraph(
            "The Node of a spot pool is drained for the first cause when the second comes about, and a PodDisruptionBudget never allows its Pod to be evicted. The cell"
                + " is when budgets are not respected any more, and when the machine stops whatever is left on it. All stages: [DisruptionPairs]("
                + SOURCES
                + "DisruptionPairs.java).")
        .matrix(
            "First, second",
            DisruptionPairs.CAUSES,
            DisruptionPairs.CAUSES,
            (first, second) ->
                DisruptionPairs.drained(first, second)
                    .map(cell -> "%s; %s".formatted(cell.force(), cell.stop()))
                    .orElse(NEVER_MEET));
    reboots(page);
    repairs(page);
    return page.text();
  }

  private static void reboots(Markdown page) {
    List<String> requests = RebootPairs.REQUESTS;
    List<String> others =
        Stream.of(requests, RolloutPairs.ROLLOUTS, DisruptionPairs.CAUSES)
            .flatMap(List::stream)
            .filter(each -> !each.equals(DisruptionPairs.ORPHAN))
            .toList();
    page.heading("A reboot and another cause")
        .paragraph(
            "A reboot is no removal: the Node returns to production. Its request is the label `node.coreweave.cloud/pending-state`, of which a Node has one; another"
                + " request replaces one that is not committed. A rollout gives a Node its turn to boot into the active configuration of its pool, and is withdrawn"
                + " when it is stopped.")
        .table(row("Request", "How it comes about", "How it is withdrawn"), requests())
        .paragraph(
            "The second cause comes about while the request of the first waits. The cell is where the Node is at last, *in production*, *waits* for the end of its work or"
                + " *leaves*, and what its machine was asked for before. First an idle Node:")
        .matrix(
            "First, second",
            Stream.concat(requests.stream(), RolloutPairs.ROLLOUTS.stream()).toList(),
            others,
            (first, second) -> met(first, second, false))
        .paragraph(
            "And a busy one of a pool with `PreferIdle`, whose Pod a budget never allows to evict:")
        .matrix(
            "First, second",
            Stream.concat(requests.stream(), RolloutPairs.ROLLOUTS.stream()).toList(),
            others,
            (first, second) -> met(first, second, true))
        .paragraph(
            "All stages, withdrawals and absences of the operator: [RebootPairs]("
                + SOURCES
                + "RebootPairs.java), [RolloutPairs]("
                + SOURCES
                + "RolloutPairs.java).");
  }

  private static String met(String first, String second, boolean busy) {
    return Stream.of(RebootPairs.MEETINGS, RolloutPairs.MEETINGS)
        .flatMap(rows -> RebootPairs.requested(rows, first, second, busy).stream())
        .map(outcome ->
            outcome.boots().equals("none")
                ? outcome.ending()
                : outcome.ending() + "; " + outcome.boots())
        .findFirst()
        .orElse(NEVER_MEET);
  }

  private static void repairs(Markdown page) {
    page.heading("A repair and another cause")
        .paragraph(
            "The repair of each [grade](alerts.md#grades), and 80 seconds later the cause at the top, on a Node of a spot pool that protects work. Its Pod, which a budget never allows to"
                + " evict, ends by itself 3 hours later. The cell is what becomes of the Node, the boots of its machine, when the Pod ended after the second cause, and whether the"
                + " Host is set aside. The other order, and a repair that has waited for 5 hours: [repair-pairs.txt]("
                + RESOURCES
                + "repair-pairs.txt).")
        .matrix(
            "Repair",
            RepairPairs.GRADES,
            RepairPairs.OTHERS,
            (grade, other) ->
                RepairPairs.rows().stream()
                    .filter(each -> each.first().equals(grade) && each.second().equals(other))
                    .filter(each -> each.older().equals("80 s"))
                    .map(each -> cell(each.node(), each.boots(), each.pod(), each.host()))
                    .findFirst()
                    .orElse(NEVER_MEET))
        .heading("Two grades on one machine")
        .paragraph(
            "Alerts of two grades about one machine, of which the Node is busy, in a pool that protects work. Of what may be done the strongest comes first, while the Node is busy the"
                + " strongest that may interrupt its work; the rest follows if its alert still stands then. Idle Nodes and pools that do not protect work: [grade-pairs.txt]("
                + RESOURCES
                + "grade-pairs.txt).")
        .matrix(
            "First, second",
            RepairPairs.GRADES,
            RepairPairs.GRADES,
            (first, second) ->
                GradePairs.rows().stream()
                    .filter(each -> each.first().equals(first) && each.second().equals(second))
                    .filter(each ->
                        each.work().equals("busy, protected") && each.older().equals("at once"))
                    .map(each -> cell(each.node(), each.boots(), each.pod(), each.host()))
                    .findFirst()
                    .orElse(""));
  }

  private static String cell(String node, String boots, String pod, String host) {
    return Stream.of(node, boots.equals("none") ? "" : boots, "Pod " + pod, host)
        .filter(part -> !part.isEmpty() && !part.equals("in service"))
        .collect(Collectors.joining("; "));
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

  private static List<List<String>> requests() {
    String removed = "the label is removed, or the Node is uncordoned, before it is committed";
    return List.of(
        row("safe reboot", "`pending-state` is `production-reboot`", removed),
        row("power reset", "`pending-state` is `production-powerreset`", removed),
        row(
            "reconfiguration",
            "`pending-state` is `production-reconfigure-powercycle-test`; the Node is cordoned at once",
            removed),
        row(
            "immediate reboot",
            "`pending-state` is `production-reboot`, and the annotation `nodepool.io/reboot-policy` is `Immediate`",
            removed),
        row("verification", "`pending-state` is `production-verification`", removed));
  }
}
