package io.nodepool.plan.disruption;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.DisruptionCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The demands on one Node: those that the machine's plan derives from its objects, and those that
 * the pool's plan recorded on it. A cause of the machine withdraws by no longer demanding; one of
 * the pool stays until the pool's plan takes it off the record.
 */
public final class NodeDemands {
  private final Optional<Host> host;
  private final Optional<RebootRequest> request;
  private final RebootConsent consent;
  private final Optional<Pool> pool;
  private final boolean mayInterrupt;
  private final boolean isOrphan;
  private final Instant now;
  private final PlanSettings settings;

  private NodeDemands(
      Optional<Host> host,
      Optional<RebootRequest> request,
      RebootConsent consent,
      Optional<Pool> pool,
      boolean mayInterrupt,
      boolean isOrphan,
      Instant now,
      PlanSettings settings) {
    this.host = host;
    this.request = request;
    this.consent = consent;
    this.pool = pool;
    this.mayInterrupt = mayInterrupt;
    this.isOrphan = isOrphan;
    this.now = now;
    this.settings = settings;
  }

  /** The demands on the Node of a machine that a pool holds. */
  public static NodeDemands of(MachineSnapshot seen, Instant now, PlanSettings settings) {
    return new NodeDemands(
        Optional.of(seen.host()),
        seen.presentNode().flatMap(node -> request(node, seen.offer())),
        seen.presentNode()
            .map(node -> RebootConsent.of(node, seen.evidence().requested(), now, settings))
            .orElseGet(RebootConsent.None::new),
        seen.pool(),
        seen.pool().map(pool -> !pool.spec().keepsBusyNodes()).orElse(true),
        seen.pool().isEmpty() && seen.evidence().ownerGone(),
        now,
        settings);
  }

  /**
   * The request on a registered Node that its fleet can meet. While the fleet's offer cannot be
   * read, one that is carried out goes on, and no other begins.
   */
  private static Optional<RebootRequest> request(Node node, Optional<FleetOffer> offer) {
    boolean meets =
        offer
            .map(known -> RebootRequest.refusal(node, known.capabilities()).isEmpty())
            .orElse(node.isOutOfService());
    return RebootRequest.of(node).filter(_ -> node.registered() && meets);
  }

  /**
   * The demands on a Node without a machine.
   *
   * @param mayInterrupt whether it may go although it has tenant work
   */
  public static NodeDemands withoutMachine(
      boolean mayInterrupt, Instant now, PlanSettings settings) {
    return new NodeDemands(
        Optional.empty(),
        Optional.empty(),
        new RebootConsent.None(),
        Optional.empty(),
        mayInterrupt,
        false,
        now,
        settings);
  }

  /** The demand of a preemption that its fleet announces. */
  public Optional<Demand> preemption() {
    return host.flatMap(each -> Preemption.demand(each, settings.preemption()));
  }

  /** What the machine's plan demands now by itself, given what is recorded. */
  public List<Demand> own(Optional<Disruption.Active> recorded) {
    List<Demand> demands = new ArrayList<>();
    preemption().ifPresent(demands::add);
    if (isOrphan) {
      demands.add(ofNode(cause(DisruptionCause.ORPHANED, "", recorded)));
    }
    request(recorded)
        .map(each -> each.cause(now))
        .map(each -> cause(each.what(), each.reference(), recorded))
        .map(this::ofNode)
        .ifPresent(demands::add);
    // That its owner is gone was found by a live read, and does not change any more.
    recorded.stream()
        .flatMap(active -> active.causes().stream())
        .filter(cause ->
            cause.what() == DisruptionCause.NO_MACHINE
                || cause.what() == DisruptionCause.REBOOT_FAILED
                || (cause.what() == DisruptionCause.ORPHANED && !isOrphan))
        .map(this::ofNode)
        .forEach(demands::add);
    return demands;
  }

