package io.nodepool.plan;

import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disruption of one spot Node, played through the planners of its pool and of its machine. On a
 * busy Node runs one Pod that a budget never allows to evict, so that each deadline of a drain
 * comes.
 */
final class DisruptionPlay {
  static final Instant START = Given.NOW;
  private static final int STEPS_AT_MOST = 2_000;
  private static final Duration WINDOW = Duration.ofMinutes(7);

  private final MachinePlanner machines =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private final PoolPlanner pools = new PoolPlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private final boolean poolFirst;
  private final PlayedNode played;
  private final List<String> events = new ArrayList<>();
  private Instant now = START;
  private Optional<Pool> pool;
  private Optional<Instant> notice = Optional.empty();
  private @Nullable Action lastAction;
  private @Nullable Instant leavingSince;

  /**
   * A busy Node of a pool that prefers idle ones.
   *
   * @param poolFirst whether the pool's plan is carried out before the machine's where both have
   *     something to do, and not the other way round
   */
  DisruptionPlay(boolean poolFirst) {
    this(poolFirst, true, PoolSpec.ScaleDownStrategy.PREFER_IDLE);
  }

  /** A Node, busy or idle, of a pool with this strategy. */
  DisruptionPlay(boolean poolFirst, boolean busy, PoolSpec.ScaleDownStrategy strategy) {
    this.poolFirst = poolFirst;
    this.played = new PlayedNode(busy);
    this.pool = Optional.of(spotPool(strategy));
    toRest();
  }

  private static Pool spotPool(PoolSpec.ScaleDownStrategy strategy) {
    Pool pool = Given.pool(1, strategy);
    PoolSpec spec = pool.spec();
    return pool.withSpec(spec.withMachines(spec.machines().withComputeClass("spot")));
  }

  /** A cause comes about. */
  void arrives(String cause) {
    switch (cause) {
      case "scale-down" ->
          pool = pool.map(held -> held.withSpec(Fixtures.withTarget(held.spec(), 0)));
      case "pool deletion" -> pool = pool.map(held -> held.withDeletionRequested(now));
      case "client's request" -> played.label(NodeLabels.REMOVE_NODE, Optional.of("true"), now);
      case "orphan" -> pool = Optional.empty();
      case "rollout" -> rollsOut(false);
      case "evicting rollout" -> rollsOut(true);
      case "preemption" -> {
        notice = Optional.of(now);
        played.reclaim(Optional.of(new Reclaim(now, now.plus(WINDOW), "wanted")));
      }
      default -> requests(cause);
    }
  }

  /** Another configuration is active, and its rollout is under way and published. */
  private void rollsOut(boolean evicts) {
    pool =
        pool.map(held ->
            held.withSpec(
                    held.spec()
                        .withConfiguration(
                            held.spec()
                                .configuration()
                                .withRollout(RolloutSettings.DEFAULTS.withEvict(evicts))))
                .withStatus(
                    held.status()
                        .withConfiguration(
                            new ConfigurationState(
                                "ncore-2",
                                Optional.empty(),
                                List.of(revision("ncore-1"), revision("ncore-2")),
                                new ConfigurationState.Handled(
                                    "",
                                    held.spec().configuration().request().text(),
                                    Optional.of(held.spec().configuration().strategy()),
                                    "ncore-1",
                                    0),
                                Optional.empty(),
                                RolloutState.NONE.started().withEvicts(evicts)))));
  }

  /** A user asks for this, by annotations that are not accepted yet. */
  void isAsked(UnaryOperator<ConfigurationSpec> change) {
    pool =
        pool.map(held ->
            held.withAnnotated(
                held.spec().withConfiguration(change.apply(held.spec().configuration()))));
  }

  private ConfigurationState.Revision revision(String profile) {
    return new ConfigurationState.Revision(
        new NodeConfiguration(profile, List.of()),
        "ncore-1",
        now,
        now,
        0,
        false,
        ConfigurationState.BootRecord.NONE);
  }

  private void requests(String cause) {
    LifecycleState state =
        switch (cause) {
          case "safe reboot", "immediate reboot" -> LifecycleState.REBOOT;
          case "power reset" -> LifecycleState.POWER_RESET;
          case "reconfiguration" -> LifecycleState.RECONFIGURE;
          case "verification" -> LifecycleState.VERIFICATION;
          default -> throw new IllegalArgumentException(cause);
        };
    played.annotate(
        NodeAnnotations.REBOOT_POLICY,
        cause.equals("immediate reboot") ? Optional.of("Immediate") : Optional.empty(),
        now);
    played.label(NodeLabels.PENDING_STATE, Optional.of(state.word()), now);
  }

  /** What brought a cause about is taken back. */
  void isWithdrawn(String cause) {
    switch (cause) {
      case "scale-down" ->
          pool = pool.map(held -> held.withSpec(Fixtures.withTarget(held.spec(), 1)));
      case "client's request" -> played.label(NodeLabels.REMOVE_NODE, Optional.empty(), now);
      case "preemption" -> played.reclaim(Optional.empty());
      case "rollout", "evicting rollout" ->
          pool =
              pool.map(held ->
                  held.withStatus(
                      held.status()
                          .withConfiguration(
                              held.status()
                                  .configuration()
                                  .withRollout(
                                      held.status().configuration().rollout().stopped()))));
      case "pool deletion", "orphan" -> throw new IllegalArgumentException(cause);
      default -> played.label(NodeLabels.PENDING_STATE, Optional.empty(), now);
    }
  }

