package io.nodepool.explain;

import io.nodepool.fleet.Host;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.NeededRepairs.Needed;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ActionText;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.admission.NodeDemands;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is wanted of a Node and by which cause, what comes next, and for each thing that could
 * happen to it and does not the one reason.
 *
 * @param wanted the causes for which it is disrupted, or is to be
 * @param next what the operator does now
 * @param again when it decides anew if nothing changes
 * @param answers whether it leaves, is repaired, gets its configuration, and is used, and why
 */
public record NodeExplanation(
    String node,
    String pool,
    List<Wanted> wanted,
    List<Step> next,
    Optional<Instant> again,
    List<Statement> answers) {
  /**
   * A cause for which the Node is disrupted.
   *
   * @param since since when that is recorded; empty if it is not yet
   * @param stage how far it is: {@code found}, {@code cordoned} or {@code carried out}
   * @param waitsFor what it waits for; empty text if it does not wait
   */
  public record Wanted(String cause, Optional<Instant> since, String stage, String waitsFor) {}

  /** A write or a read of the operator, and why. */
  public record Step(String action, String why) {}

  /**
   * What is said about one thing that can happen to a Node.
   *
   * @param does whether it happens
   */
  public record Statement(String what, boolean does, String why) {}

  public NodeExplanation {
    wanted = List.copyOf(wanted);
    next = List.copyOf(next);
    answers = List.copyOf(answers);
  }

  /**
   * Explains the Node of a machine.
   *
   * @param seen its machine
   * @param pool the pool that holds it
   */
  public static NodeExplanation of(
      MachinePlanner planner,
      PoolPlanner pools,
      MachineSnapshot seen,
      PoolSnapshot pool,
      Instant now) {
    return new Questions(pools, planner.settings(), seen, pool, now)
        .answer(planner.plan(seen, now));
  }

  /** What is asked of one machine. */
  private record Questions(
      PoolPlanner pools,
      PlanSettings settings,
      MachineSnapshot seen,
      PoolSnapshot ofPool,
      Instant now) {
    private NodeExplanation answer(MachinePlan plan) {
      return new NodeExplanation(
          host().id().name(),
          pool().id().name(),
          wanted(),
          plan.plannedActions().stream()
              // What was announced is in the operator's memory alone.
              .filter(each -> !(each.action() instanceof Action.Announce))
              .map(each -> new Step(ActionText.of(each.action()), each.why()))
              .toList(),
          plan.wakeup(),
          List.of(registered(), leaves(), repaired(), upToDate(), usable()));
    }

    private Host host() {
      return seen.host();
    }

    private Pool pool() {
      return ofPool.pool();
    }

    private Optional<Disruption.Active> disruption() {
      return seen.presentNode().flatMap(Node::activeDisruption);
    }

    private Optional<Member> member() {
      return ofPool.members().find(host().id().uid());
    }

    private List<Wanted> wanted() {
      NodeDemands demands =
          new NodeDemands(
              CauseFacts.of(seen, now, settings),
              DisruptionAdmission.of(seen.pool(), seen.offer().isPresent()));
      List<Disruption.Cause> recorded =
          disruption().map(Disruption.Active::causes).orElse(List.of());
      return Stream.concat(
              recorded.stream(),
              demands.own().stream().filter(own -> recorded.stream().noneMatch(own::isSame)))
          .map(cause -> wanted(cause, recorded.contains(cause), demands))
          .toList();
    }

    private Wanted wanted(Disruption.Cause cause, boolean isRecorded, NodeDemands demands) {
      boolean committed = disruption().flatMap(Disruption::commitment).isPresent();
      return new Wanted(
          cause.text(),
          Optional.of(cause.at()).filter(_ -> isRecorded),
          !isRecorded ? "found" : committed ? "carried out" : "cordoned",
          committed && isRecorded ? shownAsRemoval() : waitsFor(cause, demands));
    }

    /** What the removal of the Node waits for, as it is shown. */
    private String shownAsRemoval() {
      return seen.presentNode().flatMap(Node::removing).map(Node.Removing::message).orElse("");
    }

    private String waitsFor(Disruption.Cause cause, NodeDemands demands) {
      Demand demand = demands.of(cause);
      if (demands.admission().ask(cause, demand) instanceof Decision.Held held) {
        return Reasons.of(held, demands.admission());
      }
      if (!demands.isAdmitted(cause)) {
        return heldByPool();
      }
      Demand.Window window = demand.carriedOut(isBusy()).window();
      if (window.notBefore().isAfter(now)) {
        return "it begins at " + Messages.instant(window.notBefore());
      }
      if (!isBusy() || window.mayInterrupt(now)) {
        return "";
      }
      return window.interruptAt().equals(Instant.MAX)
          ? "its tenant work ends"
          : "its tenant work ends, or " + Messages.instant(window.interruptAt());
    }

    private boolean isBusy() {
      return member().map(Member::isBusy).orElse(false);
    }

    private String heldByPool() {
      String why = pool().repairs().why();
      return why.isEmpty() ? "its pool has not permitted it yet" : why;
    }

    private Statement registered() {
      boolean registered = seen.presentNode().filter(Node::registered).isPresent();
      return new Statement(
          "registered",
          registered,
          registered
              ? "it is a Node of NodePool " + pool().id().name()
              : member()
                  .flatMap(Member::waiting)
                  .map(waiting ->
                      "%s, since %s"
                          .formatted(
                              Reasons.of(waiting.awaited()), Messages.instant(waiting.since())))
                  .orElse("its machine has no Node that can be registered"));
    }

    private Statement leaves() {
      Optional<Disruption.Active> leaving = disruption().filter(Disruption.Active::leaves);
      if (leaving.isPresent()) {
        return new Statement("leaves", true, leaving.get().text());
      }
      Optional<Verdict> verdict =
          pools.removalOrder(ofPool, now).stream()
              .filter(each -> each.member().host().id().equals(host().id()))
              .findFirst();
      return new Statement(
          "leaves",
          false,
          verdict.map(Reasons::of).orElse("its machine has not booted, or cannot be read"));
    }

    private Statement repaired() {
      NeededRepairs needed = NeededRepairs.of(seen.health()).holding(pool().repairs()::isHeld);
      Optional<Disruption.Active> repair =
          disruption()
              .filter(active -> active.causes().stream().anyMatch(each -> each.what().isRepair()));
      if (repair.isPresent()) {
        return new Statement("repaired", true, repair.get().text());
      }
      return new Statement(
          "repaired",
          false,
          needed
              .first()
              .map(this::notRepaired)
              .orElse("no alert asks for a repair of its machine"));
    }

    private String notRepaired(Needed needed) {
      RepairState repairs = pool().repairs();
      return repairs
          .suspect(needed.alert())
          .filter(each -> each.isHeld())
          .map(each -> "%s: %s".formatted(needed.alert(), Reasons.of(each.verdict())))
          .orElseGet(() ->
              "%s asks for it (%s); %s"
                  .formatted(needed.alert(), needed.grade().meaning(), heldByPool()));
    }

    private Statement upToDate() {
      ConfigurationState configuration = pool().status().configuration();
      String booted = host().report().bootedConfiguration();
      if (booted.equals(configuration.profile())) {
        return new Statement("up to date", true, "it has booted into " + booted);
      }
      RolloutState rollout = configuration.rollout();
      return new Statement(
          "up to date",
          false,
          "it has booted into %s, and %s is active; %s"
              .formatted(
                  booted.isEmpty() ? "no configuration" : booted,
                  configuration.profile(),
                  Reasons.of(rollout.phase())));
    }

    private Statement usable() {
      Optional<Node> node = seen.presentNode();
      if (node.isEmpty()) {
        return new Statement("schedulable", false, "it has no Node");
      }
      if (!node.get().ready()) {
        return new Statement("schedulable", false, "it is not Ready");
      }
      if (!node.get().cordoned()) {
        return new Statement("schedulable", true, "it is Ready, and not cordoned");
      }
      return new Statement(
          "schedulable",
          false,
          disruption()
              .filter(each -> each.cordon() == Disruption.Cordon.OURS)
              .map(each -> "the operator cordoned it: " + each.text())
              .orElse("another client cordoned it, and the operator does not take that back"));
    }
  }
}
