package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PastRepair;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Predicate;

/** The texts about alerts, each with its check: someone reported what they say. */
final class HealthWordings {
  /** How long an alert is shown after its signals ended, and what a restart adds to it. */
  private static final Duration SHOWN = Duration.ofMinutes(25);

  /** An alert ends once it was off for this time, and the pool was planned. */
  private static final Duration CLEARS = Duration.ofMinutes(11);

  private HealthWordings() {}

  private static final String REPORT = "Grade {grade*}, reported by {source*} about {component*}";

  private static final String MORE =
      "[ and by {others#other signal}][, stale: no heartbeat of {silent*} since {heard}]";
  private static final String SYMPTOM = ", a symptom of {cause*} on {machine*}";

  /** The condition of an alert; its type is the alert's name. */
  static final List<Wording> STANDS = said("", HealthWordings::condition);

  static final List<Wording> TRIGGERED =
      said("Node {node} has the alert {alert*} since {at}. ", HealthWordings::event);

  private static List<Wording> said(String before, Check truth) {
    Check symptom = truth.and(HealthWordings::symptom);
    return List.of(
        Wording.ofNode(before + REPORT + MORE + SYMPTOM + ": {text*}", symptom),
        Wording.ofNode(before + REPORT + MORE + SYMPTOM + ".", symptom),
        Wording.ofNode(before + REPORT + MORE + ": {text*}", truth),
        Wording.ofNode(before + REPORT + MORE + ".", truth));
  }

  /** Its cause was reported about that machine, which is this one or of its NVLink domain. */
  private static void symptom(TextForm.Statement read, Moment moment) {
    String machine = read.word("machine");
    String domain = domain(moment.name(), moment);
    moment.require(
        STATE,
        machine.equals(moment.name())
            || (!domain.isEmpty() && domain.equals(domain(machine, moment))),
        "the cause is in the NVLink domain");
    moment.require(
        STATE,
        moment
            .chronicle()
            .signals(machine)
            .ever(
                moment.since().minus(SHOWN),
                signals ->
                    signals.stream()
                        .anyMatch(each -> each.stands() && each.name().equals(read.word("cause")))),
        "the cause was reported");
  }

  private static String domain(String name, Moment moment) {
    return moment
        .chronicle()
        .host(name)
        .latest()
        .map(host -> host.machine().interconnect().nvlinkDomain())
        .orElse("");
  }

  static final Wording ENDED =
      Wording.ofNode(
          "Node {node} no longer has the alert {alert*}.",
          Check.node(
              (read, node) -> node.alerts().published().containsKey(read.word("alert")),
              "the Node showed the alert"));

  static final Wording RACK_TRIGGERED =
      Wording.ofPool(
          "Rack {rack*} has the alert {alert*} since {at}: a person has to act.",
          Check.that(
              STATE,
              (read, moment) ->
                  moment.chronicle().hostNames().stream()
                      .anyMatch(host ->
                          isIn(host, read.word("rack"), moment) && isOutOfProduction(host, moment)),
              "a machine of the rack is not in production"));

  static final Wording RACK_ENDED =
      Wording.ofPool(
          "Rack {rack*} has the alert {alert*} no more, or no machine of the NodePool.",
          Check.that(
              STATE,
              (read, moment) ->
                  moment.chronicle().hostNames().stream()
                      .anyMatch(host -> isIn(host, read.word("rack"), moment)),
              "there is the rack"));

  private static boolean isIn(String host, String rack, Moment moment) {
    return moment.host(host, each -> each.machine().rack().equals(rack));
  }

  private static boolean isOutOfProduction(String host, Moment moment) {
    return moment.noNode(host)
        || moment.node(
            host,
            node ->
                !node.registered()
                    || !node.metadata()
                        .label(NodeLabels.STATE)
                        .equals(LifecycleState.PRODUCTION.word()));
  }

  /** On this many machines or fewer no alert is in doubt because of their number. */
  private static final int SUSPECT_COUNT = 4;

  private static final Check CANNOT_VERIFY =
      Check.that(
          STATE,
          (_, moment) ->
              moment
                  .chronicle()
                  .offer()
                  .was(moment.since().minus(SHOWN), offer -> !offer.capabilities().verifies()),
          "the fleet does not verify");

