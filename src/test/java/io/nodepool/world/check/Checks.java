package io.nodepool.world.check;

import io.nodepool.control.LoopSettings;
import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.MemberAudit;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.RunObserver;
import io.nodepool.world.World;
import io.nodepool.world.check.cost.RequestLedger;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.Request;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;

/** The checks of every run; the first violation ends the run. */
public final class Checks implements RunObserver {
  private final World world;
  private final OperatorViews views;
  private final Invariants invariants;
  private final Liveness liveness;
  private final RequestLedger ledger;
  private final SituationDetector detector;

  /** The audits of the states of operators, former ones too. */
  private final IdentityHashMap<ClusterState, MemberAudit> audits = new IdentityHashMap<>();

  /** The counts of the operators are audited after every one of so many steps, and at the end. */
  private final int audited;

  private Checks(World world, LoopSettings timings, Faults faults, int audited) {
    this.world = world;
    this.views = new OperatorViews(world.cluster());
    this.invariants = new Invariants(world.cluster(), world.leaderships(), world, views);
    this.liveness = new Liveness(world.cluster());
    this.ledger = new RequestLedger(world.cluster(), world, timings, faults);
    this.detector = new SituationDetector(world.cluster(), world.situations());
    this.audited = audited;
  }

  /**
   * Checks a world from its start.
   *
   * @param timings the durations of an operator's loops as they should be
   * @param faults those of the world
   */
  public static Checks watch(World world, LoopSettings timings, Faults faults, int audited) {
    Checks checks = new Checks(world, timings, faults, audited);
    checks.detector.watch();
    world.observe(checks);
    return checks;
  }

  /** Violations of the request budget, such as repeats without growing waits. */
  public List<String> complaints() {
    return ledger.complaints();
  }

  /**
   * Protects Pods by UID: from now on, none of them may be harmed without a consent, since they are
   * bound so early that an operator which begins a drain can know them.
   */
  public void protect(Predicate<String> pods) {
    invariants.protect(pods);
  }

  @Override
  public void started() {
    detector.started();
  }

  @Override
  public void observed(OperatorProcess operator, Observation seen) {
    views.observed(operator, seen);
  }

  @Override
  public void requested(Request request, Action action) {
    views.requested(request, action);
  }

  @Override
  public void tried(Request request) {
    invariants.tried(request);
  }

  @Override
  public void sent(Request request, Request.Piece piece) {
    ledger.sent(request, piece);
    if (piece instanceof Request.Piece.Act(Action action)) {
      invariants.sent(action);
    }
  }

  @Override
  public void before(Request request, Action action) {
    detector.before(action, world.instant());
    invariants.before(request, action);
  }

  @Override
  public void after(Request request, Action action, Answer<Observation> answer) {
    invariants.after(request, action, answer);
    detector.after(action, answer);
  }

  @Override
  public void emitted(Request request, EventDraft event) {
    invariants.emitted(request, event);
  }

  @Override
  public void released(Request request, PoolId pool) {
    invariants.released(request, pool);
  }

  @Override
  public void stepped() {
    invariants.check(
        world.instant(), world.calmSince(), world.observedSince(), world.informed().map(views::of));
    liveness.check(world.instant(), world.able());
    if (world.steps() % audited == 0) {
      audit();
    }
  }

  @Override
  public void advanced() {
    audit();
    liveness.check(world.instant(), world.able());
  }

  private void audit() {
    world
        .operators()
        .states()
        .forEach(state -> audits.computeIfAbsent(state, MemberAudit::new).verify());
  }
}
