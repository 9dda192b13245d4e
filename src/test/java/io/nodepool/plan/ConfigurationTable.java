package io.nodepool.plan;

import io.nodepool.vocabulary.UpdateStrategy;
import java.util.List;

/**
 * The state machine of a pool's configurations in literal cells. They are the tables in {@code
 * docs/reference/configurations.md}, and each is played through the planner of pools. A
 * configuration is written as its image and GPU driver. The first release has i1 with the drivers
 * 570.1 and 580.1, the second i2 with 570.2 and 580.2, the third i3 with 580.3 and 590.3; the train
 * latest has l1, l2 and l3.
 */
public final class ConfigurationTable {
  private static final String STAGED = "CWNodeConfigStaged, CWNodePoolNodeConfigUpdated";
  private static final String PENDING = "CWPendingNodeConfig";
  private static final String UPGRADE = "CWManualUpgradeTrigger";
  private static final String ROLLBACK = "CWManualRollbackTrigger";

  private ConfigurationTable() {}

  /**
   * A cell.
   *
   * @param before the inputs before, separated by semicolons
   * @param input the input that the cell is about
   * @param active the active configuration afterwards
   * @param pending the pending one afterwards; empty text for none
   * @param events the Events of the input, in order
   */
  public record Cell(
      UpdateStrategy strategy,
      String before,
      String input,
      String active,
      String pending,
      String events) {}

  private static Cell cell(
      UpdateStrategy strategy,
      String before,
      String input,
      String active,
      String pending,
      String... events) {
    return new Cell(strategy, before, input, active, pending, String.join(", ", events));
  }

  /** The cells of one strategy, in the order of the design's table, then further ones. */
  public static List<Cell> cells(UpdateStrategy strategy) {
    return switch (strategy) {
      case MANUAL -> manual();
      case ON_SPEC_UPDATE, ROLLOUT_ON_COMMAND -> onSpecUpdate(strategy);
      case ALWAYS -> always();
    };
  }

  private static List<Cell> manual() {
    UpdateStrategy s = UpdateStrategy.MANUAL;
    return List.of(
        cell(s, "", "create", "i1/580.1", ""),
        cell(s, "create", "gpu 570", "i1/580.1", "i1/570.1", PENDING),
        cell(s, "create; release", "gpu 570", "i1/580.1", "i2/570.2", PENDING),
        cell(s, "create; gpu 570", "gpu 580", "i1/580.1", ""),
        cell(s, "create", "image latest", "i1/580.1", "l1/580.1", PENDING),
        cell(s, "create", "gpu 999", "i1/580.1", ""),
        cell(s, "create", "release", "i1/580.1", "i2/580.2", PENDING),
        cell(s, "create; gpu 570", "release", "i1/580.1", "i2/570.2", PENDING),
        cell(s, "create; release", "promote", "i2/580.2", "", UPGRADE, STAGED),
        cell(s, "create; release; api unknown", "promote", "i1/580.1", "i2/580.2", UPGRADE),
        cell(s, "create; api unknown", "gpu 570", "i1/580.1", ""),
        cell(s, "create", "promote", "i1/580.1", "", UPGRADE, "CWNodePoolNoPendingConfiguration"),
        cell(
            s,
            "create; release; promote",
            "rollback",
            "i1/580.1",
            "i2/580.2",
            ROLLBACK,
            STAGED,
            PENDING),
        cell(
            s,
            "create; release; promote; release; promote",
            "rollback i1/580.1",
            "i1/580.1",
            "i3/590.3",
            ROLLBACK,
            STAGED,
            PENDING),
        cell(s, "create; release; promote; rollback", "promote", "i2/580.2", "", UPGRADE, STAGED),
        cell(
            s,
            "create",
            "rollback",
            "i1/580.1",
            "",
            ROLLBACK,
            "CWNodePoolNodeConfigRollbackFailed"),
        cell(
            s,
            "create; release",
            "rollback i2/580.2",
            "i1/580.1",
            "i2/580.2",
            ROLLBACK,
            "CWNodePoolNodeConfigRollbackFailed"),
        cell(
            s,
            "create; release",
            "both",
            "i1/580.1",
            "i2/580.2",
            UPGRADE,
            ROLLBACK,
            "CWNodePoolNodeConfigUpdateConflict"),
        cell(s, "create; strategy Always; release; rollback", "strategy Manual", "i1/580.1", ""),
        cell(s, "create; strategy OnSpecUpdate", "strategy Manual", "i1/580.1", ""));
  }

