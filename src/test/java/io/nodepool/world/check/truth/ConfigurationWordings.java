package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.ConfigurationCommands.Asked;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts about the configurations of a pool. */
final class ConfigurationWordings {
  private ConfigurationWordings() {}

  static final Wording PENDING =
      Wording.ofPool(
          "Configuration {configuration} is pending[: {contents*}].",
          Check.pool((read, pool) -> !isPending(read, pool), "it becomes pending now"));

  /** No release of the fleet has all parts of the configuration that the text names. */
  static final Check NOT_OFFERED =
      Check.that(
          STATE,
          (read, moment) -> isNotOffered(read.word("configuration"), moment),
          "no release of the fleet has all its parts");

  static final List<Wording> MISSING =
      List.of(
          Wording.ofPool(
              "failed to generate node configuration due to internal error: the fleet does not offer {configuration}, which is active. No machine is assigned until it does, or another one is active: promote, roll back, or change the spec.",
              NOT_OFFERED));

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

  static final Wording ACTIVE =
      Wording.ofPool(
          "Configuration {configuration} is active[: {contents*}].",
          Check.pool((read, pool) -> !isActive(read, pool), "it becomes active now"));

  static final Wording CHANGED =
      Wording.ofPool(
          "The active configuration changed from {before} to {after}.",
          Check.pool((read, pool) -> isActive(read.word("before"), pool), "this was the active one")
              .and(
                  Check.that(
                      STATE,
                      (read, _) -> !read.word("before").equals(read.word("after")),
                      "it is another one")));

  private static boolean isPending(TextForm.Statement read, Pool pool) {
    return pool.status()
        .configuration()
        .pending()
        .filter(each -> each.configuration().profile().equals(read.word("configuration")))
        .isPresent();
  }

  private static boolean isActive(TextForm.Statement read, Pool pool) {
    return isActive(read.word("configuration"), pool);
  }

  private static boolean isActive(String configuration, Pool pool) {
    return pool.status().nodeProfile().equals(configuration);
  }

  /** A user has this asked of the pool. */
  private static Check asked(Predicate<Asked> is) {
    return Check.pool(
        pool -> is.test(pool.spec().configuration().commands().asked()), "a user commands it");
  }

  static final List<Wording> PROMOTED =
      List.of(
          Wording.ofPool(
              "A user promotes the pending configuration {configuration}.",
              asked(Asked::promotes)
                  .and(
                      Check.that(
                          OBJECT,
                          (read, moment) -> moment.pool(pool -> isPending(read, pool)),
                          "it is the pending one"))),
          Wording.ofPool(
              "A user promotes the pending configuration, and there is none.",
              asked(Asked::promotes)));

  private static final Check ROLLBACK = asked(each -> each.rollback().isPresent());

  static final List<Wording> ROLLED_BACK =
      List.of(
          Wording.ofPool(
              "A user rolls back to the configuration before {configuration}.",
              ROLLBACK.and(
                  Check.that(
                      OBJECT,
                      (read, moment) -> moment.pool(pool -> isActive(read, pool)),
                      "this is the active one"))),
          Wording.ofPool("A user rolls back to {configuration}.", ROLLBACK));

  static final Wording NOTHING_PENDING =
      Wording.ofPool(
          "There is no pending configuration to promote[, and no rollout is started].",
          accepted(Accepted::promote));

  /** A user has commanded it. */
  private static Check accepted(Predicate<Accepted> is) {
    return Check.pool(
        pool -> pool.spec().configuration().commands().accepted().filter(is).isPresent(),
        "a user commands it");
  }

  static final Wording CONFLICT =
      Wording.ofPool(
          "A promotion and a rollback were requested at the same time; neither is done[, and no rollout is started].",
          accepted(each -> each.promote() && each.rollback().isPresent())
              .and(
                  Check.that(
                      CAUSE,
                      (_, moment) -> moment.pool().was(ConfigurationWordings::asksBoth),
                      "a user requested both")));

  private static boolean asksBoth(Pool pool) {
    Asked asked = pool.spec().configuration().commands().asked();
    return asked.promotes() && asked.rollback().isPresent();
  }

  static final Wording NOT_ROLLED_BACK =
      Wording.ofPool(
          "The rollback failed: {why*}[, and no rollout is started].",
          accepted(each -> each.rollback().isPresent()));

  private static final Check IS_ACTIVE =
      Check.pool(ConfigurationWordings::isActive, "this is the active one");

  static final Wording WAITS =
      Wording.ofPool(
          "A change of the active configuration {configuration} waits for Nodes in delivery, at most until {until}.",
          IS_ACTIVE.and(
              Check.that(
                  STATE,
                  (_, moment) -> moment.registered().least() < moment.held().most(),
                  "Nodes are in delivery")));

  /** What the user wrote is none of the values that the text names. */
  static final List<Wording> REFUSED =
      List.of(
          Wording.ofPool(
              "The annotation {key} is {word*}; it is {one} or {other}[, and no rollout is started].",
              FORM),
          Wording.ofPool("The annotation {key} {why*}", FORM));

