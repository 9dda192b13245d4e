package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.plan.RebootPairs;
import io.nodepool.plan.RolloutPairs;
import io.nodepool.world.GradePairs;
import io.nodepool.world.RepairPairs;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The part of the page about several causes on one Node that is about requests for reboots. */
final class RebootTables {
  private static final List<String> ON =
      row("First", "Second", "Stage of the first", "Node", "Pool", "Planned first");

  private RebootTables() {}

  static void addTo(Markdown page) {
    page.heading("Reboots")
        .paragraph(
            "A reboot is no removal: the Node returns to production. Its request is the label `node.coreweave.cloud/pending-state`, of which a Node has one;"
                + " another request replaces one that is not committed. A row is about all combinations of what its columns list, and *any request* is one of"
                + " the first table. A busy Node has one Pod that a PodDisruptionBudget never allows to evict.")
        .table(row("Request", "How it comes about", "How it is withdrawn"), requests());
    page.paragraph(
            "*End* is where the Node is at last: *in production*, *waits* for the end of its work, *waits, cordoned*, or *leaves*, with the instant at which"
                + " its drain begins, after the second cause came about. *Machine* is what the machine was asked for, in order. *On record* is which of the two"
                + " causes are on record when the disruption is committed for the last time.")
        .table(
            with("End", "Machine", "On record"),
            lines(RebootPairs.MEETINGS, cell -> row(cell.ending(), cell.boots(), cell.causes())))
        .heading("A reboot or its companion is withdrawn")
        .paragraph(
            "A request is withdrawn when its label is removed. A committed reboot is carried out to its end.")
        .table(
            with("Record", "Withdrawn", "Left", "Then withdrawn", "Left"),
            lines(
                RebootPairs.WITHDRAWALS,
                cell ->
                    row(
                        cell.record(),
                        cell.first().withdrawn(),
                        cell.first().left(),
                        cell.second().withdrawn(),
                        cell.second().left())))
        .heading("A person uncordons a Node with a request")
        .paragraph(
            "That ends the request with its label. A committed reboot cordons the Node again.")
        .table(
            with("Record", "Left"),
            lines(RebootPairs.UNCORDONINGS, cell -> row(cell.record(), cell.left())))
        .heading("The operator is away when the second cause comes about")
        .paragraph(
            "It is away for the given minutes and seconds, while a boot that was asked for goes on.")
        .table(
            with("Away", "End", "Machine", "On record"),
            lines(
                RebootPairs.ABSENCES,
                cell ->
                    row(
                        cell.away(),
                        cell.outcome().ending(),
                        cell.outcome().boots(),
                        cell.outcome().causes())));
    addRolloutsTo(page);
  }

  private static void addRolloutsTo(Markdown page) {
    page.heading("Rollouts")
        .paragraph(
            "A rollout gives an idle Node its turn to boot into the active configuration of its pool, and one that evicts also a busy Node. It is"
                + " withdrawn when it is stopped. The other causes, and the columns, are those of reboots.")
        .table(
            with("End", "Machine", "On record"),
            lines(RolloutPairs.MEETINGS, cell -> row(cell.ending(), cell.boots(), cell.causes())))
        .heading("A rollout is stopped")
        .paragraph("Turns that are not committed are taken back.")
        .table(
            with("Record", "Left"),
            lines(RolloutPairs.STOPS, cell -> row(cell.record(), cell.left())))
        .heading("A person uncordons a Node that a rollout chose")
        .paragraph("That ends its turn, and the rollout passes the Node over for 10 minutes.")
        .table(
            with("Record", "Left"),
            lines(RolloutPairs.UNCORDONINGS, cell -> row(cell.record(), cell.left())));
    addRepairsTo(page);
  }

  private static void addRepairsTo(Markdown page) {
    page.heading("Repairs")
        .paragraph(
            "The repair of each [grade](alerts.md#grades) beside each other cause, on a Node of a spot pool with the default `disableUnhealthyNodeEviction: true`. The Node has one Pod that a"
                + " PodDisruptionBudget never allows to evict, and that ends by itself 3 hours later; the second cause comes 80 seconds after the first. The monitor takes its"
                + " alert back once a boot has healed the fault, or the component is repaired. *Pod ends* is in minutes and seconds after the second cause. A first cause that waits is also played 5 hours older. The Host of a Node that leaves"
                + " while an alert stands for which its machine is to go out of service is set aside, whatever the Node left for.")
        .table(
            row(
                "First",
                "Second",
                "Older by",
                "The Node",
                "Boots of its machine",
                "Pod ends",
                "Its Host"),
            RepairPairs.rows().stream().map(RepairPairs.Row::cells).toList())
        .heading("Two grades on one machine")
        .paragraph(
            "Alerts of two grades about one machine, with the same Pod if the Node is busy. Of what may be done the strongest comes first, while the Node is busy the strongest that may"
                + " interrupt its work; the rest follows if its alert still stands then.")
        .table(
            row(
                "First",
                "Second",
                "The Node is",
                "Older by",
                "The Node",
                "Boots of its machine",
                "Pod ends",
                "Its Host"),
            GradePairs.rows().stream().map(GradePairs.Row::cells).toList());
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

  private static List<String> with(String... columns) {
    return Stream.concat(ON.stream(), Stream.of(columns)).toList();
  }

  private static <T> List<List<String>> lines(
      List<RebootPairs.Row<T>> rows, Function<T, List<String>> outcome) {
    return rows.stream()
        .map(each ->
            Stream.concat(each.on().stream(), outcome.apply(each.outcome()).stream()).toList())
        .toList();
  }
}