  private static final Check SILENT =
      Check.that(
          STATE,
          (read, moment) ->
              moment.chronicle().hostNames().stream()
                      .filter(name -> isOwnOf(name, read.word("alert"), moment))
                      .count()
                  > SUSPECT_COUNT,
          "so many are not Ready");

  static final List<Wording> SUSPECTED =
      List.of(
          Wording.ofPool(
              "{alert*} stands on so many Nodes that it is in doubt: a machine is verified before any is repaired for it.",
              Check.that(
                  STATE,
                  (read, moment) -> isOnMore(read.word("alert"), SUSPECT_COUNT, moment),
                  "it was reported about so many machines, or these were set aside for it")),
          Wording.ofPool(
              "{alert*} is in doubt: work on so many Nodes was ended for it within 24 hours that a machine is verified before another one is repaired for it.",
              Check.that(
                  STATE,
                  (read, moment) -> isOnMore(read.word("alert"), 0, moment),
                  "a machine was repaired for it")),
          Wording.ofPool(
              "{alert*} is a false alarm: {nodes#Node} ({names~nodes}) with it passed the verification. For 24 hours only a machine that does not pass is repaired for it.",
              (read, moment) -> areVerified(read, moment, true)),
          Wording.ofPool(
              "{alert*} is genuine: {nodes#Node} ({names~nodes}) with it did not pass the verification. Machines are verified and repaired for it.",
              (read, moment) -> areVerified(read, moment, false)),
          Wording.ofPool(
              "{alert*} is held: it is in doubt, and the fleet does not verify machines. No[ other] machine is repaired for it until a person releases it.",
              Check.that(
                      STATE, (read, moment) -> isOnMore(read.word("alert"), 0, moment), "it stood")
                  .and(CANNOT_VERIFY)),
          Wording.ofPool(
              "{alert*} is held: it is in doubt, and {nodes#Node} ({names~nodes}) did not answer the verification. No[ other] machine is repaired for it until a person releases it.",
              Check.that(
                  STATE, (read, moment) -> isOnMore(read.word("alert"), 0, moment), "it stood")),
          Wording.ofPool(
              "{alert*} is held: so many Nodes are not Ready although their machines run that the network may be at fault. None is rebooted for it until fewer are, or a person releases it.",
              SILENT));

  /** Whether it was reported about more machines than this, or they were set aside for it. */
  private static boolean isOnMore(String alert, int than, Moment moment) {
    // The first operator after an outage counts the time for which an alert is off from its start.
    boolean isAfterOutage = moment.chronicle().leaderships().isHeld(moment.since().minus(CLEARS));
    Instant from = isAfterOutage ? Instant.MIN : moment.since().minus(SHOWN);
    return moment.chronicle().hostNames().stream()
            .filter(name ->
                moment.chronicle().stood(name, from, each -> each.name().equals(alert))
                    || isOwnOf(name, alert, moment)
                    || moment
                        .chronicle()
                        .host(name)
                        .latest()
                        .filter(host ->
                            host.past().stream().anyMatch(each -> each.alert().equals(alert)))
                        .isPresent())
            .count()
        > than;
  }

  /** Whether the operator ever saw the alert on this Node: verifications take their time. */
  static boolean wasOwnOf(String name, String alert, Moment moment) {
    return moment.chronicle().node(name).was(Instant.MIN, node -> isOwn(alert, node));
  }

  private static boolean isOwnOf(String name, String alert, Moment moment) {
    return moment
        .chronicle()
        .node(name)
        .was(moment.since().minus(SHOWN), node -> isOwn(alert, node));
  }

  /** The alert that the text names is reported about the Node's machine. */
  static final Check REPORTED =
      Check.that(
          STATE,
          (read, moment) -> isReportedOf(moment.name(), read.word("alert"), moment),
          "the alert is reported");

  static final Wording COMPONENT =
      Wording.ofNode(
          "Node {node} has the alert {alert*}: its fleet is asked to repair {part*}, attempt {attempt#}.",
          REPORTED
              .and(
                  Check.that(
                      STATE,
                      (read, _) -> alert(read).grade() == Grade.REPAIR_DPU,
                      "it asks for that"))
              .and(
                  Check.that(
                      COUNT,
                      (read, moment) ->
                          read.number("attempt") == 1 || moment.host(host -> wasTried(host, read)),
                      "the attempts before were requested")));

