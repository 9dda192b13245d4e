package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.code;
import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.kubernetes.api.ReferenceNames.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The page that says which test shows each name of CoreWeave's pages. */
final class NamesPage {
  private NamesPage() {}

  /** The page. */
  static String text() {
    Markdown page =
        new Markdown("Names of the reference, and their tests")
            .paragraph(
                "Every condition, reason, Event, alert, label, taint and field that these pages of CoreWeave print, with the test that shows it:")
            .table(
                row("Page", "Document"),
                List.of(
                    row("S0", "CKS reference: NodePool, mid-2025"),
                    row("S1", "CKS reference: NodePool, early 2026"),
                    row("S2", "CKS reference: NodePool, the oldest"),
                    row("S3", "CKS: workload scheduling"),
                    row("S4", "CKS: spot Node Pools")))
            .paragraph(
                "`src/test/resources/reference-names.txt` has the rows. `ReferenceNamesTest` fails for a name whose test does not assert something about it, and names tests that do.");
    ReferenceNames.read().stream()
        .collect(Collectors.groupingBy(Row::kind, LinkedHashMap::new, Collectors.toList()))
        .forEach((kind, rows) ->
            page.heading(Character.toUpperCase(kind.charAt(0)) + kind.substring(1) + "s")
                .table(row("Name", "Page", "Test"), table(rows)));
    return page.text();
  }

  /** Names of one page and one test share a line. */
  private static List<List<String>> table(List<Row> rows) {
    Map<List<String>, String> lines =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    each -> row(each.documents(), test(each)),
                    LinkedHashMap::new,
                    Collectors.mapping(each -> code(each.name()), Collectors.joining(", "))));
    return lines.entrySet().stream()
        .map(line -> row(line.getValue(), line.getKey().getFirst(), line.getKey().getLast()))
        .toList();
  }

  private static String test(Row row) {
    String test = code(row.test().replaceAll(" .*", ""));
    return row.note().isEmpty() ? test : test + ": " + row.note();
  }
}
