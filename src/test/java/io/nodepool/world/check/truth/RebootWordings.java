package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import io.nodepool.world.cluster.WorldJobs;
import java.time.Duration;
import java.util.List;

/** The texts about the reboot of a Node. */
final class RebootWordings {
  private RebootWordings() {}

  static final List<Wording> REBOOTING =
      List.of(
          Wording.ofNode(
              "Node {node} is idle and goes into state {state}: {why*}.",
              Check.that(STATE, (_, moment) -> moment.idle(moment.name()), "the Node is idle")
                  .and(Causes.WHY)),
          Wording.ofNode(
              "Node {node} goes into state {state} with {pods#Pod}, cut off by the reboot: {why*}.",
              Check.of(DrainWordings::left).and(Causes.WHY)));

  /** The machine is on the boot that the text names, and the Node is Ready. */
  private static final Check BACK =
      Check.host(
              (read, host) -> host.report().bootId().equals(read.word("boot")),
              "the machine is on this boot")
          .and(
              Check.node(
                  (read, node) -> node.ready() && node.status().bootId().equals(read.word("boot")),
                  "the Node is Ready on this boot"))
          .and(
              Check.that(
                  STATE,
                  (read, moment) ->
                      !read.has("configuration")
                          || moment.host(host ->
                              host.report()
                                  .bootedConfiguration()
                                  .equals(read.word("configuration"))),
                  "this is its configuration"));

  private static final Check BY_FLEET =
      BACK.and(
          Check.that(
              STATE,
              (_, moment) -> moment.host(RebootWordings::isVerified),
              "its fleet verified the machine"));

  private static final Check NOT_BY_FLEET =
      BACK.and(
          Check.that(
              STATE,
              (_, moment) ->
                  moment.offer(offer -> !offer.capabilities().verifies())
                      || !moment.host(RebootWordings::isVerified),
              "its fleet does not verify, or did not verify the machine"));

  private static final Check JOB_AS_ASKED =
      Check.that(
              STATE,
              (read, moment) ->
                  read.has("job")
                      ? isJobComplete(read.word("job"), moment)
                      : !isJobDemanded(moment),
              "the Job is complete that its pool asks for")
          .and(Check.host(RebootWordings::isRebooted, "the machine was rebooted"));

  private static final Check NO_JOB =
      Check.that(
          STATE,
          (_, moment) -> isJobDemanded(moment) && moment.chronicle().jobs().isEmpty(),
          "its pool asks for a Job, and none ran");

  private static final String WITHOUT_JOB =
      ", without the Job that its pool asks for, since the operator has no Namespace for it[; its configuration is {configuration}].";