  private static boolean wasTried(Host host, TextForm.Statement read) {
    return host.repair(read.word("alert"))
        .filter(last -> last.attempt() + 1 >= read.number("attempt"))
        .isPresent();
  }

  private static Alert alert(TextForm.Statement read) {
    return AlertCatalogue.shipped().alert(read.word("alert"));
  }

  private static void areVerified(TextForm.Statement read, Moment moment, boolean passed) {
    List<String> names = read.names("names");
    moment.require(STATE, names.size() == read.number("nodes"), "so many have these names");
    moment.require(
        STATE,
        names.stream()
            .allMatch(name ->
                wasReportedOf(name, read.word("alert"), moment)
                    && moment.wasVerified(name, passed)),
        "the alert was reported about them, and this is what their verification showed");
  }

  /** What holds repairs. */
  static List<Wording> held(RepairsHeldReason reason) {
    return switch (reason) {
      case ALERT_SUSPECTED ->
          List.of(
              Wording.ofPool(
                  "{alert*} is in doubt; a machine is verified before anything is done for it{how*}.[ {more*}]",
                  Check.that(
                      STATE,
                      (read, moment) -> isOnMore(read.word("alert"), 0, moment),
                      "it was reported, or machines were set aside for it")),
              Wording.ofPool(
                  "{alert*} is a false alarm, since {nodes#Node} ({names~nodes}) passed the verification; nothing is done for it until {until}.[ {more*}]",
                  Check.that(
                      STATE,
                      (read, moment) -> isOnMore(read.word("alert"), -1, moment),
                      "it was reported, or machines were set aside for it")),
              Wording.ofPool(
                  "{alert*} is in doubt, and {why*}; nothing[ else] is done for it until a person releases it.[ {more*}]",
                  Check.that(
                      STATE,
                      (read, moment) -> isOnMore(read.word("alert"), -1, moment),
                      "it was reported, or machines were set aside for it")),
              Wording.ofPool(
                  "{alert*} may be in doubt, and so many other alerts are that there is no place for it; no machine is repaired for it until one of these has ended.",
                  Check.that(
                      STATE,
                      (read, moment) -> isOnMore(read.word("alert"), 0, moment),
                      "it was reported, or machines were set aside for it")),
              Wording.ofPool(
                  "So many Nodes are not Ready although their machines run that the network may be at fault; none is rebooted for {alert*} until fewer are, or a person releases it.[ {more*}]",
                  SILENT));
      case TOO_MUCH_WORK_ENDED ->
          List.of(
              Wording.ofPool(
                  "The work of so many Nodes of the NodePool was ended for {alert*} within 24 hours without a failed verification that only idle ones are repaired[ for it] until that is longer ago, or a person releases it.[ {more*}]",
                  Check.that(
                      STATE,
                      (read, moment) ->
                          read.word("alert").equals("alerts")
                              ? pastRepairs(moment, PastRepair::endedWork) >= 3
                              : pastRepairs(
                                      moment,
                                      past ->
                                          past.endedWork()
                                              && past.alert().equals(read.word("alert")))
                                  >= 2,
                      "so much work was ended")));
      case TOO_MANY_SET_ASIDE ->
          List.of(
              setAside(
                  "Hosts of the NodePool set aside for alerts within 24 hours{proof*}: {hosts#} of at most {most#}. No other one is until that is longer ago, or a person releases it.[ {more*}]"),
              setAside(
                  "Hosts of type {type*} in zone {zone*} set aside for alerts within 24 hours{proof*}, or being repaired in other NodePools: {hosts#} of at most {most#}. No other one is until that is longer ago, or a person releases it.[ {more*}]"));
      case WRITE_REFUSED ->
          List.of(
              Wording.ofPool(
                  "Writes for Node {node*} fail: {why*}",
                  Check.that(
                      STATE,
                      (read, moment) -> moment.chronicle().hostNames().contains(read.word("node")),
                      "the Node exists")));
      case SIGNALS_STALE ->
          List.of(
              Wording.ofPool(
                  "{alert*} is stale: its source {source*} has not confirmed it. No repair begins for it until that does.",
                  Check.that(
                      STATE,
                      (read, moment) -> isStale(read.word("alert"), read.word("source"), moment),
                      "the source of the alert is silent")));
      case TOO_MANY_UNAVAILABLE ->
          List.of(
              Wording.ofPool(
                  "Unavailable, for whatever cause: {count#} of at most {most#}; no other Node is cordoned.",
                  Check.that(
                      COUNT,
                      (read, moment) -> read.number("count") >= read.number("most"),
                      "there is no room")));
      case MACHINE_HELD ->
          List.of(
              Wording.ofPool(
                  "Nothing begins on the machine of Node {node*}: {why*}.",
                  Check.that(
                      STATE,
                      (read, moment) -> moment.isHeld(read.word("node"), read.word("why")),
                      "that held its machine")));
      case FLEET_UNKNOWN ->
          List.of(
              Wording.ofPool(
                  "The fleet cannot be reached.",
                  Check.that(
                      STATE, (_, moment) -> moment.noOffer(), "the fleet cannot be reached")));
      case UNWATCHED ->
          List.of(
              Wording.ofPool(
                  "No operator watched for a while; no repair begins until {until}.",
                  Check.that(
                      STATE,
                      (_, moment) ->
                          moment.chronicle().leaderships().isHeld(moment.since())
                              || moment.chronicle().leaderships().isHeld(moment.chronicle().now()),
                      "no operator led")));
      case CATALOGUE_UNREADABLE ->
          List.of(
              Wording.ofPool(
                  "No machine is repaired, since the changes of the alert catalogue could not be read since the operator started; correct or delete the ConfigMap nodepool-alerts. {why*}",
                  Check.that(
                      STATE,
                      (_, moment) ->
                          moment
                              .chronicle()
                              .garbledAlerts()
                              .ever(moment.since(), Boolean::booleanValue),
                      "the catalogue cannot be read")));
      case NOT_OFFERED ->
          List.of(
              reported("The fleet does not offer the boot that the alert {alert*} asks for.", 1),
              reported(
                  "The fleet does not repair components, which the alert {alert*} asks for.", 1));
      case ONLY_OBSERVED ->
          List.of(
              Wording.ofPool(
                  "The NodePool only observes alerts (annotation nodepool.io/repair).",
                  Check.pool(
                      pool -> !pool.spec().repair().isRepairing(), "the pool only observes")),
              Wording.ofPool(
                  "Annotation {key}: {why*} Until that is corrected, the NodePool only observes alerts.",
                  Check.pool(
                      pool -> pool.spec().repair().limits().problem().isPresent(),
                      "an annotation is wrong")));
    };
  }

