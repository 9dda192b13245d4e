package io.nodepool.explain;

import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.plan.Action;
import io.nodepool.plan.ActionText;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import java.util.List;
import java.util.stream.Stream;

/**
 * The demands on a Node and their causes, the next actions, and the one reason for each thing that
 * does not happen to it. A text may be empty.
 *
 * @param pool the NodePool that holds it
 * @param wanted the causes for which it is or must be disrupted
 * @param next the operator's next actions
 * @param again when the operator decides anew if nothing changes
 * @param answers whether it is registered, removed, repaired, up to date and uncordoned, and why
 */
public record NodeExplanation(
    String node,
    String pool,
    List<Wanted> wanted,
    List<Step> next,
    String again,
    List<Statement> answers) {
  /** What can happen to each Node. */
  static final List<String> THINGS =
      List.of("registered", "removed", "repaired", "up to date", "uncordoned");

  /**
   * A cause for which the Node is disrupted.
   *
   * @param since since when it is recorded; empty text if it is not yet
   * @param stage {@code found}, {@code cordoned} or {@code carried out}
   * @param waitsFor what it waits for
   */
  public record Wanted(String cause, String since, String stage, String waitsFor) {}

  /** A write or a read of the operator, and why. */
  public record Step(String action, String why) {}

  public NodeExplanation {
    wanted = List.copyOf(wanted);
    next = List.copyOf(next);
    answers = List.copyOf(answers);
  }

  /** A plan's actions, without announcements: only the operator's memory has the earlier ones. */
  static Stream<Step> steps(MachinePlan plan) {
    return plan.plannedActions().stream()
        .filter(each -> !(each.action() instanceof Action.Announce))
        .map(each -> new Step(ActionText.of(each.action()), each.why()));
  }

  static NodeExplanation unreadable(String node, String why) {
    String text = why + "; nothing is done to it until a person corrects that";
    return new NodeExplanation(
        node,
        "",
        List.of(),
        List.of(),
        "",
        THINGS.stream().map(each -> Statement.no(each, text)).toList());
  }

  /** The Node whose Host was deleted: it has no machine, and is removed. */
  static NodeExplanation withoutHost(LeftoverNode seen, MachinePlan plan) {
    return new NodeExplanation(
        seen.node().name(),
        "",
        seen.node().activeDisruption().stream()
            .flatMap(active ->
                active.causes().stream()
                    .map(cause ->
                        new Wanted(cause.text(), Messages.instant(cause.at()), "cordoned", "")))
            .toList(),
        steps(plan).toList(),
        plan.wakeup().map(Messages::instant).orElse(""),
        List.of(Statement.yes("removed", "its Host does not exist any more")));
  }
}
