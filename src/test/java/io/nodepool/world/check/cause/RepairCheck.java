package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import io.nodepool.world.check.truth.Wording;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Machines are repaired, because someone reports alerts about them. */
final class RepairCheck implements CauseCheck {
  private static final AlertCatalogue CATALOGUE = AlertCatalogue.shipped();

  /** How long an alert is shown after its signals ended, and what a restart adds to it. */
  private static final Duration SHOWN = Duration.ofMinutes(25);

  /** How long a signal must be off to be over. */
  private static final Duration CLEAR = Duration.ofMinutes(10);

  /** How long the drain of a machine may take that is verified. */
  private static final Duration PROBED = Duration.ofHours(2);

  /** So late its pool's permission may be used, when the alert is in doubt meanwhile. */
  private static final Duration PERMITTED = Duration.ofMinutes(2);

  private static final Duration EVER = Duration.ofDays(365_000);

  /** The repairs of a machine after which it is taken out of service. */
  private static final int MOST_BOOTS = 3;

  @Override
  public Map<String, Predicate<Moment>> holds() {
    Map<String, Predicate<Moment>> holds = new HashMap<>();
    holds.put(
        "its machine is to be repaired by a boot",
        moment -> isReported(moment, RepairCheck::boots));
    holds.put("its machine is taken out of service", moment -> isReported(moment, _ -> true));
    CATALOGUE
        .all()
        .forEach(alert ->
            holds.put(
                "its machine has the alert " + alert.name(),
                moment -> isReported(moment, each -> each.name().equals(alert.name()))));
    return holds;
  }

  private static boolean isReported(Moment moment, Predicate<Alert> which) {
    // What is committed goes on when the alert has ended.
    return isReported(moment.chronicle(), moment.name(), Instant.MIN, which);
  }

  @Override
  public Map<EventReason, List<Wording>> events() {
    return PreservedTexts.EVENTS;
  }

  @Override
  public Map<String, BiPredicate<TextForm.Statement, Moment>> keeps() {
    return Map.of(
        "the alert ends before it is drained", (_, moment) -> isReported(moment, _ -> true));
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    Map<String, BiPredicate<String, Moment>> ends = new HashMap<>();
    ends.put("its alert ended", (_, moment) -> !stoodAlways(moment));
    ends.put(
        "its alert is off or stale", (_, moment) -> !stoodAlways(moment) || !isHeardOf(moment));
    ends.put(
        "it passed the verification for its alert",
        (_, moment) -> moment.wasVerified(moment.name(), true));
    ends.put(
        "the fleet does not offer the boot that its alert asks for",
        (_, moment) -> isAnyRepaired(moment, alert -> isNotOffered(alert, moment)));
    ends.put(
        "its alert is a symptom of another one",
        (_, moment) -> isAnyRepaired(moment, alert -> isSymptom(alert, moment)));
    ends.put(
        "the alert catalogue asks for no such repair",
        (_, moment) ->
            isAnyRepaired(
                moment,
                alert ->
                    moment.chronicle().alerts().ever(moment.since(), all -> !repairs(all, alert))));
    ends.put(
        "its alert is a false alarm",
        (_, moment) ->
            moment.chronicle().hostNames().stream()
                .anyMatch(name -> moment.wasVerified(name, true)));
    ends.put(
        "its pool is gone",
        (pool, moment) -> moment.chronicle().pool(pool).ever(moment.since(), Optional::isEmpty));
    ends.put(
        "its alert is in doubt",
        (pool, moment) ->
            Causes.is(pool, moment, each -> !each.status().repairs().suspects().isEmpty()));
    ends.put(
        "its pool protects its work",
        (pool, moment) ->
            Causes.is(
                pool, moment, each -> each.spec().lifecycle().disableUnhealthyNodeEviction()));
    ends.put(
        "its pool only observes alerts",
        (pool, moment) -> Causes.is(pool, moment, each -> !each.spec().repair().isRepairing()));
    ends.put(
        "a user keeps its machine from being repaired",
        (_, moment) -> moment.node(Node::refusesRepair));
    return ends;
  }

  /** Whether this is so of an alert for which the Node was last to be repaired. */
  private static boolean isAnyRepaired(Moment moment, Predicate<String> is) {
    return lastRepaired(moment).stream().anyMatch(is);
  }

  private static boolean repairs(AlertCatalogue catalogue, String name) {
    Alert alert = catalogue.alert(name);
    return (boots(alert) || takesOut(alert)) && alert.subject().isOfOneHost();
  }

