package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.plan.ConfigurationTable;
import io.nodepool.vocabulary.UpdateStrategy;

/** The page about the state machine of configurations, made of the cells that a test plays. */
final class ConfigurationsPage {
  private ConfigurationsPage() {}

  static String text() {
    Markdown page =
        new Markdown("The state machine of configurations")
            .paragraph(
                "Which configuration of a NodePool is active and which one is pending, for each strategy and input. A test plays each row through"
                    + " the planner of pools. A configuration is written as its image and its GPU driver. The fleet's first release has the"
                    + " image i1 with the drivers 570.1 and 580.1, the second one i2 with 570.2 and 580.2, the third one i3 with 580.3 and"
                    + " 590.3; the train `latest` has l1, l2 and l3. `gpu` changes `spec.gpu.version`, `image` the train, `release` publishes the"
                    + " next release, `both` is a promotion and a rollback at once. [configurations.md](../configurations.md) explains the rules.");
    for (UpdateStrategy strategy : UpdateStrategy.values()) {
      page.heading("`" + strategy.word() + "`")
          .table(
              row("Before", "Input", "Active", "Pending", "Events"),
              ConfigurationTable.cells(strategy).stream()
                  .map(cell ->
                      row(
                          cell.before(),
                          cell.input(),
                          cell.active(),
                          cell.pending(),
                          cell.events()))
                  .toList());
    }
    return page.text();
  }
}