  /**
   * The request on the Node. Until it is known whether it is immediate, it stays as it is recorded,
   * and is none before it is.
   */
  private Optional<RebootRequest> request(Optional<Disruption.Active> recorded) {
    return switch (consent) {
      case RebootConsent.None _, RebootConsent.Waiting _, RebootConsent.Spent _ -> request;
      case RebootConsent.Given _ -> request.map(each -> each.withImmediate(true));
      case RebootConsent.Unread _ ->
          recorded.stream()
              .flatMap(active -> active.causes().stream())
              .filter(cause -> cause.what() != DisruptionCause.ROLLOUT)
              .flatMap(cause -> RebootRequest.of(cause).stream())
              .filter(carried -> request.filter(carried::isOfState).isPresent())
              .max(Comparator.comparing(RebootRequest::immediate));
    };
  }

  /** Whether the annotation that makes a request immediate must be read before it is committed. */
  public RebootConsent consent() {
    return consent;
  }

  /** The causes that the machine's plan demands now by itself, given what is recorded. */
  public List<Disruption.Cause> ownCauses(Disruption.Active recorded) {
    return own(Optional.of(recorded)).stream().flatMap(demand -> demand.causes().stream()).toList();
  }

  /**
   * Whether a recorded cause stays on record. A scale-down ends in the write with which a
   * preemption joins it: the pool counts a preempted Node as leaving, so it would not have chosen
   * it had the notice come first (decision D71). What a pool demands of a member ends when the Node
   * has no machine any more: no plan of a pool would take it off the record (decision D176).
   *
   * @param own the causes that the machine's plan demands now by itself
   */
  public boolean isStillDemanded(Disruption.Cause cause, List<Disruption.Cause> own) {
    if (host.isEmpty() && cause.what().owner() == DisruptionCause.Owner.POOL) {
      return false;
    }
    return switch (cause.what()) {
      case SCALE_DOWN -> own.stream().noneMatch(each -> each.what() == DisruptionCause.PREEMPTION);
      case POOL_DELETION, REGISTRATION_FAILED, MACHINE_OUTAGE, ROLLOUT -> true;
      case ORPHANED, NO_MACHINE, PREEMPTION, REBOOT, RECONFIGURATION, VERIFICATION, REBOOT_FAILED ->
          own.stream().anyMatch(cause::isSame);
    };
  }

  /**
   * Whether the Node is cordoned again for this cause if a person uncordons it before its drain
   * begins (decision D69).
   */
  public static boolean isInsisting(Disruption.Cause cause) {
    return switch (cause.what()) {
      case PREEMPTION, ORPHANED, NO_MACHINE, REBOOT_FAILED -> true;
      case SCALE_DOWN,
          POOL_DELETION,
          REGISTRATION_FAILED,
          MACHINE_OUTAGE,
          REBOOT,
          RECONFIGURATION,
          ROLLOUT,
          VERIFICATION ->
          false;
    };
  }

  /**
   * Those of these causes that may be committed now. The turn of a Node in a rollout may only while
   * the pool publishes that this rollout goes on, and nobody asks to stop it; a client's request
   * beside it does not wait for that, and is carried out alone.
   */
  public List<Disruption.Cause> inEffect(List<Disruption.Cause> causes) {
    return causes.stream().filter(this::isInEffect).toList();
  }

  private boolean isInEffect(Disruption.Cause cause) {
    return RolloutTurn.of(cause).map(turn -> turn.goesOn(pool)).orElse(true);
  }

  /**
   * Whether the Node is drained only because of a rollout, and a user has taken that back. A
   * request beside it that never interrupts work stays on the Node, and is admitted anew (decision
   * D173).
   */
  public boolean isReleased(Disruption.Committed reboot) {
    return pool.isPresent() && isDrainedFor(reboot, turn -> turn.isReleased(pool.get()));
  }

  /**
   * Whether the Node is drained only because of a rollout, and that a user has taken it back is not
   * published yet.
   */
  public boolean isAboutToBeReleased(Disruption.Committed reboot) {
    return pool.filter(each ->
            each.spec()
                .configuration()
                .commands()
                .stopRollout(each.status().configuration().handled().command()))
            .isPresent()
        && isDrainedFor(reboot, _ -> true);
  }

