package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.health.Health;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An alert of the machine is active, and its grade asks for a boot or for another machine
 * (decisions D29, D30 and D75). The pool's plan admits the repair within its limits, and decides
 * when it may be carried out.
 *
 * @param alert the name of the alert
 * @param grade what is to be done
 * @param overridesEviction whether the repair ends work even where the pool protects it
 */
public record RepairCause(String alert, Grade grade, boolean overridesEviction)
    implements KnownCause {
  /** The end of the cordon's reason, after the alert (contract §10). */
  private static final String PENDING = ",NLCCPendingExitProduction";

  private static final String OVERRIDES = "/overrides eviction";

  static final CauseKind BOOT =
      new CauseKind(
              "Repair",
              "its machine is to be repaired by a boot",
              "An alert stands about the machine that a reboot or a reset is to heal. The Node stays in its pool.",
              CauseRule.STAYING.withStanding(CauseRule.Standing.DERIVED),
              RepairCause::read)
          .withFound(facts -> found(facts, false));
  static final CauseKind OUT =
      new CauseKind(
              "RepairOut",
              "its machine is taken out of service",
              "An alert stands about the machine for which it is taken out of service. Its Host is set aside, and the pool gets another one.",
              CauseRule.REMOVAL_BY_POOL.withStanding(CauseRule.Standing.DERIVED),
              RepairCause::read)
          .withFound(facts -> found(facts, true))
          .withBlame(CauseKind.Blame.ALERT);

  public RepairCause {
    if (alert.isEmpty() || !(grade.boots() || grade.takesOut())) {
      throw new IllegalArgumentException(grade.word() + " repairs no machine: " + alert);
    }
  }

  private static RepairCause read(String reference) {
    boolean overrides = reference.endsWith(OVERRIDES);
    String text =
        overrides ? reference.substring(0, reference.length() - OVERRIDES.length()) : reference;
    int slash = text.indexOf('/');
    Grade grade =
        Word.of(Grade.class, text.substring(slash + 1)).orElseThrow(IllegalArgumentException::new);
    if (slash <= 0) {
      throw new IllegalArgumentException(reference);
    }
    return new RepairCause(text.substring(0, slash), grade, overrides);
  }

  /**
   * The repairs that alerts ask for and that the machine's pool, Node and fleet allow.
   *
   * @param offer the fleet's offer; empty to ignore it, and while it cannot be read
   */
  public static List<RepairCause> demanded(
      NeededRepairs needed,
      Host host,
      Node node,
      Optional<Pool> pool,
      Optional<FleetOffer> offer,
      Instant now,
      PlanSettings settings) {
    Optional<RepairState> repairs = allowed(node, pool);
    if (repairs.isEmpty() || !needed.isAny()) {
      return List.of();
    }
    NeededRepairs wanted = needed.without(each -> repairs.get().isDenied(each, host));
    return RepairAttempts.escalated(wanted, host, now, settings)
        .without(each -> !isOffered(each.grade(), offer))
        .disruptive()
        .stream()
        .map(each -> new RepairCause(each.alert(), each.grade(), each.overridesEviction()))
        .toList();
  }

  private static boolean isOffered(Grade grade, Optional<FleetOffer> offer) {
    Optional<BootKind> boot = boot(grade);
    return boot.isEmpty()
        || offer.map(known -> known.capabilities().offers(boot.get())).orElse(true);
  }

  /**
   * The alert for which a machine would be taken out of service although its Node leaves for
   * another cause; empty if there is none, or its pool does not act on it. Once the machine was
   * verified to leave, the result decides, also for an alert that is held.
   */
  public static Optional<RepairCause> outOfService(MachineSnapshot seen) {
    return verifiedToLeave(seen)
        .map(passed ->
            passed ? Optional.<RepairCause>empty() : out(seen, true).or(() -> out(seen, false)))
        .orElseGet(() -> out(seen, false));
  }

  /**
   * As {@link #outOfService}, for an alert that the pool holds and that is no false alarm. Empty if
   * there is an alert that is not held, or the machine was verified.
   */
  public static Optional<RepairCause> outOnceReleased(MachineSnapshot seen) {
    return verifiedToLeave(seen).isEmpty() && out(seen, false).isEmpty()
        ? out(seen, true)
        : Optional.empty();
  }

  private static Optional<RepairCause> out(MachineSnapshot seen, boolean held) {
    return seen.presentNode()
        .filter(_ -> !seen.health().isUngraded())
        .flatMap(node -> acting(node, seen.pool()))
        .map(Pool::repairs)
        .flatMap(repairs ->
            repairs
                .needed(seen.health())
                .without(each ->
                    !each.stands()
                        || repairs.isFalseAlarm(each.alert())
                        || repairs.isHeld(each.alert()) != held)
                .out())
        .map(each -> new RepairCause(each.alert(), each.grade(), each.overridesEviction()));
  }

  /**
   * Whether the machine passed the verification that was asked for after its Node was drained to
   * leave; empty while it has not answered, or if none was asked for.
   */
  public static Optional<Boolean> verifiedToLeave(MachineSnapshot seen) {
    return seen.presentNode()
        .flatMap(node -> RebootRequest.askedToLeave(seen.host(), node))
        .flatMap(seen.host()::verified);
  }

  private static NeededRepairs needed(MachineSnapshot seen) {
    return seen.pool().map(Pool::repairs).orElse(RepairState.NONE).needed(seen.health());
  }

  /** The repairs of the pool, if its users allow that something is done to this Node for alerts. */
  static Optional<RepairState> allowed(Node node, Optional<Pool> pool) {
    return acting(node, pool).filter(each -> !each.isTerminating()).map(Pool::repairs);
  }

  /** The pool, if it acts on alerts and this Node does not refuse repairs. */
  private static Optional<Pool> acting(Node node, Optional<Pool> pool) {
    return pool.filter(each -> each.spec().repair().isRepairing() && !node.refusesRepair());
  }

  /** The alert for which alone a machine is booted; empty text for any other reboot. */
  public static String repairedBy(Disruption.Committed reboot) {
    List<Disruption.Cause> staying =
        reboot.causes().stream().filter(cause -> !cause.leaves()).toList();
    return staying.stream().allMatch(cause -> cause.what().isRepair())
        ? staying.stream().map(cause -> ((RepairCause) cause.what()).alert()).findFirst().orElse("")
        : "";
  }

  /**
   * A recorded repair stays while it is demanded, or becomes the other kind. A repair for another
   * alert begins only if that alert is active. The repair that is carried out ends before anything
   * is done for another alert.
   */
  private static Optional<Disruption.Cause> found(CauseFacts facts, boolean leaves) {
    Optional<Disruption.Cause> kept = leaves ? ofPreserved(facts) : Optional.empty();
    boolean isRecorded =
        facts.recorded().stream()
                .flatMap(active -> active.causes().stream().filter(active::awaits))
                .anyMatch(cause -> cause.what().isRepair())
            || (isBeingVerified(facts) && facts.host().flatMap(Host::alertVerified).isPresent());
    if (isUngraded(facts) && isRecorded && isAllowed(facts)) {
      return recorded(facts, leaves).findFirst();
    }
    return kept.or(() ->
        facts.seen().filter(_ -> isRecorded).stream()
            .flatMap(seen ->
                demanded(
                    needed(seen).without(each -> isBeside(each, facts)),
                    seen.host(),
                    facts.node().orElseThrow(),
                    seen.pool(),
                    seen.offer(),
                    facts.now(),
                    facts.settings())
                    .stream())
            .filter(each -> each.leaves() == leaves)
            .filter(each ->
                facts.recordedCauses().anyMatch(cause -> isFor(cause, each.alert()))
                    || facts.seen().filter(seen -> needed(seen).stands(each.alert())).isPresent())
            .findFirst()
            .map(facts::since)
            .or(() -> kept(facts, leaves)));
  }

  /** A recorded repair whose alert has no active signal, but is not over. */
  private static Optional<Disruption.Cause> kept(CauseFacts facts, boolean leaves) {
    Optional<NeededRepairs> needed =
        facts.node().isPresent() && isAllowed(facts)
            ? facts.seen().map(RepairCause::needed)
            : Optional.empty();
    return recorded(facts, leaves)
        .filter(cause ->
            needed
                .flatMap(all -> all.find(cause.what().repaired().orElseThrow().alert()))
                .filter(each -> !each.stands())
                .filter(each ->
                    !facts
                        .pool()
                        .orElseThrow()
                        .repairs()
                        .isDenied(each, facts.host().orElseThrow()))
                .isPresent())
        .findFirst();
  }

  /** The alert for which a machine is verified is repaired before its other alerts. */
  private static boolean isBeside(NeededRepairs.Needed needed, CauseFacts facts) {
    return facts.recorded().flatMap(Disruption::commitment).isPresent()
        && isBeingVerified(facts)
        && facts
            .recordedCauses()
            .noneMatch(cause ->
                cause.what().isAlertVerification()
                    && cause.what().reference().equals(needed.alert()));
  }

  private static boolean isBeingVerified(CauseFacts facts) {
    return facts.recordedCauses().anyMatch(cause -> cause.what().isAlertVerification());
  }

  /** Whether the grades of alerts are not known: nothing begins, and nothing is taken back. */
  private static boolean isUngraded(CauseFacts facts) {
    return facts.seen().filter(seen -> seen.health().isUngraded()).isPresent();
  }

  private static boolean isAllowed(CauseFacts facts) {
    return facts.node().flatMap(node -> allowed(node, facts.pool())).isPresent();
  }

  /** The repairs that are recorded, of one kind. */
  private static Stream<Disruption.Cause> recorded(CauseFacts facts, boolean leaves) {
    return facts
        .recordedCauses()
        .filter(cause -> cause.what().isRepair() && cause.leaves() == leaves);
  }

  /** Whether it is a repair for this alert. */
  static boolean isFor(Disruption.Cause cause, String alert) {
    return cause.what().repaired().filter(repair -> repair.alert().equals(alert)).isPresent();
  }

  /**
   * A machine that was kept for inspection leaves, even if a client took the record off its Node.
   */
  private static Optional<Disruption.Cause> ofPreserved(CauseFacts facts) {
    return facts
        .host()
        .flatMap(Host::preserved)
        .filter(kept -> !kept.alert().isEmpty())
        .map(kept ->
            recorded(facts, true)
                .findFirst()
                .orElseGet(() ->
                    new RepairCause(kept.alert(), Grade.OUT_WHEN_IDLE, false).at(facts.now())));
  }

  @Override
  public CauseKind kind() {
    return grade.takesOut() ? OUT : BOOT;
  }

  @Override
  public Optional<Repaired> repaired() {
    return Optional.of(new Repaired(alert, grade, overridesEviction));
  }

  @Override
  public String reference() {
    return alert + "/" + grade.word() + (overridesEviction ? OVERRIDES : "");
  }

  @Override
  public String text() {
    return "its machine has the alert " + alert;
  }

  @Override
  public String cordonReason() {
    return leaves() ? alert : alert + PENDING;
  }

  @Override
  public Optional<LifecycleState> state() {
    return boot(grade)
        .map(kind -> kind == BootKind.REBOOT ? LifecycleState.REBOOT : LifecycleState.POWER_RESET);
  }

  /** How a machine is booted for this grade; empty if it is not. */
  private static Optional<BootKind> boot(Grade grade) {
    return switch (grade) {
      case RESET_HOST_WHEN_IDLE -> Optional.of(BootKind.HOST_RESET);
      case RESET_HOST_AND_DPU_WHEN_IDLE -> Optional.of(BootKind.HOST_AND_DPU_RESET);
      case REBOOT_WHEN_IDLE, REBOOT_NOW -> Optional.of(BootKind.REBOOT);
      case NONE, WATCH, MANUAL, RACK_INVESTIGATION, REPAIR_DPU, OUT_WHEN_IDLE, OUT_NOW ->
          Optional.empty();
    };
  }

  /** Whether the repair ends work on a Node of this pool. */
  public boolean interrupts(Optional<Pool> pool) {
    boolean isProtected =
        pool.map(each -> each.spec().lifecycle().disableUnhealthyNodeEviction()).orElse(true);
    return !isProtected || repaired().orElseThrow().endsProtectedWork();
  }

  /**
   * A repair that does not wait ignores budgets once the cordon has settled; a repair that may
   * interrupt work because the pool permits that has the drain's deadline. No repair sets an
   * instant at which the machine stops whatever Pods are left.
   */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    boolean endsWork =
        !awaits(facts) || permission(facts).filter(RepairState.Admitted::endsWork).isPresent();
    return Demand.of(
        window(at, facts, endsWork),
        boot(grade)
            .<DisruptionEnding>map(DisruptionEnding.Reboot::new)
            .orElseGet(DisruptionEnding.Leave::new));
  }

  /**
   * When the Node may be touched for this.
   *
   * @param endsWork whether its work may be ended now, if its pool and the grade allow that
   */
  Demand.Window window(Instant at, CauseFacts facts, boolean endsWork) {
    Demand.Window window = facts.whenIdle();
    if (endsWork && interrupts(facts.pool())) {
      window = window.withInterruptAt(at);
      window = grade.isNow() ? window.withForceAt(at) : window;
    }
    return window;
  }

  /** A Node whose work is not ended stays cordoned until its work ends. */
  @Override
  public boolean endsWhenBusy(Instant at, CauseFacts facts) {
    return false;
  }

  /**
   * A repair begins only once the pool's plan permits this disruption, and while its ground exists.
   * A repair that is carried out needs only its ground, until the last Pod is gone.
   */
  @Override
  public boolean isHeld(CauseFacts facts) {
    if (!awaits(facts)) {
      return false;
    }
    return (permission(facts).isEmpty() && !isPreserved(facts))
        || isUngraded(facts)
        || takenBack(facts) != TakenBack.NO;
  }

  private static boolean isPreserved(CauseFacts facts) {
    return facts.host().flatMap(Host::preserved).isPresent();
  }

  /**
   * The ground is that the alert is active, as strong as it was, and that the pool acts on it and
   * on this Node. While its signals are off, or its pool cannot be read, the ground is not known.
   */
  @Override
  public TakenBack takenBack(CauseFacts facts) {
    boolean isProved = facts.host().filter(host -> host.isProvedFaulty(alert)).isPresent();
    return isPreserved(facts)
        ? TakenBack.NO
        : takenBack(
            alert,
            facts,
            isProved,
            each ->
                (each.grade().isNow() || !grade.isNow())
                    && (each.overridesEviction() || !overridesEviction));
  }

  /**
   * A verification for an alert has the ground of the repair, except that a probe goes on although
   * the alert is in doubt.
   */
  static TakenBack verified(String alert, CauseFacts facts) {
    return takenBack(alert, facts, isProbe(alert, facts), _ -> true);
  }

  /**
   * Whether the ground of what is done for an alert is gone.
   *
   * @param goesOn whether this goes on although the alert is in doubt
   * @param asks whether the alert still asks for something as strong
   */
  private static TakenBack takenBack(
      String alert, CauseFacts facts, boolean goesOn, Predicate<NeededRepairs.Needed> asks) {
    if (facts.seen().isEmpty()) {
      return TakenBack.NO;
    }
    if (facts.pool().isEmpty() || isUngraded(facts)) {
      return TakenBack.ASKED;
    }
    return acting(facts.node().orElseThrow(), facts.pool())
        .filter(pool -> goesOn || !pool.repairs().isStopped(alert))
        .flatMap(_ -> NeededRepairs.of(facts.seen().orElseThrow().health()).find(alert))
        .filter(asks)
        .map(each -> each.stands() ? TakenBack.NO : TakenBack.ASKED)
        .orElse(TakenBack.YES);
  }

  /** Whether this disruption ends work to learn whether the alert is true. */
  private static boolean isProbe(String alert, CauseFacts facts) {
    return facts.host().stream()
        .flatMap(host -> host.past().stream())
        .filter(each -> each.probe() && each.alert().equals(alert))
        .anyMatch(each ->
            facts.recorded().filter(active -> !each.at().isBefore(active.since())).isPresent());
  }

  /** Whether the repair is not carried out yet. */
  private boolean awaits(CauseFacts facts) {
    return facts.recorded().filter(active -> !active.awaits(at(facts.now()))).isEmpty();
  }

  /** The pool's permission to carry this out, by itself or with others of its rack. */
  private Optional<RepairState.Admitted> permission(CauseFacts facts) {
    return RepairPermission.of(facts, alert, grade.takesOut(), false);
  }

  private static boolean hasPassed(CauseFacts facts) {
    return facts.host().flatMap(Host::alertVerified).orElse(false);
  }

  @Override
  public Optional<String> keptText(Instant at, CauseFacts facts) {
    return Optional.of("It stays if the alert ends before it is drained.");
  }

  @Override
  public String withdrawnText(CauseFacts facts) {
    boolean isKept =
        takenBack(facts) != TakenBack.YES && !interrupts(facts.pool()) && !awaits(facts);
    return withdrawnText(alert, facts, isKept);
  }

  /**
   * Why nothing is done for an alert any more.
   *
   * @param isKept whether only the work on the Node prevents it
   */
  static String withdrawnText(String alert, CauseFacts facts, boolean isKept) {
    Pool pool = facts.pool().orElse(null);
    if (pool == null) {
      return "its pool is gone";
    }
    if (pool.isTerminating()) {
      return "its pool is being deleted";
    }
    RepairState repairs = pool.repairs();
    if (repairs.isFalseAlarm(alert)) {
      return "its alert is a false alarm";
    }
    if (repairs.suspect(alert).isPresent() && hasPassed(facts)) {
      return "it passed the verification for its alert";
    }
    if (!pool.spec().repair().isRepairing()) {
      return "its pool only observes alerts";
    }
    if (facts.node().filter(Node::refusesRepair).isPresent()) {
      return "a user keeps its machine from being repaired";
    }
    boolean isStopped =
        repairs.isStopped(alert)
            && !facts.host().filter(host -> host.isProvedFaulty(alert)).isPresent();
    if (isStopped && facts.seen().flatMap(seen -> needed(seen).find(alert)).isPresent()) {
      return "its alert is in doubt";
    }
    if (isKept) {
      return "its pool protects its work";
    }
    Optional<Health> health = facts.seen().map(MachineSnapshot::health);
    Optional<NeededRepairs.Needed> asked =
        health
            .flatMap(each -> NeededRepairs.of(each).find(alert))
            .filter(each -> each.grade() != Grade.REPAIR_DPU);
    if (asked.isPresent()) {
      return asked.get().stands()
          ? "the fleet does not offer the boot that its alert asks for"
          : "its alert is off or stale";
    }
    if (health.flatMap(each -> each.find(alert)).isEmpty()) {
      return "its alert ended";
    }
    return health.flatMap(each -> each.causeOf(alert)).isPresent()
        ? "its alert is a symptom of another one"
        : "the alert catalogue asks for no such repair";
  }
}
