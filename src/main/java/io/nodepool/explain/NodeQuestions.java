package io.nodepool.explain;

import io.nodepool.explain.NodeExplanation.Step;
import io.nodepool.explain.NodeExplanation.Wanted;
import io.nodepool.fleet.Host;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.NeededRepairs.Needed;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.admission.NodeDemands;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.plan.pool.ScaleDownCandidates.Ordered;
import io.nodepool.plan.rollout.Rollout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Answers questions about one machine that a pool holds. */
record NodeQuestions(
    PoolPlanner pools,
    PlanSettings settings,
    Unlisted unlisted,
    MachineSnapshot seen,
    PoolSnapshot ofPool,
    Instant now) {
  private static final Set<ListedKind> ALL = EnumSet.allOf(ListedKind.class);

  NodeExplanation answer(MachinePlan plan) {
    PoolPlan pool = pools.plan(ofPool, now);
    List<Statement> answers =
        new ArrayList<>(
            List.of(
                unlisted.statement(
                    "registered", EnumSet.of(ListedKind.NODES, ListedKind.HOSTS), this::registered),
                leaving()
                    .orElseGet(() ->
                        unlisted.statement("removed", ListedKind.OF_MEMBERS, this::notRemoved)),
                repairing()
                    .orElseGet(() ->
                        unlisted.statement(
                            "repaired", ListedKind.OF_REPAIRS, () -> notRepaired(pool))),
                upToDate(pool),
                unlisted.statement("uncordoned", EnumSet.of(ListedKind.NODES), this::uncordoned)));
    requestRefused().ifPresent(answers::add);
    Optional<String> unknown = unlisted.why(ALL);
    return new NodeExplanation(
        host().id().name(),
        ofPool.pool().id().name(),
        wanted(),
        unknown
            .map(why -> List.of(new Step("unknown", why)))
            .orElseGet(() -> NodeExplanation.steps(plan).toList()),
        plan.wakeup().filter(_ -> unknown.isEmpty()).map(Messages::instant).orElse(""),
        answers);
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
            DisruptionAdmission.of(seen.pool(), seen.offer().isPresent(), seen.host().hold(now)));
    List<Disruption.Cause> recorded = disruption().map(Disruption.Active::causes).orElse(List.of());
    return Stream.concat(
            recorded.stream(),
            demands.own().stream().filter(own -> recorded.stream().noneMatch(own::isSame)))
        .map(cause -> wanted(cause, recorded.contains(cause), demands))
        .toList();
  }

  private Wanted wanted(Disruption.Cause cause, boolean isRecorded, NodeDemands demands) {
    Optional<Disruption.Committed> committed =
        disruption()
            .flatMap(Disruption::commitment)
            .filter(_ -> isRecorded)
            .filter(each -> !each.awaits(cause));
    return new Wanted(
        cause.text(),
        isRecorded ? Messages.instant(cause.at()) : "",
        !isRecorded ? "found" : committed.isPresent() ? "carried out" : "cordoned",
        committed
            .map(this::waitsFor)
            .orElseGet(() ->
                unlisted
                    .why(EnumSet.of(ListedKind.PODS, ListedKind.OFFER))
                    .map("unknown: %s"::formatted)
                    .orElseGet(() -> waitsFor(cause, isRecorded, demands))));
  }

  /** What a committed disruption waits for, from the Node's condition or its record. */
  private String waitsFor(Disruption.Committed committed) {
    return seen.presentNode()
        .filter(_ -> committed.isLeaving())
        .flatMap(Node::removing)
        .map(Node.Removing::message)
        .orElseGet(() ->
            seen.presentNode().filter(Node::isOutOfService).isPresent()
                    || committed.isVerification()
                ? "its machine boots, or is verified"
                : "%s, until %s"
                    .formatted(
                        Reasons.of(committed.drain()), Messages.instant(committed.forceAt())));
  }

  private String waitsFor(Disruption.Cause cause, boolean isRecorded, NodeDemands demands) {
    Demand demand = demands.of(cause);
    if (demands.admission().ask(cause, demand) instanceof Decision.Held held) {
      return Reasons.of(held, demands.admission());
    }
    if (!demands.isAdmitted(cause)) {
      return heldByPool(pools.plan(ofPool, now));
    }
    Demand.Window window = demand.carriedOut(isBusy()).window();
    if (window.notBefore().isAfter(now)) {
      return "it begins at " + Messages.instant(window.notBefore());
    }
    if (!isBusy() || window.mayInterrupt(now)) {
      return isRecorded ? "its cordon settles" : "it is cordoned next";
    }
    String work = "its work ends: " + Reasons.work(seen, now);
    return window.interruptAt().equals(Instant.MAX)
        ? work
        : "%s, or %s".formatted(work, Messages.instant(window.interruptAt()));
  }

  private boolean isBusy() {
    return member().map(Member::isBusy).orElse(false);
  }

  /** What holds the repair of this Node, or of the first Node, in its pool's plan. */
  private String heldByPool(PoolPlan plan) {
    String own = plan.figures().repairsHeld().getOrDefault(host().id().name(), "");
    String first = plan.status().repairs().why();
    return !own.isEmpty()
        ? own
        : first.isEmpty() ? "its pool has not permitted it yet" : "others wait too: " + first;
  }

  private Statement registered() {
    String what = "registered";
    return seen.presentNode().filter(Node::registered).isPresent()
        ? Statement.yes(what, "it is a Node of NodePool " + pool().id().name())
        : Statement.no(
            what,
            member()
                .flatMap(Member::waiting)
                .map(waiting -> Reasons.of(waiting.awaited()))
                .orElse("its machine has no Node that can be registered"));
  }

  private Optional<Statement> leaving() {
    return disruption()
        .filter(Disruption.Active::leaves)
        .map(each -> Statement.yes("removed", each.text()));
  }

  private Statement notRemoved() {
    return Statement.no(
        "removed",
        pools.removalOrder(ofPool, now).stream()
            .map(Ordered::verdict)
            .filter(each -> each.member().host().id().equals(host().id()))
            .findFirst()
            .map(each -> Reasons.of(each, Reasons.work(seen, now)))
            .orElse("its machine has not booted"));
  }

  private Optional<Statement> repairing() {
    return disruption()
        .filter(active -> active.causes().stream().anyMatch(each -> each.what().isRepair()))
        .map(each -> Statement.yes("repaired", each.text()));
  }

  private Statement notRepaired(PoolPlan plan) {
    return Statement.no(
        "repaired",
        NeededRepairs.of(seen.health())
            .holding(pool().repairs()::isHeld)
            .first()
            .map(needed -> notRepaired(needed, plan))
            .orElse("no alert asks for a repair of its machine"));
  }

  private String notRepaired(Needed needed, PoolPlan plan) {
    return plan.status()
        .repairs()
        .suspect(needed.alert())
        .filter(SuspectedAlert::isHeld)
        .map(each -> "%s: %s".formatted(needed.alert(), Reasons.of(each.verdict())))
        .orElseGet(() ->
            "%s asks for it (%s); %s"
                .formatted(
                    needed.alert(),
                    needed.grade().meaning(),
                    needed.stands() ? heldByPool(plan) : Reasons.of(needed.state())));
  }

  private Statement upToDate(PoolPlan plan) {
    String what = "up to date";
    ConfigurationState configuration = plan.status().configuration();
    String booted = host().report().bootedConfiguration();
    if (booted.equals(configuration.profile())) {
      return Statement.yes(
          what, booted.isEmpty() ? "no configuration is active" : "it has booted into " + booted);
    }
    return Statement.no(
        what,
        "it has booted into %s, and %s is active; %s"
            .formatted(
                booted.isEmpty() ? "no configuration" : booted,
                configuration.profile().isEmpty() ? "none" : configuration.profile(),
                unlisted
                    .why(ListedKind.OF_MEMBERS)
                    .map("its turn is unknown: "::concat)
                    .orElseGet(() -> turn(plan))));
  }

  private String turn(PoolPlan plan) {
    List<Rollout.Turn> turns = pools.rolloutOrder(ofPool, plan.status().configuration(), now);
    return IntStream.range(0, turns.size())
        .filter(each -> turns.get(each).member().host().id().equals(host().id()))
        .mapToObj(each -> turn(turns, each, plan))
        .findFirst()
        .orElse("it has not registered");
  }

  private String turn(List<Rollout.Turn> turns, int place, PoolPlan plan) {
    RolloutState.Phase phase = plan.status().configuration().rollout().phase();
    return switch (phase) {
      case RUNNING ->
          "place %d of %d in the rollout, waits for %s"
              .formatted(
                  place + 1,
                  turns.size(),
                  Reasons.of(
                      turns.get(place), PoolQuestions.limit(plan), Reasons.work(seen, now), now));
      case NONE, STOPPED, PAUSED -> Reasons.of(phase);
    };
  }

  private Statement uncordoned() {
    String what = "uncordoned";
    Optional<Node> node = seen.presentNode();
    if (node.isEmpty()) {
      return Statement.no(what, "it has no Node");
    }
    if (!node.get().cordoned()) {
      return Statement.yes(what, node.get().ready() ? "it is Ready" : "it is not Ready");
    }
    return Statement.no(
        what,
        disruption()
            .filter(each -> each.cordon() == Disruption.Cordon.OURS)
            .map(each -> "the operator cordoned it: " + each.text())
            .orElse("another client cordoned it, and has to take that back"));
  }

  /** A client's request for the Node that is not carried out. */
  private Optional<Statement> requestRefused() {
    return seen.presentNode()
        .flatMap(node ->
            seen.offer()
                .flatMap(offer -> RebootRequest.refusal(node, offer.capabilities()))
                .or(() ->
                    node.status()
                        .lifecycle()
                        .pending()
                        .filter(each -> !each.status())
                        .map(NodeStatus.Entry::message)))
        .filter(why -> !why.isEmpty())
        .map(why -> Statement.no("rebooted as requested", why));
  }
}
