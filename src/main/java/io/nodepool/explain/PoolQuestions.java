package io.nodepool.explain;

import io.nodepool.control.state.Snapshots;
import io.nodepool.explain.PoolExplanation.Hold;
import io.nodepool.explain.PoolExplanation.Level;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.explain.PoolExplanation.NodeTurn;
import io.nodepool.explain.PoolExplanation.PoolShare;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.pool.Summary;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.plan.pool.ScaleDownCandidates;
import io.nodepool.plan.pool.ScaleDownCandidates.Ordered;
import io.nodepool.plan.pool.ScaleDownCandidates.Outcome;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import io.nodepool.plan.report.StatusSummary;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Answers questions about one pool. */
record PoolQuestions(
    PoolPlanner planner, Snapshots snapshots, Unlisted unlisted, PoolSnapshot seen, Instant now) {
  private static final String KEEP = "keep";

  PoolExplanation answer(OptionalInt target) {
    PoolSnapshot asked = target.isPresent() ? at(target.getAsInt()) : seen;
    PoolPlan plan = planner.plan(asked, now);
    Pool pool = asked.pool();
    boolean inRacks = pool.spec().size().targetRacks().isPresent();
    int wanted =
        pool.isTerminating()
            ? 0
            : pool.spec().size().targetRacks().orElseGet(() -> pool.spec().target());
    Optional<String> unknown = unlisted.why(ListedKind.OF_MEMBERS);
    List<Ordered> order = planner.removalOrder(asked, now);
    return new PoolExplanation(
        pool.id().name(),
        inRacks ? "rack" : "Node",
        plan.status()
            .counts()
            .racks()
            .filter(_ -> inRacks)
            .map(racks -> racks.current())
            .orElse(plan.status().counts().current()),
        wanted,
        unknown
            .map("which Nodes leave is unknown: %s"::formatted)
            .orElseGet(() -> sentence(pool.spec(), order)),
        Stream.concat(
                unknown
                    .map(why -> order.stream().map(each -> unknown(each.verdict().member(), why)))
                    .orElseGet(() -> Stream.concat(removed(), fates(order, inRacks))),
                unread())
            .toList(),
        holds(pool, plan),
        quota(plan),
        queue(plan),
        rollout(plan),
        plan.figures().limits().entrySet().stream()
            .filter(_ -> unknown.isEmpty())
            .map(each ->
                new Level(each.getKey().word(), each.getValue().count(), each.getValue().most()))
            .sorted(Comparator.comparing(Level::limit))
            .toList());
  }

  private PoolSnapshot at(int target) {
    PoolSpec spec = seen.pool().spec();
    PoolSpec.Size size = spec.size();
    return seen.withPool(
        seen.pool()
            .withSpec(
                spec.withSize(
                    size.targetRacks().isPresent()
                        ? size.withTargetRacks(OptionalInt.of(target))
                        : size.withTargetNodes(OptionalInt.of(target)))));
  }

  private String sentence(PoolSpec spec, List<Ordered> order) {
    int active = (int) order.stream().filter(each -> each.verdict().member().isBusy()).count();
    int removed = count(order, Outcome.CHOSEN);
    int paused = count(order, Outcome.PAUSED);
    int leaving = (int) terminating().count();
    List<String> parts = new ArrayList<>();
    if (leaving > 0) {
      parts.add(
          "%s %s already"
              .formatted(Messages.count(leaving, "Node"), leaving == 1 ? "leaves" : "leave"));
    }
    parts.add(
        removed == 0
            ? "removes no %sNode".formatted(leaving > 0 ? "further " : "")
            : "removes %d of %s"
                .formatted(
                    removed,
                    spec.keepsBusyNodes()
                        ? Messages.count(order.size() - active, "idle Node")
                        : Messages.count(order.size(), "Node")));
    if (paused > 0) {
      parts.add("would remove %d, and is paused".formatted(paused));
    }
    if (active > 0) {
      parts.add(
          "%d %s active (%s)"
              .formatted(
                  active,
                  active == 1 ? "is" : "are",
                  spec.keepsBusyNodes() ? "IdleOnly" : "PreferIdle"));
    }
    return String.join("; ", parts);
  }

  private static int count(List<Ordered> order, Outcome outcome) {
    return (int) order.stream().filter(each -> each.verdict().outcome() == outcome).count();
  }

  /**
   * The fates of all Nodes that can be read. A Node leaves at a target if all Nodes before it leave
   * too.
   */
  private Stream<NodeFate> fates(List<Ordered> order, boolean inRacks) {
    Set<String> staying =
        order.stream()
            .map(each -> each.verdict().member())
            .filter(each -> ScaleDownCandidates.stays(seen, each, now))
            .map(each -> unit(each, inRacks))
            .collect(Collectors.toSet());
    List<String> units =
        order.stream().map(each -> unit(each.verdict().member(), inRacks)).distinct().toList();
    List<String> removable = units.stream().filter(each -> !staying.contains(each)).toList();
    return order.stream()
        .map(each -> {
          int place = removable.indexOf(unit(each.verdict().member(), inRacks));
          return fate(each, place < 0 ? "" : "--target " + (units.size() - place - 1));
        });
  }

  /** Nodes whose removal cannot be withdrawn. */
  private Stream<NodeFate> removed() {
    return terminating()
        .map(each ->
            new NodeFate(
                0,
                each.host().id().name(),
                each.isBusy(),
                PoolExplanation.REMOVE,
                "it leaves: "
                    + each.disruption().map(active -> active.text()).orElse("its machine stops"),
                ""));
  }

  private Stream<Member> terminating() {
    return seen.members().stream().filter(each -> each.isCurrent() && each.isTerminating());
  }

  private static String unit(Member member, boolean inRacks) {
    return inRacks ? rack(member) : member.host().id().uid();
  }

  private NodeFate fate(Ordered ordered, String lowerTarget) {
    Verdict verdict = ordered.verdict();
    Member member = verdict.member();
    String key = ordered.key().map(each -> Reasons.of(each, member)).orElse("");
    String rank = Reasons.kept(verdict, work(member)) + Reasons.since(verdict, now);
    return new NodeFate(
        verdict.place(),
        member.host().id().name(),
        member.isBusy(),
        verdict.outcome() == Outcome.CHOSEN ? PoolExplanation.REMOVE : KEEP,
        switch (verdict.outcome()) {
          case CHOSEN ->
              verdict.rank() == CandidateRank.ACTIVE
                  ? "%s: %s ends".formatted(verdict.rank().text(), rank)
                  : joined(rank, key);
          case KEPT -> joined("not needed: " + rank, key);
          case PAUSED -> "the pool is paused; " + rank;
          case WAITING -> work(member);
          case PASSED_OVER, RACK_STAYS -> Reasons.of(verdict, work(member));
        },
        switch (verdict.outcome()) {
          case CHOSEN -> verdict.rank() == CandidateRank.ACTIVE ? "" : "a Pod is bound to it";
          case WAITING -> "its work ends";
          case PAUSED -> "a person resumes the pool";
          case RACK_STAYS -> "all Nodes of rack %s may leave".formatted(rack(member));
          case PASSED_OVER ->
              member
                  .passedOverUntil(now)
                  .map(until -> "time, at " + Messages.instant(until))
                  .orElse("");
          case KEPT -> lowerTarget;
        });
  }

  private static String joined(String rank, String key) {
    return key.isEmpty() ? rank : rank + ", " + key;
  }

  private static String rack(Member member) {
    return member.host().machine().rack();
  }

  private String work(Member member) {
    return snapshots
        .machine(member.host().id().name())
        .map(machine -> Reasons.work(machine, now))
        .orElse("");
  }

  /** Without Pods, no Node may be called idle; its condition shows the operator's finding. */
  private static NodeFate unknown(Member member, String why) {
    return new NodeFate(
        0,
        member.host().id().name(),
        member.isBusy(),
        "unknown",
        member
            .node()
            .flatMap(each -> each.activity())
            .map(each -> "%s; its CWActive: %s".formatted(why, each.message()))
            .orElse(why),
        "");
  }

  private Stream<NodeFate> unread() {
    return Stream.concat(
            seen.unread().stream().map(each -> List.of(each.name(), each.why())),
            seen.members().stream()
                .flatMap(each ->
                    each.findings().frozen().stream()
                        .map(why -> List.of(each.host().id().name(), why))))
        .map(each ->
            new NodeFate(
                0,
                each.getFirst(),
                false,
                KEEP,
                "it cannot be read: " + each.getLast(),
                "a person corrects it"));
  }

  private List<Hold> holds(Pool pool, PoolPlan plan) {
    PoolStatus published = seen.pool().status();
    // If repairs are unknown, only the published status of Nodes is known.
    PoolStatus status = unlisted.why(ListedKind.OF_REPAIRS).isPresent() ? published : plan.status();
    List<Summary> summaries = new StatusSummary(pool, status).all().toList();
    List<Hold> holds = new ArrayList<>();
    Stream.of(PoolCondition.values())
        .filter(PoolCondition::isCurrent)
        .flatMap(type ->
            hold(
                type,
                plan.status().condition(type),
                published.condition(type).filter(_ -> pool.equals(seen.pool())),
                summaries)
                .stream())
        .forEach(holds::add);
    Set<String> said =
        Stream.of(plan.status(), published)
            .flatMap(each -> each.conditions().values().stream())
            .map(Condition::message)
            .collect(Collectors.toSet());
    summaries.stream()
        .filter(each -> each.reason() != SummaryReason.READY && !said.contains(each.message()))
        .forEach(
            each -> holds.add(hold(each.reason().word(), each.message(), until(each.reason()))));
    RepairState repairs = status.repairs();
    FailedReboots failed = status.failedReboots();
    Stream.of(
            waiting("a repair", repairs.waiting(), repairs.names(), repairs.why()),
            waiting("its failed reboot", failed.waiting(), failed.names(), failed.why()))
        .flatMap(Optional::stream)
        .filter(each -> said.stream().noneMatch(each.message()::endsWith))
        .forEach(holds::add);
    return holds;
  }

  private static Hold hold(String reason, String message, String until) {
    return new Hold("NodePool", reason, message, until);
  }

  /** The present hold, or a published hold that depends on the operator's memory. */
  private Optional<Hold> hold(
      PoolCondition type,
      Optional<Condition> computed,
      Optional<Condition> published,
      List<Summary> summaries) {
    Optional<String> unknown = unlisted.why(ListedKind.of(type));
    if (unknown.isPresent()) {
      return computed.map(_ ->
          new Hold(
              type.type(),
              "unknown",
              published
                  .map(each ->
                      "%s; the operator published %s: %s"
                          .formatted(unknown.get(), each.reason().word(), each.message()))
                  .orElse(unknown.get()),
              ""));
    }
    Optional<Condition> now = computed.filter(each -> isHeld(type, each));
    return now.or(() -> published.filter(each -> isHeld(type, each)))
        .map(each ->
            new Hold(
                type.type(),
                each.reason().word(),
                (now.isPresent() ? "" : "published, and may be over: ") + each.message(),
                until(each, summaries)));
  }

  private String until(Condition condition, List<Summary> summaries) {
    return condition.reason() instanceof RepairsHeldReason held
        ? Reasons.until(held, seen.pool().id().name())
        : summaries.stream()
            .filter(each -> each.message().equals(condition.message()))
            .map(each -> until(each.reason()))
            .findFirst()
            .orElseGet(condition.reason()::meaning);
  }

  private String until(SummaryReason reason) {
    return Reasons.until(reason, seen.pool().id().name());
  }

  private static boolean isHeld(PoolCondition type, Condition condition) {
    return condition.reason().status() != type.healthy();
  }

  private static Optional<Hold> waiting(String what, int count, List<String> names, String why) {
    return count == 0
        ? Optional.empty()
        : Optional.of(
            hold(
                "Waiting",
                "for %s: %s. %s".formatted(what, Messages.list(names, names.size(), count), why),
                ""));
  }

  /** The pools that use the quota, this pool first. */
  private List<PoolShare> quota(PoolPlan plan) {
    return isHeld(plan, PoolCondition.QUOTA)
        ? Stream.concat(plan.figures().claim().stream(), seen.others().stream())
            .filter(each -> each.secured() > 0)
            .map(each -> share(each, Claim::secured))
            .toList()
        : List.of();
  }

  private List<PoolShare> queue(PoolPlan plan) {
    return isHeld(plan, PoolCondition.CAPACITY)
        ? Stream.concat(plan.figures().claim().stream(), seen.others().stream())
            .filter(each -> each.outstanding() > 0)
            .sorted(Claim.ORDER)
            .map(each -> share(each, Claim::outstanding))
            .toList()
        : List.of();
  }

  private boolean isHeld(PoolPlan plan, PoolCondition type) {
    return unlisted.why(ListedKind.of(type)).isEmpty()
        && plan.status().condition(type).filter(each -> isHeld(type, each)).isPresent();
  }

  private static PoolShare share(Claim claim, ToIntFunction<Claim> nodes) {
    return new PoolShare(
        claim.pool().name(), nodes.applyAsInt(claim), Messages.instant(claim.rank().askedAt()));
  }

  private List<NodeTurn> rollout(PoolPlan plan) {
    RolloutState.Phase phase = plan.status().configuration().rollout().phase();
    List<Rollout.Turn> turns =
        phase == RolloutState.Phase.NONE || unlisted.why(ListedKind.OF_MEMBERS).isPresent()
            ? List.of()
            : planner.rolloutOrder(seen, plan.status().configuration(), now);
    return IntStream.range(0, turns.size())
        .mapToObj(place -> {
          Member member = turns.get(place).member();
          return new NodeTurn(
              place + 1,
              member.host().id().name(),
              Reasons.word(turns.get(place).stand()),
              phase == RolloutState.Phase.RUNNING
                  ? Reasons.of(turns.get(place), limit(plan), work(member), now)
                  : Reasons.of(phase));
        })
        .toList();
  }

  /** How much of the limit of a rollout is used. */
  static PoolPlan.Use limit(PoolPlan plan) {
    return plan.figures()
        .limits()
        .getOrDefault(PoolPlan.Limited.ROLLOUT_UNAVAILABLE, new PoolPlan.Use(0, 0));
  }
}