  /** Whether its fleet did not offer the boot that an alert asks for, as the catalogue was. */
  private static boolean isNotOffered(String name, Moment moment) {
    return moment
        .chronicle()
        .alerts()
        .ever(
            moment.since(),
            all ->
                moment
                    .chronicle()
                    .offer()
                    .was(
                        moment.since(),
                        offer -> !offer.capabilities().offers(boot(all.alert(name).grade()))));
  }

  private static BootKind boot(Grade grade) {
    return switch (grade) {
      case RESET_HOST_WHEN_IDLE -> BootKind.HOST_RESET;
      case RESET_HOST_AND_DPU_WHEN_IDLE -> BootKind.HOST_AND_DPU_RESET;
      case REBOOT_WHEN_IDLE, REBOOT_NOW -> BootKind.REBOOT;
      case NONE, WATCH, MANUAL, RACK_INVESTIGATION, REPAIR_DPU, OUT_WHEN_IDLE, OUT_NOW ->
          BootKind.POWER_RESET;
    };
  }

  private static boolean isSymptom(String name, Moment moment) {
    return moment.chronicle().hostNames().stream()
        .anyMatch(host ->
            isReported(
                moment.chronicle(),
                host,
                moment.since().minus(SHOWN),
                alert -> CATALOGUE.alert(name).symptomOf().contains(alert.name())));
  }