  static final List<Wording> REBOOTED =
      List.of(
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified[, also by Job {job}][; its configuration is {configuration}].",
              BY_FLEET.and(JOB_AS_ASKED)),
          Wording.ofNode(
              "Node {node} is on boot {boot}[, and verified by Job {job}][; its configuration is {configuration}].",
              NOT_BY_FLEET.and(JOB_AS_ASKED)),
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified" + WITHOUT_JOB, BY_FLEET.and(NO_JOB)),
          Wording.ofNode("Node {node} is on boot {boot}" + WITHOUT_JOB, NOT_BY_FLEET.and(NO_JOB)));

  private static final Check ONLY_VERIFIED =
      Check.host(
          host -> host.boot().filter(request -> !request.kind().boots()).isPresent(),
          "no reboot was requested");

  static final Wording VERIFIED =
      Wording.ofNode("Node {node} is verified, on boot {boot}.", BY_FLEET.and(ONLY_VERIFIED));

  static final Wording NOT_VERIFIABLE =
      Wording.ofNode(
          "Node {node} is not verified, on boot {boot}: its fleet does not verify. It is back in production.",
          NOT_BY_FLEET.and(ONLY_VERIFIED));

  static final Wording JOB_REFUSED =
      Wording.ofNode(
          "Node {node} is repaired, and the Job that is to verify it cannot be created: {why*}. It stays cordoned until that is corrected.",
          Check.node(Node::cordoned, "it is cordoned"));

  static final Wording JOB_LOST =
      Wording.ofNode(
          "Node {node} is repaired, and Job {namespace}/{job} that is to verify it was deleted before its end was read, {times#time} by now. The Node stays cordoned, and the Job is created again.",
          Check.node(Node::cordoned, "it is cordoned")
              .and(
                  Check.that(
                      STATE,
                      (read, moment) -> isLost(read.word("job"), read.number("times"), moment),
                      "the Job was created so often, and not at once after three times")));

  /** The machine is as the text gives as the reason. */
  private static final Check AS_REPORTED =
      Check.that(
          STATE,
          (read, moment) -> isAsReported(read.word("why"), moment),
          "the machine is as it says");

  static final Wording NOT_VERIFIED =
      Wording.ofNode(
          "Node {node} is not verified for the alert {alert}: {why*}. {then*}.",
          AS_REPORTED
              .and(ONLY_VERIFIED)
              .and(
                  Check.that(
                      STATE,
                      (read, moment) ->
                          HealthWordings.wasReportedOf(moment.name(), read.word("alert"), moment)
                              || HealthWordings.wasOwnOf(moment.name(), read.word("alert"), moment),
                      "the alert was reported")));

  static final List<Wording> RECONFIGURED =
      List.of(
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified; its configuration is {configuration}.",
              BY_FLEET),
          Wording.ofNode(
              "Node {node} is on boot {boot}; its configuration is {configuration}.",
              NOT_BY_FLEET));

  private static boolean isJobComplete(String job, Moment moment) {
    String name = job.substring(job.indexOf('/') + 1);
    WorldJobs.CreatedJob created = moment.chronicle().jobs().get(name);
    return created != null
        && created.node().equals(moment.name())
        && created.isComplete(moment.chronicle().now());
  }

  private static boolean isLost(String job, int times, Moment moment) {
    WorldJobs.CreatedJob created = moment.chronicle().jobs().get(job);
    return created != null
        && created.node().equals(moment.name())
        && created.times() >= times
        && (times < 3 || !created.at().plus(Duration.ofHours(1)).isAfter(moment.chronicle().now()));
  }

  /** Whether its machine was booted for its repair, and its pool asks for a Job all the time. */
  private static boolean isJobDemanded(Moment moment) {
    return moment.host(host ->
        host.boot().filter(BootRequest::isRepair).isPresent()
            && host.assignment()
                .filter(held ->
                    moment
                        .chronicle()
                        .pool(held.pool().name())
                        .wasNot(moment.since(), RebootWordings::asksForJob))
                .isEmpty());
  }

  private static boolean asksForJob(Pool pool) {
    return !pool.spec().repair().verificationJob().isEmpty();
  }

  private static boolean isRebooted(Host host) {
    return host.boot()
        .filter(request ->
            boots(request.kind(), request.from(), host)
                || request.history().stream()
                    .anyMatch(past -> boots(past.kind(), past.from(), host)))
        .isPresent();
  }

  private static boolean boots(BootKind kind, String from, Host host) {
    return kind.boots() && !from.equals(host.report().bootId());
  }

  private static boolean isVerified(Host host) {
    return host.report()
        .boot()
        .verification()
        .filter(Host.Verification::passed)
        .filter(each ->
            host.boot()
                .filter(request -> each.answers(host.report().bootId(), request))
                .isPresent())
        .isPresent();
  }

  static final Wording RETRIED =
      Wording.ofNode(
          "Node {node}: {why*}. Attempt {attempt#} of {attempts#}.",
          AS_REPORTED.and(
              Check.that(
                  COUNT,
                  (read, _) ->
                      read.number("attempt") <= read.number("attempts")
                          && read.number("attempt") > 1,
                  "the attempt is one of those")));

  private static final String FAILED_TEXT =
      "Node {node} did not come back from its reboot: {why*}. It leaves NodePool {pool}, and its Host is set aside.";

  static final List<Wording> FAILED =
      List.of(Wording.ofNode(FAILED_TEXT, AS_REPORTED), Wording.ofPool(FAILED_TEXT, FORM));

  private static boolean isAsReported(String text, Moment moment) {
    String why = text.replaceFirst(", and no other attempt could be requested: .*", "");
    return switch (why) {
      case "its fleet reports that its machine failed" ->
          moment.host(host -> host.is(HostPhase.FAILED));
      case "it did not pass its verification" ->
          moment.host(
              host -> host.report().boot().verification().filter(v -> !v.passed()).isPresent());
      default ->
          why.startsWith("its verification Job ")
              ? moment.chronicle().isJobFailed(moment.name())
              : why.startsWith("it was on no other boot within ")
                  ? moment.host(Host::isRebooting)
                  : why.startsWith("it was not verified and Ready within ")
                      && (moment.node(node -> !node.ready())
                          || moment.host(host -> !isVerified(host)));
    };
  }

  static final Wording HELD =
      Wording.ofPool(
          "{row#Node} in a row did not come back from their reboots and were removed; no other one is removed until that is released. Waiting: {waiting#Node} ({lost~waiting}).",
          Check.each(
                  "lost",
                  STATE,
                  "it is cordoned",
                  (name, moment) -> moment.node(name, Node::cordoned))
              .and(
                  Check.each(
                      "lost",
                      STATE,
                      "its machine is not verified",
                      (name, moment) -> moment.host(name, host -> !isVerified(host)))));

  static final Wording RELEASED =
      Wording.ofPool(
          "What was held since {since} is released: Nodes that do not come back from their reboots leave again.",
          FORM);

  /** The fleet did not offer the boot that the text names. */
  static final Check NOT_OFFERED =
      Check.that(
          STATE,
          (read, moment) ->
              moment.offer(offer ->
                  offer.capabilities().boots().stream()
                      .filter(offer.capabilities()::offers)
                      .noneMatch(kind -> kind.word().equals(read.word("kind")))),
          "the fleet does not offer it");

  private static final Check UNCORDONED = Check.node(node -> !node.cordoned(), "it was uncordoned");

  private static final Check ASKED =
      Check.node(RebootWordings::isRequested, "the state is requested");

  /** Why a request cannot be met, or came too late. */
  static final List<Wording> REFUSED =
      List.of(
          Wording.ofNode(
              "Node {node} was uncordoned after its drain began: the drain goes on, and the Node is cordoned again.",
              UNCORDONED),
          Wording.ofNode(
              "Node {node} was uncordoned after {state} was committed: that goes on, and the Node is cordoned again until it is back.",
              UNCORDONED),
          Wording.ofNode(
              "Another client uncordoned Node {node}, which withdraws what it was cordoned for: {why*}.",
              UNCORDONED),
          Wording.ofNode(
              "The request {state} of Node {node} was taken back after it was committed: it goes on.",
              Check.node((read, node) -> !isRequested(read, node), "it is not requested")),
          Wording.ofNode("The annotation {annotation} of Node {node} is taken off: {why*}.", FORM),
          Wording.ofNode("Node {node} is not rebooted: {why*}. It is back in production.", FORM),
          Wording.ofNode("The state {state} cannot be requested; these can: {states~}.", ASKED),
          Wording.ofNode(
              "The fleet does not offer {kind}, which {state} needs; it offers {kinds~}.",
              ASKED.and(NOT_OFFERED)));

  private static boolean isRequested(TextForm.Statement read, Node node) {
    return node.metadata().label(NodeLabels.PENDING_STATE).equals(read.word("state"));
  }
}
