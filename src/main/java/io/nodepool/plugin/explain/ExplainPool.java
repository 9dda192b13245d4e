package io.nodepool.plugin.explain;

import io.nodepool.explain.Explanations;
import io.nodepool.explain.ListedKind;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.Hold;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.explain.PoolExplanation.PoolShare;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.whatif.Question;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Explains which Nodes a NodePool removes or would remove, and what blocks its target. */
@Command(
    name = "pool",
    description =
        "Say which Nodes of a NodePool leave, or would at another target, in which order and why, and what keeps it from its target. Nothing is written.")
final class ExplainPool extends Explaining<PoolExplanation> {
  /** How many Nodes are printed without --all, and how many of them with tenant work. */
  private static final int MOST = 20;

  private static final int MOST_ACTIVE = 3;

  @Parameters(
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of the NodePool.")
  private String name = "";

  @Option(
      names = "--target",
      paramLabel = "N",
      description =
          "Explain this target instead of the NodePool's own: in racks if it is sized in racks, else in Nodes.")
  private Optional<Integer> target = Optional.empty();

  @Option(names = "--all", description = "Print all Nodes.")
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
  Set<ListedKind> needed() {
    return Set.of(ListedKind.POOLS);
  }

  @Override
  void printPlan(ListedObjects listed, Instant at) {
    if (target.isPresent() && listed.isComplete()) {
      Question question = new Question.Scale(name, target.get());
      line("plan " + listed.forecast(question, at).token().text());
    }
  }

  @Override
  void print(PoolExplanation answer) {
    line(
        "%d -> %d%s: %s"
            .formatted(
                answer.current(),
                answer.target(),
                answer.unit().equals("Node") ? "" : " racks",
                answer.sentence()));
    List<NodeFate> shown =
        all
            ? answer.nodes()
            : Stream.of(
                    first(answer, MOST, each -> !each.active() || isRemoved(each)),
                    first(answer, MOST_ACTIVE, each -> each.active() && !isRemoved(each)))
                .flatMap(each -> each)
                .toList();
    table(
        List.of("RANK", "NODE", "FATE", "DECIDED BY", "CHANGES IF"),
        shown,
        each ->
            List.of(
                each.rank() == 0 ? "-" : String.valueOf(each.rank()),
                each.node(),
                each.fate(),
                each.decidedBy(),
                each.changesIf()));
    int left = answer.nodes().size() - shown.size();
    if (left > 0) {
      line("+%d more (--all)".formatted(left));
    }
    answer.holds().forEach(this::print);
    answer.limits().stream()
        .filter(each -> each.count() > 0)
        .forEach(each ->
            line("limit %s: %d of at most %d".formatted(each.limit(), each.count(), each.most())));
    shares("QUOTA USED BY", answer.quota());
    shares("QUEUE", answer.queue());
    table(
        List.of("TURN", "NODE", "STAND", "WAITS FOR"),
        answer.rollout().stream().limit(all ? Integer.MAX_VALUE : MOST).toList(),
        each -> List.of(String.valueOf(each.place()), each.node(), each.stand(), each.waitsFor()));
  }

  private static Stream<NodeFate> first(
      PoolExplanation answer, int most, Predicate<NodeFate> which) {
    return answer.nodes().stream().filter(which).limit(most);
  }

  private static boolean isRemoved(NodeFate node) {
    return node.fate().equals(PoolExplanation.REMOVE);
  }

  private void print(Hold hold) {
    line("%s %s: %s".formatted(hold.what(), hold.reason(), hold.message()));
    if (!hold.until().isEmpty()) {
      out().println("  until: " + TextTable.plain(hold.until()));
    }
  }

  private void shares(String title, List<PoolShare> shares) {
    table(
        List.of(title, "NODES", "ASKED"),
        shares,
        each -> List.of(each.pool(), String.valueOf(each.nodes()), each.asked()));
  }

  private <R> void table(List<String> header, List<R> rows, Function<R, List<String>> cells) {
    if (!rows.isEmpty()) {
      TextTable table = new TextTable("", 2).row(header);
      rows.forEach(each -> table.row(cells.apply(each)));
      table.print(out());
    }
  }
}