  private static List<Cell> onSpecUpdate(UpdateStrategy s) {
    String other = s == UpdateStrategy.ON_SPEC_UPDATE ? "RolloutOnCommand" : "OnSpecUpdate";
    return List.of(
        cell(s, "", "create", "i1/580.1", ""),
        cell(s, "create", "gpu 570", "i1/570.1", "", STAGED),
        cell(s, "create; release", "gpu 570", "i1/570.1", "i2/570.2", STAGED, PENDING),
        cell(s, "create; release", "image latest", "l1/580.1", "l2/580.2", STAGED, PENDING),
        cell(s, "create; release; release", "gpu 590", "i3/590.3", "", STAGED),
        cell(s, "create; release; release", "gpu 570", "i1/570.1", "i2/570.2", STAGED, PENDING),
        cell(s, "create", "gpu 999", "i1/580.1", ""),
        cell(s, "create; gpu 999", "gpu 570", "i1/570.1", "", STAGED),
        cell(s, "create", "release", "i1/580.1", "i2/580.2", PENDING),
        cell(s, "create; release", "release", "i1/580.1", "i3/590.3", PENDING),
        cell(s, "create; release", "promote", "i2/580.2", "", UPGRADE, STAGED),
        cell(s, "create; release; api unknown", "promote", "i1/580.1", "i2/580.2", UPGRADE),
        cell(s, "create; api unknown", "gpu 570", "i1/580.1", ""),
        cell(s, "create", "promote", "i1/580.1", "", UPGRADE, "CWNodePoolNoPendingConfiguration"),
        cell(s, "create; gpu 570", "rollback", "i1/580.1", "i1/570.1", ROLLBACK, STAGED, PENDING),
        cell(s, "create; gpu 570; rollback", "release", "i1/580.1", "i2/570.2", PENDING),
        cell(s, "create; gpu 570; rollback", "promote", "i1/570.1", "", UPGRADE, STAGED),
        cell(s, "create; gpu 570; rollback", "rollback i1/570.1", "i1/570.1", "", ROLLBACK, STAGED),
        cell(
            s,
            "create; release",
            "both",
            "i1/580.1",
            "i2/580.2",
            UPGRADE,
            ROLLBACK,
            "CWNodePoolNodeConfigUpdateConflict"),
        cell(s, "create; strategy Manual; gpu 570", "strategy " + s.word(), "i1/570.1", "", STAGED),
        cell(
            s,
            "create; gpu 570; rollback; strategy Manual",
            "strategy " + s.word(),
            "i1/580.1",
            "i1/570.1"),
        cell(s, "create; strategy " + other, "strategy " + s.word(), "i1/580.1", ""));
  }

  private static List<Cell> always() {
    UpdateStrategy s = UpdateStrategy.ALWAYS;
    return List.of(
        cell(s, "", "create", "i1/580.1", ""),
        cell(s, "create", "gpu 570", "i1/570.1", "", STAGED),
        cell(
            s,
            "create; strategy Manual; release; strategy Always",
            "gpu 570",
            "i2/570.2",
            "",
            STAGED),
        cell(s, "create", "gpu 999", "i1/580.1", ""),
        cell(s, "create", "release", "i2/580.2", "", STAGED),
        cell(s, "create; gpu 570; release", "release", "i2/570.2", ""),
        cell(
            s,
            "create; release",
            "promote",
            "i2/580.2",
            "",
            UPGRADE,
            "CWNodePoolNoPendingConfiguration"),
        cell(s, "create; release", "rollback", "i1/580.1", "", ROLLBACK, STAGED),
        cell(s, "create; release; rollback", "release", "i3/590.3", "", STAGED),
        cell(s, "create; release; rollback", "gpu 570", "i2/570.2", "", STAGED),
        cell(s, "create; release; rollback", "rollback i2/580.2", "i2/580.2", "", ROLLBACK, STAGED),
        cell(
            s,
            "create; release",
            "both",
            "i2/580.2",
            "",
            UPGRADE,
            ROLLBACK,
            "CWNodePoolNodeConfigUpdateConflict"),
        cell(s, "create; strategy Manual; release", "strategy Always", "i2/580.2", "", STAGED),
        cell(s, "create; release; rollback; strategy Manual", "strategy Always", "i1/580.1", ""));
  }
}