  /** The pool changes to this configuration, which some machine has not booted. */
  private static final Check UNDER_WAY =
      IS_ACTIVE.and(
          Check.that(
              STATE,
              (read, moment) -> outdated(read.word("configuration"), moment) > 0,
              "a machine has not booted it, or is to boot another one"));

  static final List<Wording> NOT_UPDATED =
      List.of(
          Wording.counting(
              "machines",
              "The change to configuration {configuration} fails: boots into it failed on {machines#machine}: {names~machines}. It is {fate}.",
              Check.each(
                      "names",
                      CAUSE,
                      "a boot of the machine failed, ended in another configuration, or takes too long",
                      ConfigurationWordings::hasFailed)
                  .and(UNDER_WAY)),
          Wording.counting(
              "nodes",
              "The change to configuration {configuration} fails. Staging failed on {nodes#node}: {why*}. It is retried.",
              UNDER_WAY.and(PoolConditionWordings::holdsSoMany)));

  /** A boot of the machine failed, or its delivery has not made a Ready Node of it. */
  private static boolean hasFailed(String machine, Moment moment) {
    return moment.chronicle().rollouts().hasFailed(machine)
        || (moment.host(machine, host -> host.isHeldBy(moment.text().uid()))
            && (moment.noNode(machine) || moment.node(machine, node -> !node.ready())));
  }

  private static int outdated(String configuration, Moment moment) {
    return moment
        .machines(
            (_, _) -> false,
            (host, _) ->
                host.isHeldBy(moment.text().uid())
                    && !(host.report().bootedConfiguration().equals(configuration)
                        && host.configuration().equals(configuration)))
        .most();
  }

  static final Wording LOST =
      Wording.ofPool(
          "The record of the configurations in the status was lost: {configuration} is active, which {booted#} of {nodes#Node} booted, no command is carried out[, and a rollout is stopped].",
          Check.that(
              COUNT,
              (read, moment) ->
                  read.number("booted") <= read.number("nodes")
                      && read.number("nodes") <= moment.held().most(),
              "the pool has that many Nodes"));

  static final Wording STAGED =
      Wording.ofNode(
          "Configuration {configuration} is staged on Node {node}, which boots it next.",
          Check.host(
              (read, host) ->
                  host.configuration().equals(read.word("configuration")) && !hasBooted(read, host),
              "it is staged, and the machine has not booted it"));

  private static boolean hasBooted(TextForm.Statement read, Host host) {
    return host.report().bootedConfiguration().equals(read.word("configuration"));
  }

  /** Another configuration is staged next; the one that was is not booted. */
  static final Wording UNSTAGED =
      Wording.ofNode(
          "Configuration {configuration} is no longer staged on Node {node}, which boots {other} next: {why*}.",
          Check.host(
                  (read, host) ->
                      host.configuration().equals(read.word("configuration"))
                          && !hasBooted(read, host),
                  "it is staged, and the machine has not booted it")
              .and(
                  Check.that(
                      STATE,
                      (read, _) -> !read.word("other").equals(read.word("configuration")),
                      "the other configuration is another one"))
              .and(
                  Check.that(
                      CAUSE,
                      (read, moment) ->
                          isTakenBack(read.word("why"), read.word("configuration"), moment),
                      "it is taken back for that")));

  private static boolean isTakenBack(String why, String configuration, Moment moment) {
    String poolUid = moment.node().latest().map(Node::poolUid).orElse("");
    Predicate<Predicate<Pool>> ofPool =
        is -> moment.chronicle().pools(poolUid).anyMatch(each -> each.was(moment.since(), is));
    return switch (why) {
      case "it is disabled" ->
          ofPool.test(pool -> pool.status().configuration().isDisabled(configuration));
      case "the Node has no turn in a rollout" ->
          ofPool.test(
              pool -> pool.spec().configuration().strategy() == UpdateStrategy.ROLLOUT_ON_COMMAND);
      case "the last attempt boots another configuration" ->
          moment.host(host -> host.boot().filter(request -> request.attempt() > 1).isPresent());
      default ->
          ofPool.test(pool ->
              why.equals("the active configuration is " + pool.status().nodeProfile())
                  && !isActive(configuration, pool));
    };
  }

  static final Wording NOT_STAGED =
      Wording.ofNode(
          "Configuration {configuration} could not be staged on Node {node}, {times#time}: {why*}. It is retried.",
          FORM);

  static final Wording DISABLED =
      Wording.ofPool(
          "Configuration {configuration} is disabled, since boots into it failed in a row, on {names~}. Promote another one, roll back, or change the spec.",
          IS_ACTIVE.and(
              Check.each(
                  "names",
                  OBJECT,
                  "the machine was the pool's",
                  (name, moment) -> Wording.heldOnce(name, moment, _ -> true))));
}