  /** The operator does not run for this long; it observes everything anew afterwards. */
  void isAway(Duration away) {
    now = now.plus(away);
    played.pass(now);
    played.isSeenAnew(now);
  }

  /** A person uncordons the Node. */
  void isUncordoned() {
    played.uncordon(now);
  }

  /** Plays until this holds, or until nothing happens any more. Returns whether it holds. */
  boolean until(Predicate<DisruptionPlay> holds) {
    for (int steps = 0; steps < STEPS_AT_MOST; steps++) {
      if (holds.test(this)) {
        return true;
      }
      if (!step() && !passes()) {
        return false;
      }
    }
    throw new IllegalStateException("no end: " + lastAction);
  }

  /** Plays everything that happens at this instant. */
  void toRest() {
    for (int steps = 0; step(); steps++) {
      if (steps > STEPS_AT_MOST) {
        throw new IllegalStateException("no end: " + lastAction);
      }
    }
  }

  private boolean step() {
    return poolFirst
        ? take(poolActions()) || take(machineActions())
        : take(machineActions()) || take(poolActions());
  }

  private boolean take(List<PlannedAction> planned) {
    planned.forEach(each -> {
      each.eventDrafts().stream()
          .filter(draft -> draft.regarding().kind() == EventTarget.NODE)
          .forEach(draft -> events.add(draft.reason().word()));
      played.apply(each.action(), pool, now);
      if (leavingSince == null && played.node().filter(Node::isDraining).isPresent()) {
        leavingSince = now;
      }
      lastAction = each.action();
    });
    return !planned.isEmpty();
  }

  /** Lets time pass until something may happen; returns whether there is such an instant. */
  private boolean passes() {
    if (isGone()) {
      return false;
    }
    Optional<Instant> next =
        Stream.of(
                machinePlan().wakeup().stream(),
                poolPlan().flatMap(PoolPlan::wakeup).stream(),
                played.nextByItself())
            .flatMap(each -> each)
            .filter(at -> at.isAfter(now))
            .min(Instant::compareTo);
    next.ifPresent(at -> {
      now = at;
      played.pass(at);
    });
    return next.isPresent();
  }

  private MachinePlan machinePlan() {
    return machines.plan(played.seen(pool), now);
  }

  private List<PlannedAction> machineActions() {
    return isGone() ? List.of() : machinePlan().plannedActions();
  }

  private Optional<PoolPlan> poolPlan() {
    Member member =
        Fixtures.asOf(
            Given.member(
                played.host(),
                played.node(),
                new Workload(played.pods().size(), 0, false),
                Optional.empty(),
                Member.Findings.NONE),
            now);
    return pool.map(held -> pools.plan(Given.pool(held, List.of(member)), now));
  }

  private List<PlannedAction> poolActions() {
    return poolPlan().stream()
        .flatMap(plan -> plan.plannedActions().stream())
        .filter(planned -> planned.action() instanceof Action.WriteNode)
        .toList();
  }

  /** Whether the Node is chosen and cordoned. */
  boolean isAdmitted() {
    return disruption().filter(Disruption.Admitted.class::isInstance).isPresent();
  }

  /** Whether the Node is admitted and its Pods were listed just now. */
  boolean isListed() {
    return isAdmitted() && lastAction instanceof Action.ListPods;
  }

  /** Whether a Pod was evicted just now. */
  boolean isEvicting() {
    return lastAction instanceof Action.EvictPod;
  }

  /** Whether a Pod was deleted just now. */
  boolean isForcing() {
    return lastAction instanceof Action.DeletePod;
  }

  /** Whether its disruption is committed: its drain has begun. */
  boolean isDraining() {
    return disruption().filter(Disruption.Committed.class::isInstance).isPresent();
  }

  /** Whether its machine was asked to boot, or to be verified, and has not ended with that. */
  boolean isBooting() {
    return isDraining() && played.host().boot().isPresent() && !played.isVerified();
  }

  /** Whether its machine is back and the Node is not yet in production. */
  boolean isVerified() {
    return isDraining() && played.isVerified();
  }

  /** Whether its Node is deleted. */
  boolean isGone() {
    return played.node().isEmpty();
  }

  /** The Node, while it exists. */
  Optional<Node> node() {
    return played.node();
  }

  Optional<Disruption> disruption() {
    return played.node().flatMap(Node::disruption);
  }

  Optional<Node.Removing> removing() {
    return played.node().flatMap(Node::removing);
  }

  boolean isCordoned() {
    return played.node().filter(Node::cordoned).isPresent();
  }

  /** The last committed state. */
  Optional<Disruption.Committed> committed() {
    return played.committed();
  }

  /** Since when the Node is committed to leave. */
  Optional<Instant> leavingSince() {
    return Optional.ofNullable(leavingSince);
  }

  Optional<Instant> notice() {
    return notice;
  }

  Instant now() {
    return now;
  }

  /** The Events about the Node, in order. */
  List<String> events() {
    return List.copyOf(events);
  }

  /** What the machine was asked for, in order. */
  List<String> boots() {
    return played.boots();
  }
}
