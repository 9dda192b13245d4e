package io.nodepool.plugin.explain;

import io.nodepool.explain.Explanations;
import io.nodepool.explain.ListedKind;
import io.nodepool.explain.NodeExplanation;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.text.TextTable;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Explains the demands on a Node, and why other things do not happen to it. */
@Command(
    name = "node",
    description =
        "Say what is wanted of a Node and by which cause, what comes next, and why it is not registered, removed, repaired, up to date or uncordoned. Nothing is written.")
final class ExplainNode extends Explaining<NodeExplanation> {
  @Parameters(
      paramLabel = "NODE",
      converter = NameOf.OneNode.class,
      description = "Name of the Node.")
  private String name = "";

  @Override
  Optional<NodeExplanation> explain(Explanations explanations) {
    return explanations.node(name);
  }

  @Override
  String subject() {
    return "machine %s that a NodePool holds".formatted(name);
  }

  @Override
  Set<ListedKind> needed() {
    return Set.of(ListedKind.POOLS, ListedKind.HOSTS, ListedKind.NODES);
  }

  @Override
  void print(NodeExplanation answer) {
    line(
        answer.pool().isEmpty()
            ? "Node " + answer.node()
            : "Node %s of NodePool %s".formatted(answer.node(), answer.pool()));
    TextTable answers = new TextTable("", 2);
    answer
        .answers()
        .forEach(each -> answers.row(each.what(), each.answer().toString(), each.why()));
    answers.print(out());
    if (!answer.wanted().isEmpty()) {
      TextTable wanted = new TextTable("", 2).row("CAUSE", "SINCE", "STAGE", "WAITS FOR");
      answer
          .wanted()
          .forEach(each ->
              wanted.row(
                  each.cause(),
                  each.since().isEmpty() ? "now" : each.since(),
                  each.stage(),
                  each.waitsFor()));
      wanted.print(out());
    }
    answer.next().forEach(each -> line("next: %s (%s)".formatted(each.action(), each.why())));
    if (!answer.again().isEmpty()) {
      line("decided anew at the latest at " + answer.again());
    }
  }
}
