package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.ConfigurationCommands.Asked;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts about the configurations of a pool. */
final class ConfigurationWordings {
  private ConfigurationWordings() {}

  static final List<Wording> PENDING =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is pending[: {contents*}].",
              (read, moment) ->
                  moment.require(
                      STATE,
                      moment.pool(pool -> !isPending(pool, read.word("configuration"))),
                      "it becomes pending now")));

  static final List<Wording> MISSING =
      List.of(
          Wording.ofPool(
              "failed to generate node configuration due to internal error: the fleet does not offer {configuration}, which is active. No machine is assigned until it does, or another one is active: promote, roll back, or change the spec.",
              ConfigurationWordings::notOffered));

  static void notOffered(TextForm.Statement read, Moment moment) {
    moment.require(
        STATE,
        isNotOffered(read.word("configuration"), moment),
        "no release of the fleet has all its parts");
  }

  static boolean isNotOffered(String configuration, Moment moment) {
    return moment.offer(offer ->
        offer.releases().stream()
            .noneMatch(release ->
                switch (release) {
                  case FleetRelease.Whole whole -> whole.name().equals(configuration);
                  case FleetRelease.Parts parts ->
                      parts.images().stream()
                          .flatMap(image ->
                              image.kernels().stream()
                                  .map(kernel -> image.name() + "_" + kernel + "_"))
                          .flatMap(boot ->
                              Stream.concat(parts.gpuDrivers().stream(), Stream.of("none"))
                                  .map(driver -> boot + driver + "_" + parts.kubernetes()))
                          .anyMatch(configuration::equals);
                }));
  }

  static final List<Wording> ACTIVE =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is active[: {contents*}].",
              (read, moment) ->
                  moment.require(
                      STATE,
                      moment.pool(pool -> !isActive(pool, read.word("configuration"))),
                      "it becomes active now")));

  static final List<Wording> CHANGED =
      List.of(
          Wording.ofPool(
              "The active configuration changed from {before} to {after}.",
              (read, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, read.word("before"))),
                    "this was the active one");
                moment.require(
                    STATE, !read.word("before").equals(read.word("after")), "it is another one");
              }));

  private static boolean isPending(Pool pool, String configuration) {
    return pool.status()
        .configuration()
        .pending()
        .filter(each -> each.configuration().profile().equals(configuration))
        .isPresent();
  }

  private static boolean isActive(Pool pool, String configuration) {
    return pool.status().nodeProfile().equals(configuration);
  }

  static final List<Wording> PROMOTED =
      List.of(
          Wording.ofPool(
              "A user promotes the pending configuration {configuration}.",
              (read, moment) -> {
                isCommanded(
                    moment, pool -> pool.spec().configuration().commands().asked().promotes());
                moment.require(
                    OBJECT,
                    moment.pool(pool -> isPending(pool, read.word("configuration"))),
                    "it is the pending one");
              }),
          Wording.ofPool(
              "A user promotes the pending configuration, and there is none.",
              (_, moment) ->
                  isCommanded(
                      moment, pool -> pool.spec().configuration().commands().asked().promotes())));

  private static void isCommanded(Moment moment, Predicate<Pool> is) {
    moment.require(STATE, moment.pool(is), "a user commands it");
  }

  static final List<Wording> ROLLED_BACK =
      List.of(
          Wording.ofPool(
              "A user rolls back to the configuration before {configuration}.",
              (read, moment) -> {
                isRollback(moment);
                moment.require(
                    OBJECT,
                    moment.pool(pool -> isActive(pool, read.word("configuration"))),
                    "this is the active one");
              }),
          Wording.ofPool(
              "A user rolls back to {configuration}.", (_, moment) -> isRollback(moment)));

  private static void isRollback(Moment moment) {
    isCommanded(
        moment, pool -> pool.spec().configuration().commands().asked().rollback().isPresent());
  }

  static final List<Wording> NOTHING_PENDING =
      List.of(
          Wording.ofPool(
              "There is no pending configuration to promote[, and no rollout is started].",
              (_, moment) -> isAccepted(moment, Accepted::promote)));

  /** A user has commanded it. */
  private static void isAccepted(Moment moment, Predicate<Accepted> is) {
    isCommanded(
        moment, pool -> pool.spec().configuration().commands().accepted().filter(is).isPresent());
  }

  static final List<Wording> CONFLICT =
      List.of(
          Wording.ofPool(
              "A promotion and a rollback were requested at the same time; neither is done[, and no rollout is started].",
              (_, moment) -> {
                isAccepted(moment, each -> each.promote() && each.rollback().isPresent());
                moment.require(
                    CAUSE,
                    moment
                        .chronicle()
                        .pool(moment.name())
                        .ever(
                            Instant.MIN,
                            pool -> pool.filter(ConfigurationWordings::asksBoth).isPresent()),
                    "a user requested both");
              }));

  private static boolean asksBoth(Pool pool) {
    Asked asked = pool.spec().configuration().commands().asked();
    return asked.promotes() && asked.rollback().isPresent();
  }

  static final List<Wording> NOT_ROLLED_BACK =
      List.of(
          Wording.ofPool(
              "The rollback failed: {why*}[, and no rollout is started].",
              (_, moment) -> isAccepted(moment, each -> each.rollback().isPresent())));

  static final List<Wording> WAITS =
      List.of(
          Wording.ofPool(
              "A change of the active configuration {configuration} waits for Nodes in delivery, at most until {until}.",
              (read, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, read.word("configuration"))),
                    "this is the active one");
                moment.require(
                    STATE,
                    moment.registered().least() < moment.held().most(),
                    "Nodes are in delivery");
              }));

  /** What the user wrote is none of the values that the text names. */
  static final List<Wording> REFUSED =
      List.of(
          Wording.ofPool(
              "The annotation {key} is {word*}; it is {one} or {other}[, and no rollout is started].",
              FORM),
          Wording.ofPool("The annotation {key} {why*}", FORM));

  static final List<Wording> NOT_UPDATED =
      List.of(
          Wording.counting(
              "machines",
              "The change to configuration {configuration} fails: boots into it failed on {machines#machine}: {names~machines}. It is {fate}.",
              Wording.Check.each(
                      "names",
                      CAUSE,
                      "a boot of the machine failed, ended in another configuration, or takes too long",
                      (name, moment) -> hasFailed(name, moment))
                  .and((read, moment) -> isUnderWay(read, moment))),
          Wording.counting(
              "nodes",
              "The change to configuration {configuration} fails. Staging failed on {nodes#node}: {why*}. It is retried.",
              (read, moment) -> {
                isUnderWay(read, moment);
                PoolConditionWordings.holdsSoMany(read, moment);
              }));

  /** A boot of the machine failed, or its delivery has not made a Ready Node of it. */
  private static boolean hasFailed(String machine, Moment moment) {
    return moment.chronicle().rollouts().hasFailed(machine)
        || (moment.host(machine, host -> host.isHeldBy(moment.text().uid()))
            && (moment.noNode(machine) || moment.node(machine, node -> !node.ready())));
  }

  /** The pool changes to this configuration, which some machine has not booted. */
  private static void isUnderWay(TextForm.Statement read, Moment moment) {
    String configuration = read.word("configuration");
    moment.require(
        STATE, moment.pool(pool -> isActive(pool, configuration)), "this is the active one");
    moment.require(
        STATE,
        moment
                .machines(
                    (_, _) -> false,
                    (host, _) ->
                        host.isHeldBy(moment.text().uid())
                            && !(host.report().bootedConfiguration().equals(configuration)
                                && host.configuration().equals(configuration)))
                .most()
            > 0,
        "a machine has not booted it, or is to boot another one");
  }

  static final List<Wording> LOST =
      List.of(
          Wording.ofPool(
              "The record of the configurations in the status was lost: {configuration} is active, which {booted#} of {nodes#Node} booted, no command is carried out[, and a rollout is stopped].",
              (read, moment) ->
                  moment.require(
                      Untruth.Kind.COUNT,
                      read.number("booted") <= read.number("nodes")
                          && read.number("nodes") <= moment.held().most(),
                      "the pool has that many Nodes")));

  static final List<Wording> STAGED =
      List.of(
          Wording.ofNode(
              "Configuration {configuration} is staged on Node {node}, which boots it next.",
              (read, moment) ->
                  moment.require(
                      STATE,
                      moment.host(
                          moment.name(),
                          host ->
                              !host.report()
                                  .bootedConfiguration()
                                  .equals(read.word("configuration"))),
                      "the machine has not booted it")));

  /** Another configuration is staged next; the one that was is not booted. */
  static final List<Wording> UNSTAGED =
      List.of(
          Wording.ofNode(
              "Configuration {configuration} is no longer staged on Node {node}, which boots {other} next: {why*}.",
              (read, moment) -> {
                String configuration = read.word("configuration");
                moment.require(
                    STATE,
                    moment.host(
                        moment.name(),
                        host ->
                            host.occupancy().configuration().equals(configuration)
                                && !host.report().bootedConfiguration().equals(configuration)),
                    "it is staged, and the machine has not booted it");
                moment.require(
                    STATE,
                    !read.word("other").equals(configuration),
                    "the other configuration is another one");
                isTakenBack(read.word("why"), configuration, moment);
              }));

  private static void isTakenBack(String why, String configuration, Moment moment) {
    String poolUid = moment.chronicle().node(moment.name()).latest().map(Node::poolUid).orElse("");
    Predicate<Predicate<Pool>> ofPool =
        is ->
            moment
                .chronicle()
                .pools(poolUid)
                .anyMatch(each -> each.ever(moment.since(), pool -> pool.filter(is).isPresent()));
    boolean holds =
        switch (why) {
          case "it is disabled" ->
              ofPool.test(pool -> pool.status().configuration().isDisabled(configuration));
          case "the Node has no turn in a rollout" ->
              ofPool.test(pool ->
                  pool.spec().configuration().strategy() == UpdateStrategy.ROLLOUT_ON_COMMAND);
          case "the last attempt boots another configuration" ->
              moment.host(
                  moment.name(),
                  host -> host.boot().filter(request -> request.attempt() > 1).isPresent());
          default ->
              ofPool.test(pool ->
                  why.equals("the active configuration is " + pool.status().nodeProfile())
                      && !isActive(pool, configuration));
        };
    moment.require(CAUSE, holds, "it is taken back for that");
  }

  static final List<Wording> NOT_STAGED =
      List.of(
          Wording.ofNode(
              "Configuration {configuration} could not be staged on Node {node}, {times#} times: {why*}. It is retried.",
              FORM));

  private static final Wording.Check WERE_OWN =
      Wording.Check.each(
          "names",
          OBJECT,
          "the machine was the pool's",
          (name, moment) -> Wording.heldOnce(name, moment, _ -> true));

  static final List<Wording> DISABLED =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is disabled, since boots into it failed in a row, on {names~}. Promote another one, roll back, or change the spec.",
              (read, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, read.word("configuration"))),
                    "this is the active one");
                WERE_OWN.check(read, moment);
              }));
}
