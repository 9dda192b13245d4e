package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.truth.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.Pool;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/** The texts about the configurations of a pool. */
final class ConfigurationWordings {
  private ConfigurationWordings() {}

  static final List<Wording> PENDING =
      List.of(Wording.ofPool("Configuration {configuration} is pending[: {contents*}].", FORM));

  static final List<Wording> ACTIVE =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is active[: {contents*}].",
              (said, moment) ->
                  moment.require(
                      STATE,
                      moment.pool(pool -> !isActive(pool, said.word("configuration"))),
                      "it becomes active now")));

  static final List<Wording> CHANGED =
      List.of(
          Wording.ofPool(
              "The active configuration changed from {before} to {after}.",
              (said, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, said.word("before"))),
                    "this was the active one");
                moment.require(
                    STATE, !said.word("before").equals(said.word("after")), "it is another one");
              }));

  private static boolean isActive(Pool pool, String configuration) {
    return pool.status().nodeProfile().equals(configuration);
  }

  static final List<Wording> PROMOTED =
      List.of(
          Wording.ofPool(
              "A user promotes the pending configuration {configuration}.",
              (said, moment) -> {
                isCommanded(
                    moment, pool -> pool.spec().configuration().commands().asked().promotes());
                moment.require(
                    OBJECT,
                    moment.pool(pool ->
                        pool.status()
                            .configuration()
                            .pending()
                            .filter(each ->
                                each.configuration().profile().equals(said.word("configuration")))
                            .isPresent()),
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
              (said, moment) -> {
                isRollback(moment);
                moment.require(
                    OBJECT,
                    moment.pool(pool -> isActive(pool, said.word("configuration"))),
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
              FORM));

  static final List<Wording> NOT_ROLLED_BACK =
      List.of(
          Wording.ofPool(
              "The rollback failed: {why*}[, and no rollout is started].",
              (_, moment) -> isAccepted(moment, each -> each.rollback().isPresent())));

  static final List<Wording> WAITS =
      List.of(
          Wording.ofPool(
              "A change of the active configuration {configuration} waits for Nodes in delivery, at most until {until}.",
              (said, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, said.word("configuration"))),
                    "this is the active one");
                moment.require(
                    STATE,
                    moment.registered().least() < moment.held().most(),
                    "Nodes are in delivery");
              }));

  static final List<Wording> NOT_UPDATED =
      List.of(
          Wording.ofPool(
              "The annotation {key} is {word*}; it is {one} or {other}[, and no rollout is started].",
              FORM),
          Wording.ofPool("The annotation {key} {why*}", FORM));

  static final List<Wording> LOST =
      List.of(
          Wording.ofPool(
              "The record of the configurations in the status was lost: {configuration} is active, which {booted#} of {nodes#Node} booted, no command is carried out[, and a rollout is stopped].",
              (said, moment) ->
                  moment.require(
                      Untruth.Kind.COUNT,
                      said.number("booted") <= said.number("nodes")
                          && said.number("nodes") <= moment.held().most(),
                      "the pool has that many Nodes")));

  static final List<Wording> STAGED =
      List.of(
          Wording.ofNode(
              "Configuration {configuration} is staged on Node {node}, which boots it next.",
              (said, moment) -> {
                moment.names(said.word("node"));
                moment.require(
                    STATE,
                    moment.host(
                        moment.name(),
                        host ->
                            !host.report()
                                .bootedConfiguration()
                                .equals(said.word("configuration"))),
                    "the machine has not booted it");
              }));

  static final List<Wording> NOT_STAGED =
      List.of(
          Wording.ofNode(
              "Configuration {configuration} could not be staged on Node {node}, {times#} times: {why*}. It is retried.",
              (said, moment) -> moment.names(said.word("node"))));

  static final List<Wording> DISABLED =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is disabled, since boots into it failed in a row, on {names~}. Promote another one, roll back, or change the spec.",
              (said, moment) -> {
                moment.require(
                    STATE,
                    moment.pool(pool -> isActive(pool, said.word("configuration"))),
                    "this is the active one");
                said.names("names")
                    .forEach(name ->
                        moment.require(
                            OBJECT,
                            moment
                                .chronicle()
                                .host(name)
                                .ever(
                                    Instant.MIN,
                                    host ->
                                        host.filter(h -> h.isHeldBy(moment.text().uid()))
                                            .isPresent()),
                            "the machine was the pool's",
                            name));
              }));
}
