package io.nodepool.explain;

import io.nodepool.model.snapshot.LeftoverNode;
import io.nodepool.plan.Action;
import io.nodepool.plan.ActionText;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is wanted of a Node and by which cause, what comes next, and for each thing that could
 * happen to it and does not the one reason. A text is empty if there is nothing to say.
 *
 * @param pool the NodePool that holds it
 * @param wanted the causes for which it is disrupted, or is to be
 * @param next what the operator does now
 * @param again when it decides anew if nothing changes
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
   * @param since since when that is recorded; empty text if it is not yet
   * @param stage how far it is: {@code found}, {@code cordoned} or {@code carried out}
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

  /** What a plan does now. What was announced is in the operator's memory alone. */
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