  private static List<String> lastRepaired(Moment moment) {
    return moment
        .node()
        .all(moment.since().minus(CLEAR))
        .map(RepairCheck::repaired)
        .filter(repaired -> !repaired.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  /**
   * Whether the alert for which the Node was last to be repaired stood for all the time that a
   * signal must be off to be over, and the machine was on one boot meanwhile.
   */
  private static boolean stoodAlways(Moment moment) {
    Instant from = moment.since().minus(CLEAR);
    List<String> alerts = lastRepaired(moment);
    boolean booted = moment.host().wasNot(from.minus(SHOWN), RepairCheck::isRunning);
    return !booted
        && moment.chronicle().signals(moment.name()).since(from).stream()
            .allMatch(signals ->
                signals.stream()
                    .anyMatch(each -> each.stands() && alerts.contains(alert(each).name())));
  }

  /** Whether its alerts stood by the word of a source that need not be heard of. */
  private static boolean isHeardOf(Moment moment) {
    List<String> alerts = lastRepaired(moment);
    return moment.chronicle().signals(moment.name()).since(moment.since().minus(SHOWN)).stream()
        .flatMap(List::stream)
        .anyMatch(each ->
            each.stands() && alerts.contains(alert(each).name()) && each.reported().isEmpty());
  }

  private static List<String> repaired(Node node) {
    return node.disruption().flatMap(Disruption::active).stream()
        .flatMap(active -> active.causes().stream())
        .flatMap(cause -> cause.what().repaired().stream())
        .map(DisruptionCause.Repaired::alert)
        .toList();
  }

  private static boolean isRunning(Host host) {
    return host.is(HostPhase.RUNNING) && !host.isRebooting();
  }

  private static Alert alert(Signal signal) {
    return CATALOGUE.alert(signal.name());
  }

  private static boolean boots(Alert alert) {
    return alert.grade().boots();
  }

  private static boolean takesOut(Alert alert) {
    return alert.grade().takesOut();
  }

  /** Whether anyone reported such an alert about a machine since then. */
  static boolean isReported(
      Chronicle chronicle, String name, Instant from, Predicate<Alert> which) {
    List<AlertCatalogue> read = chronicle.alerts().since(from);
    return chronicle.wasReported(
            name, from, each -> read.stream().anyMatch(all -> which.test(all.alert(each.name()))))
        || chronicle.node(name).was(from, each -> isConditioned(each, which));
  }

  /** Whether others say so by a condition of the Node, or it is not Ready. */
  private static boolean isConditioned(Node node, Predicate<Alert> which) {
    boolean notReady = !node.ready() && which.test(CATALOGUE.alert("KubeNodeNotReadyHGX"));
    return notReady
        || node.alerts().others().keySet().stream()
            .anyMatch(type -> CATALOGUE.ofNodeCondition(type).filter(which).isPresent());
  }

  private static boolean isReported(LeavingNode leaving, Instant from, Predicate<Alert> which) {
    return isReported(leaving.chronicle(), leaving.node().name(), from, which);
  }

  @Override
  public boolean demands(LeavingNode leaving) {
    return isReported(leaving, leaving.demanded(), alert -> takesOut(leaving, alert));
  }

  private static boolean takesOut(LeavingNode leaving, Alert alert) {
    return takesOut(alert)
        || (boots(alert) && wasBootedOften(leaving))
        || leaving.host(leaving.since(), host -> wasRepairedOften(host, alert));
  }

  private static boolean wasRepairedOften(Host host, Alert alert) {
    return host.repair(alert.name()).filter(last -> last.attempt() >= MOST_BOOTS).isPresent();
  }

  private static boolean wasBootedOften(LeavingNode leaving) {
    return leaving.host(leaving.since(), RepairCheck::wasBootedOften);
  }

  private static boolean wasBootedOften(Host host) {
    return host.boot().filter(last -> last.repairs(EVER, Instant.EPOCH) >= MOST_BOOTS).isPresent();
  }

  @Override
  public boolean followsStrategy() {
    return false;
  }

  @Override
  public Stream<Consent> consents(LeavingNode leaving) {
    return consents(leaving, alert -> takesOut(leaving, alert) || boots(alert));
  }

  @Override
  public boolean demandsReboot(LeavingNode leaving) {
    return isReported(leaving, leaving.demanded(), RepairCheck::boots);
  }

  @Override
  public Stream<Consent> rebootConsents(LeavingNode leaving) {
    return consents(leaving, RepairCheck::boots);
  }

  /**
   * What overrides eviction asks no budget; else the pool has to allow that work ends, and budgets
   * are asked unless the grade does not wait. All of it only while the pool acts on the alert and
   * on this Node, until its machine is kept for inspection.
   */
  private static Stream<Consent> consents(LeavingNode leaving, Predicate<Alert> asked) {
    Instant from = leaving.since();
    if (leaving.host(from, host -> host.preserved().isPresent())) {
      return Stream.of(new Consent(Consent.Term.LASTS, Instant.MIN));
    }
    if (!leaving.chronicle().node(leaving.node().name()).was(from, each -> !each.refusesRepair())) {
      return Stream.empty();
    }
    Predicate<Alert> which = asked.and(alert -> isActedOn(leaving, alert));
    if (isReported(leaving, from, which.and(Alert::overridesEviction))) {
      return Stream.of(new Consent(Consent.Term.ASKED, Instant.MIN));
    }
    boolean allowed =
        leaving.pool(
            from,
            pool ->
                pool.filter(each -> !each.spec().lifecycle().disableUnhealthyNodeEviction())
                    .isPresent());
    if (!allowed || !isReported(leaving, from, which)) {
      return Stream.empty();
    }
    boolean now = isReported(leaving, from, which.and(alert -> alert.grade().isNow()));
    return Stream.of(new Consent(Consent.Term.ASKED, now ? Instant.MIN : Instant.MAX));
  }

  /** Whether the pool acted on an alert at any time since the operator may have decided. */
  private static boolean isActedOn(LeavingNode leaving, Alert alert) {
    boolean isExcepted =
        leaving.host(leaving.since(), host -> host.isProvedFaulty(alert.name()))
            || leaving.pool(
                leaving.since().minus(PROBED),
                pool -> pool.filter(each -> isProbe(each, leaving, alert)).isPresent());
    return leaving.pool(
        leaving.since(),
        pool ->
            pool.filter(each ->
                    each.spec().repair().isRepairing()
                        && (isExcepted || !each.status().repairs().isStopped(alert.name())))
                .isPresent());
  }

  /**
   * Whether the pool named this machine as the one that is verified since the alert is in doubt:
   * permitted then, or drained for a verification when the doubt began.
   */
  private static boolean isProbe(Pool pool, LeavingNode leaving, Alert alert) {
    RepairState repairs = pool.status().repairs();
    return repairs
        .admitted()
        .filter(each -> each.verifies() && each.hostUid().equals(leaving.node().hostUid()))
        .filter(each -> each.alert().equals(alert.name()))
        .filter(each ->
            repairs
                .suspect(alert.name())
                .filter(suspect ->
                    !each.at().plus(PERMITTED).isBefore(suspect.since())
                        || leaving
                            .chronicle()
                            .node(leaving.node().name())
                            .was(suspect.since(), node -> isCommitted(node, each.sequence())))
                .isPresent())
        .isPresent();
  }

  private static boolean isCommitted(Node node, int sequence) {
    return node.disruption()
        .filter(Disruption.Committed.class::isInstance)
        .filter(committed -> committed.sequence() == sequence)
        .isPresent();
  }
}
