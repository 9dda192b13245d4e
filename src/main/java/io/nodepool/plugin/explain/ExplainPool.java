package io.nodepool.plugin.explain;

import io.nodepool.explain.Explanations;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.text.TextTable;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says which Nodes of a NodePool go or would go, and what keeps it from its target. */
@Command(
    name = "pool",
    description =
        "Say which Nodes of a NodePool leave, or would at another target, in which order and why, and what keeps it from its target. Nothing is written.")
final class ExplainPool extends Explaining<PoolExplanation> {
  @Parameters(
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of the NodePool.")
  private String name = "";

  @Option(
      names = "--target",
      paramLabel = "N",
      description = "Explain this target in Nodes instead of the NodePool's own.")
  private Optional<Integer> target = Optional.empty();

  @Option(names = "--all", description = "Print the Nodes with tenant work, too.")
  private boolean all;

  @Override
  protected void check() {
    require(target.map(each -> each >= 0).orElse(true), "--target must be at least 0");
  }

  @Override
  Optional<PoolExplanation> explain(Explanations explanations) {
    return explanations.pool(name, target.map(OptionalInt::of).orElse(OptionalInt.empty()));
  }

  @Override
  String subject() {
    return "NodePool " + name;
  }

  @Override
  void print(PoolExplanation answer) {
    line("%d -> %d: %s".formatted(answer.current(), answer.target(), answer.sentence()));
    List<NodeFate> shown =
        answer.nodes().stream()
            .filter(each -> all || !each.active() || each.fate().equals("remove"))
            .toList();
    if (!shown.isEmpty()) {
      TextTable table =
          new TextTable("", 2).row("RANK", "NODE", "FATE", "DECIDED BY", "CHANGES IF");
      shown.forEach(each ->
          table.row(
              String.valueOf(each.rank()),
              each.node(),
              each.fate(),
              each.decidedBy(),
              each.changesIf()));
      table.print(out());
    }
    int left = answer.nodes().size() - shown.size();
    if (left > 0) {
      line("+%d active (--all)".formatted(left));
    }
    answer
        .holds()
        .forEach(each -> line("%s %s: %s".formatted(each.what(), each.reason(), each.message())));
  }
}