  /** Whether nothing but such turns interrupts the work on the Node. */
  private static boolean isDrainedFor(Disruption.Committed reboot, Predicate<RolloutTurn> test) {
    return reboot.has(DisruptionCause.ROLLOUT)
        && reboot.causes().stream()
            .allMatch(cause ->
                RolloutTurn.of(cause)
                    .map(test::test)
                    .or(() -> RebootRequest.of(cause).map(request -> !request.immediate()))
                    .orElse(false));
  }

  /** This cause, since when it is recorded, or since now. */
  private Disruption.Cause cause(
      DisruptionCause what, String reference, Optional<Disruption.Active> recorded) {
    Disruption.Cause found = new Disruption.Cause(what, reference, now);
    return recorded.stream()
        .flatMap(active -> active.causes().stream())
        .filter(found::isSame)
        .findFirst()
        .orElse(found);
  }

  /**
   * All demands on the Node: its own, and those that the pool recorded. Beside one to leave, a
   * reboot is dropped with its instants, because the Node would otherwise leave at an instant that
   * no cause to leave asks for (decision D65).
   */
  public Optional<Demand> all(Optional<Disruption.Active> recorded) {
    List<Demand> demands = each(recorded);
    return toLeave(demands).or(() -> Demand.merged(demands));
  }

  /**
   * The demands on the Node for which it leaves its pool; empty if there are none.
   *
   * @param recorded a disruption that is committed to a reboot
   */
  public Optional<Demand> toLeave(Disruption.Committed recorded) {
    return toLeave(each(Optional.of(recorded)));
  }

  private static Optional<Demand> toLeave(List<Demand> demands) {
    return Demand.merged(
        demands.stream()
            .filter(demand -> demand.ending() instanceof DisruptionEnding.Leave)
            .toList());
  }

  private List<Demand> each(Optional<Disruption.Active> recorded) {
    List<Demand> demands = new ArrayList<>(own(recorded));
    List<Disruption.Cause> ofPool =
        recorded.stream()
            .flatMap(active -> active.causes().stream())
            .filter(cause -> cause.what().owner() == DisruptionCause.Owner.POOL)
            .toList();
    inEffect(ofPool).stream().map(this::ofNode).forEach(demands::add);
    // A turn that is held back demands nothing beside others, and keeps the Node cordoned alone.
    return demands.isEmpty() ? ofPool.stream().map(this::ofNode).toList() : demands;
  }

  /**
   * Whether the cause is given up when tenant work keeps the Node: it never interrupts work, and
   * does not keep the Node cordoned until the work ends, as a reconfiguration does (decision D66).
   */
  public boolean endsWhenBusy(Disruption.Cause cause) {
    return switch (cause.what()) {
      case PREEMPTION, RECONFIGURATION -> false;
      case ROLLOUT -> RolloutTurn.of(cause).filter(RolloutTurn::evicts).isEmpty();
      case SCALE_DOWN,
          POOL_DELETION,
          REGISTRATION_FAILED,
          MACHINE_OUTAGE,
          ORPHANED,
          NO_MACHINE,
          REBOOT,
          VERIFICATION,
          REBOOT_FAILED ->
          ofNode(cause).window().interruptAt().equals(Instant.MAX);
    };
  }

  /**
   * What a cause other than a preemption demands. Without instants of its own, whether busy work
   * may be interrupted is the pool's strategy (decision D66), and the drain has its deadline from
   * the moment it begins. The machine of a Node that failed to reboot runs no work any more.
   */
  public Demand ofNode(Disruption.Cause cause) {
    Optional<RolloutTurn> turn = RolloutTurn.of(cause);
    if (turn.isPresent()) {
      return turn.get().demand(cause, turn.get().goesOn(pool), now, settings);
    }
    Optional<RebootRequest> asked = RebootRequest.of(cause);
    if (asked.isPresent()) {
      return asked.get().demand(cause.at(), now, settings);
    }
    Demand.Window window =
        Demand.Window.WHEN_IDLE.withForceAt(now.plus(settings.drain().deadline()));
    return Demand.of(
        cause,
        mayInterrupt || cause.what() == DisruptionCause.REBOOT_FAILED
            ? window.withInterruptAt(cause.at())
            : window,
        new DisruptionEnding.Leave());
  }
}
