package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import io.nodepool.world.jobs.WorldJobs;
import java.util.List;

/** The texts about the reboot of a Node. */
final class RebootWordings {
  private RebootWordings() {}

  static final List<Wording> REBOOTING =
      List.of(
          Wording.ofNode(
              "Node {node} is idle and goes into state {state}: {why*}.",
              (read, moment) -> {
                moment.require(STATE, moment.idle(moment.name()), "the Node is idle");
                Causes.check(read.word("why"), moment);
              }),
          Wording.ofNode(
              "Node {node} goes into state {state} with {pods#Pod}, cut off by the reboot: {why*}.",
              (read, moment) -> {
                DrainWordings.left(read, moment);
                Causes.check(read.word("why"), moment);
              }));

  static final List<Wording> REBOOTED =
      List.of(
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified[, also by Job {job}][; its configuration is {configuration}].",
              (read, moment) -> {
                isBack(read, moment);
                moment.require(
                    STATE,
                    read.has("job")
                        ? isJobComplete(read.word("job"), moment)
                        : !isJobDemanded(moment),
                    "the Job is complete that its pool asks for");
                moment.require(
                    STATE,
                    moment.host(moment.name(), RebootWordings::isRebooted),
                    "the machine was rebooted");
              }),
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified, without the Job that its pool asks for, since the operator has no Namespace for it[; its configuration is {configuration}].",
              (read, moment) -> {
                isBack(read, moment);
                moment.require(
                    STATE,
                    isJobDemanded(moment) && moment.chronicle().jobs().isEmpty(),
                    "its pool asks for a Job, and none ran");
              }));

  static final List<Wording> VERIFIED =
      List.of(
          Wording.ofNode(
              "Node {node} is verified, on boot {boot}.",
              (read, moment) -> {
                isBack(read, moment);
                moment.require(
                    STATE,
                    moment.host(moment.name(), RebootWordings::isOnlyVerified),
                    "no reboot was requested");
              }));

  static final List<Wording> JOB_REFUSED =
      List.of(
          Wording.ofNode(
              "Node {node} is repaired, and the Job that is to verify it cannot be created: {why*}. It stays cordoned until that is corrected.",
              (_, moment) ->
                  moment.require(
                      STATE, moment.node(moment.name(), Node::cordoned), "it is cordoned")));

  static final List<Wording> NOT_VERIFIED =
      List.of(
          Wording.ofNode(
              "Node {node} is not verified for the suspected alert {alert}: {why*}. It is back in production.",
              (read, moment) -> {
                isAsReported(read.word("why"), moment);
                moment.require(
                    STATE,
                    moment.host(moment.name(), RebootWordings::isOnlyVerified),
                    "no reboot was requested");
                moment.require(
                    STATE,
                    HealthWordings.isReportedOf(moment.name(), read.word("alert"), moment),
                    "the alert is reported");
              }));

  static final List<Wording> RECONFIGURED =
      List.of(
          Wording.ofNode(
              "Node {node} is on boot {boot}, and verified; its configuration is {configuration}.",
              RebootWordings::isBack));

  private static void isBack(TextForm.Statement read, Moment moment) {
    String boot = read.word("boot");
    moment.require(
        STATE,
        moment.host(moment.name(), host -> host.report().bootId().equals(boot)),
        "the machine is on this boot");
    moment.require(
        STATE,
        moment.node(moment.name(), node -> node.ready() && node.status().bootId().equals(boot)),
        "the Node is Ready on this boot");
    moment.require(
        STATE,
        !read.has("configuration")
            || moment.host(
                moment.name(),
                host -> host.report().bootedConfiguration().equals(read.word("configuration"))),
        "this is its configuration");
    moment.require(
        STATE,
        !moment.offer(offer -> offer.capabilities().verifies())
            || moment.host(moment.name(), RebootWordings::isVerified),
        "the machine is verified");
  }

  private static boolean isJobComplete(String job, Moment moment) {
    String name = job.substring(job.indexOf('/') + 1);
    WorldJobs.CreatedJob created = moment.chronicle().jobs().get(name);
    return created != null
        && created.node().equals(moment.name())
        && created.isComplete(moment.chronicle().now());
  }

  /** Whether its machine was booted for its repair, and its pool asks for a Job all the time. */
  private static boolean isJobDemanded(Moment moment) {
    return moment.host(
        moment.name(),
        host ->
            host.boot().filter(boot -> !boot.alert().isEmpty()).isPresent()
                && host.assignment()
                    .filter(held ->
                        moment
                            .chronicle()
                            .pool(held.pool().name())
                            .ever(
                                moment.since(),
                                pool -> pool.filter(RebootWordings::asksForJob).isEmpty()))
                    .isEmpty());
  }

  private static boolean asksForJob(Pool pool) {
    return !pool.spec().pause().verificationJob().isEmpty();
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

  private static boolean isOnlyVerified(Host host) {
    return host.boot().filter(request -> !request.kind().boots()).isPresent();
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

  static final List<Wording> RETRIED =
      List.of(
          Wording.ofNode(
              "Node {node}: {why*}. Attempt {attempt#} of {attempts#}.",
              (read, moment) -> {
                isAsReported(read.word("why"), moment);
                moment.require(
                    Untruth.Kind.COUNT,
                    read.number("attempt") <= read.number("attempts") && read.number("attempt") > 1,
                    "the attempt is one of those");
              }));

  private static final String FAILED_TEXT =
      "Node {node} did not come back from its reboot: {why*}. It leaves NodePool {pool}, and its Host is set aside.";

  static final List<Wording> FAILED =
      List.of(
          Wording.ofNode(FAILED_TEXT, (read, moment) -> isAsReported(read.word("why"), moment)),
          Wording.ofPool(FAILED_TEXT, FORM));

  private static void isAsReported(String text, Moment moment) {
    String why = text.replaceFirst(", and no other attempt could be requested: .*", "");
    String name = moment.name();
    boolean holds =
        switch (why) {
          case "its fleet reports that its machine failed" ->
              moment.host(name, host -> host.is(HostPhase.FAILED));
          case "it did not pass its verification" ->
              moment.host(
                  name,
                  host -> host.report().boot().verification().filter(v -> !v.passed()).isPresent());
          default ->
              why.startsWith("its verification Job ")
                  ? moment.chronicle().isJobFailed(name)
                  : why.startsWith("it was on no other boot within ")
                      ? moment.host(name, Host::isRebooting)
                      : why.startsWith("it was not verified and Ready within ")
                          && (moment.node(name, node -> !node.ready())
                              || moment.host(name, host -> !isVerified(host)));
        };
    moment.require(STATE, holds, "the machine is as it says");
  }

  static final List<Wording> HELD =
      List.of(
          Wording.ofPool(
              "{row#Node} in a row did not come back from their reboots and were let go; no other one is until that is released. Waiting: {waiting#Node} ({lost~waiting}).",
              (read, moment) -> {
                for (String name : read.names("lost")) {
                  moment.require(STATE, moment.node(name, Node::cordoned), "it is cordoned", name);
                  moment.require(
                      STATE,
                      moment.host(name, host -> !isVerified(host)),
                      "its machine is not verified",
                      name);
                }
              }));

  static final List<Wording> RELEASED =
      List.of(
          Wording.ofPool(
              "What was held since {since} is released: Nodes that do not come back from their reboots leave again.",
              FORM));

  /** Why a request cannot be met, or came too late. */
  static final List<Wording> REFUSED =
      List.of(
          Wording.ofNode(
              "Node {node} was uncordoned after its drain began: the drain goes on, and the Node is cordoned again.",
              (_, moment) -> isUncordoned(moment)),
          Wording.ofNode(
              "Node {node} was uncordoned after {state} was committed: that goes on, and the Node is cordoned again until it is back.",
              (_, moment) -> isUncordoned(moment)),
          Wording.ofNode(
              "The request {state} of Node {node} was taken back after it was committed: it goes on.",
              (read, moment) ->
                  moment.require(
                      STATE,
                      moment.node(moment.name(), node -> !isRequested(node, read.word("state"))),
                      "it is not requested")),
          Wording.ofNode("The annotation {annotation} of Node {node} is taken off: {why*}.", FORM),
          Wording.ofNode("Node {node} is not rebooted: {why*}. It is back in production.", FORM),
          Wording.ofNode(
              "The state {state} cannot be requested; these can: {states~}.",
              RebootWordings::isRequested),
          Wording.ofNode(
              "The fleet does not offer {kind}, which {state} needs; it offers {kinds~}.",
              (read, moment) -> {
                isRequested(read, moment);
                moment.require(
                    STATE, isNotOffered(moment, read.word("kind")), "the fleet does not offer it");
              }));

  private static void isUncordoned(Moment moment) {
    moment.require(
        STATE, moment.node(moment.name(), node -> !node.cordoned()), "it was uncordoned");
  }

  private static void isRequested(TextForm.Statement read, Moment moment) {
    moment.require(
        STATE,
        moment.node(moment.name(), node -> isRequested(node, read.word("state"))),
        "the state is requested");
  }

  private static boolean isRequested(Node node, String state) {
    return node.metadata().label(NodeLabels.PENDING_STATE).equals(state);
  }

  /** Whether the fleet did not offer the boot with this word. */
  static boolean isNotOffered(Moment moment, String boot) {
    return moment.offer(
        offer -> offer.capabilities().boots().stream().noneMatch(kind -> kind.word().equals(boot)));
  }
}