  private static Wording setAside(String text) {
    return Wording.ofPool(
        text,
        Check.that(
            COUNT,
            (read, moment) ->
                read.number("hosts") >= read.number("most")
                    && (read.has("type")
                        || pastRepairs(moment, PastRepair::out) >= read.number("hosts")),
            "so many were set aside"));
  }

  /** How many Hosts have such a record of what was done to them. */
  private static long pastRepairs(Moment moment, Predicate<PastRepair> which) {
    return moment.chronicle().hostNames().stream()
        .filter(name ->
            moment
                .chronicle()
                .host(name)
                .was(moment.since(), host -> host.past().stream().anyMatch(which)))
        .count();
  }

  /** Whether a source that has died, or has no heartbeat, reports this alert about any machine. */
  private static boolean isStale(String alert, String source, Moment moment) {
    return moment.chronicle().hostNames().stream()
        .anyMatch(name ->
            moment
                .chronicle()
                .signals(name)
                .ever(
                    moment.since().minus(SHOWN),
                    signals ->
                        has(
                            signals.stream().filter(each -> each.reported().isPresent()).toList(),
                            alert,
                            source)));
  }

  /** A text about an alert that is reported about so many machines. */
  private static Wording reported(String text, int machines) {
    return Wording.ofPool(
        text,
        Check.that(
            STATE,
            (read, moment) -> isReported(read.word("alert"), machines, moment),
            "the alert is reported about so many machines"));
  }

  private static boolean isReported(String alert, int machines, Moment moment) {
    return moment.chronicle().hostNames().stream()
            .filter(name -> isReportedOf(name, alert, moment))
            .count()
        >= machines;
  }

  /** Whether this alert was ever reported about the machine: verifications take their time. */
  static boolean wasReportedOf(String name, String alert, Moment moment) {
    return moment.chronicle().wasReported(name, Instant.MIN, each -> each.name().equals(alert));
  }

  /**
   * Whether this alert stood about the machine until shortly before, also by what the operator
   * sees.
   */
  static boolean isReportedOf(String name, String alert, Moment moment) {
    Instant from = moment.since().minus(SHOWN);
    return moment.chronicle().wasReported(name, from, each -> each.name().equals(alert))
        || moment.chronicle().node(name).was(from, each -> isOwn(alert, each));
  }

  private static void condition(TextForm.Statement read, Moment moment) {
    check(moment.text().type(), read, moment);
  }

  private static void event(TextForm.Statement read, Moment moment) {
    Alert alert = alert(read);
    check(read.word("alert"), read, moment);
    Instant since = Instant.parse(read.word("at"));
    // What the operator itself observes is about the present boot, whenever it began.
    boolean isOwn = read.word("source").equals("operator");
    moment.require(
        STATE,
        isOwn
            || alert.hold().isZero()
            || !since.plus(alert.hold()).isAfter(moment.chronicle().now()),
        "it has stood for its hold");
    moment.require(
        STATE,
        isOwn || !alert.perBoot() || moment.host(host -> !since.isBefore(began(host))),
        "it began on a boot that the machine was on");
  }

  /** When the boot began that a machine is on, to the second. */
  private static Instant began(Host host) {
    return host.report().boot().at().orElse(host.report().since()).truncatedTo(ChronoUnit.SECONDS);
  }

  /** A source said so, in the time for which an alert is shown after it ended. */
  private static void check(String alert, TextForm.Statement read, Moment moment) {
    moment.require(
        STATE, isReported(alert, read.word("source"), moment), "its source reported the alert");
  }

  private static boolean isReported(String alert, String source, Moment moment) {
    Instant from = moment.since().minus(SHOWN);
    return switch (source) {
      case "operator" ->
          moment.node().was(from, each -> isOwn(alert, each))
              || moment.host().was(from, each -> isOwn(alert, each));
      case SourceName.CONDITIONS ->
          moment
              .node()
              .was(
                  from,
                  each ->
                      AlertCatalogue.shipped().alert(alert).nodeConditions().stream()
                          .anyMatch(type -> each.alerts().others().containsKey(type)));
      case SourceName.FLEET ->
          moment.host().was(from, each -> has(each.report().signals(), alert, source));
      default ->
          moment
              .chronicle()
              .signals(moment.name())
              .ever(from, signals -> has(signals, alert, source));
    };
  }

  private static boolean has(List<Signal> signals, String alert, String source) {
    return signals.stream()
        .anyMatch(each ->
            each.stands()
                && each.key().source().equals(source)
                && (each.name().equals(alert)
                    || AlertCatalogue.shipped().alert(alert).aliases().contains(each.name())));
  }

  private static boolean isOwn(String alert, Node node) {
    return switch (alert) {
      case "KubeNodeNotReady", "KubeNodeNotReadyHGX" -> !node.ready();
      case "PendingStateExtendedTime" ->
          node.status().lifecycle().pending().filter(NodeStatus.Entry::status).isPresent()
              || !node.metadata()
                  .label(NodeLabels.RESERVED_DESIRED)
                  .equals(node.metadata().label(NodeLabels.RESERVED));
      default -> false;
    };
  }

  private static boolean isOwn(String alert, Host host) {
    return switch (alert) {
      case "HostFailedUnderNode" -> host.report().phase() == HostPhase.FAILED;
      case "HostCleaningUnderNode" -> host.report().phase() == HostPhase.CLEANING;
      case "NodeRebootHangs" -> host.boot().filter(request -> request.attempt() > 1).isPresent();
      default -> false;
    };
  }
}
