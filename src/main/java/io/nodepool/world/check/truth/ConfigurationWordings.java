package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.truth.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.truth.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Taint;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.ConfigurationCommands.Asked;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.UserText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts about the spec of a pool, and about its configurations. */
final class ConfigurationWordings {
  private ConfigurationWordings() {}

  static final List<Wording> VALID =
      List.of(
          Wording.ofPool(
              "NodePool configuration is valid.[ {more*}]",
              (_, moment) ->
                  moment.require(
                      STATE,
                      moment.offer(offer ->
                          moment.pool(
                              pool -> offer.instanceTypes().contains(pool.spec().instanceType()))),
                      "the fleet offers its type")));

  private static Wording invalid(String form, BiPredicate<TextForm.Statement, PoolSpec> is) {
    return Wording.ofPool(
        form,
        (read, moment) ->
            moment.require(
                STATE, moment.pool(pool -> is.test(read, pool.spec())), "its spec has it so"));
  }

  static final List<Wording> INVALID =
      List.of(
          Wording.ofPool(
              "Instance type {type} does not exist.[ Did you mean {other}?]",
              ConfigurationWordings::isOfType),
          Wording.ofPool(
              "Instance type {type} is not available in zone {zone}; available are {types~}.",
              (read, moment) -> {
                isOfType(read, moment);
                moment.require(
                    STATE,
                    moment.offer(offer ->
                        !offer.instanceTypes().contains(read.word("type"))
                            && offer.zone().equals(read.word("zone"))),
                    "the fleet does not offer it there");
              }),
          invalid(
              "Instance type {type} is Superchip-powered and not available as spot; use computeClass default.",
              (read, spec) -> isOfType(read, spec) && spec.isSpot()),
          invalid("The Nodes of a NodePool carry its name as a label, {why*}", (_, _) -> true),
          invalid(
              "The spec must have exactly one of targetNodes and targetRacks.",
              (_, spec) ->
                  spec.size().targetNodes().isPresent() == spec.size().targetRacks().isPresent()),
          invalid(
              "spec.minNodes is {min#} and spec.maxNodes {max#}; with autoscaling, minNodes must be at most maxNodes.",
              (read, spec) ->
                  spec.size().autoscaling()
                      && spec.size().minNodes() == read.number("min")
                      && spec.size().maxNodes() == read.number("max")
                      && spec.size().minNodes() > spec.size().maxNodes()),
          invalid(
              "spec.{field} {why*}.",
              (read, spec) ->
                  values(read.word("field"), spec).anyMatch(read.word("why")::contains)),
          invalid(
              "targetRacks is for rack types only; {type} is sized with targetNodes.",
              (read, spec) -> isOfType(read, spec) && spec.size().targetRacks().isPresent()),
          invalid(
              "autoscaling is not available for the rack type {type}; set autoscaling to false.",
              (read, spec) -> isOfType(read, spec) && spec.size().autoscaling()),
          invalid(
              "{type} comes in whole racks of {size#} Nodes; targetNodes is {target#}, right would be {low#} or {high#}.",
              (read, spec) ->
                  isOfType(read, spec)
                      && spec.target() == read.number("target")
                      && spec.target() % read.number("size") != 0),
          invalid(
              "Annotation {key} cannot be read: {why*}.",
              (_, spec) -> spec.affinity() instanceof Affinity.Unreadable),
          invalid(
              "Annotation {key} admits no machine: {why*}.",
              (_, spec) -> spec.affinity().isSelective()));

  /** What a field of the spec says, of which the text must quote one. */
  private static Stream<String> values(String field, PoolSpec spec) {
    ConfigurationRequest request = spec.configuration().request();
    return switch (field) {
      case "targetNodes" -> spec.size().targetNodes().stream().mapToObj(Integer::toString);
      case "targetRacks" -> spec.size().targetRacks().stream().mapToObj(Integer::toString);
      case "minNodes" -> Stream.of(Integer.toString(spec.size().minNodes()));
      case "maxNodes" -> Stream.of(Integer.toString(spec.size().maxNodes()));
      case "gpu.version" -> Stream.of("is " + request.gpuVersion());
      case "image.name" -> request.image().stream().map(image -> "is " + image.name());
      case "image.kernel" -> request.image().stream().map(image -> "is " + image.kernel());
      case "image.releaseTrain" ->
          request.image().map(image -> "is " + image.train()).or(() -> Optional.of("is ")).stream();
      case "nodeLabels" -> spec.node().labels().keySet().stream().map(UserText::quoted);
      case "nodeAnnotations" ->
          spec.node().annotations().keySet().stream()
              .flatMap(key -> Stream.of(UserText.quoted(key), "is too long"));
      case "nodeTaints" -> spec.node().taints().stream().map(Taint::key).map(UserText::quoted);
      default -> Stream.of();
    };
  }

  private static boolean isOfType(TextForm.Statement read, PoolSpec spec) {
    return spec.instanceType().equals(read.word("type"));
  }

  static void isOfType(TextForm.Statement read, Moment moment) {
    moment.require(
        OBJECT, moment.pool(pool -> isOfType(read, pool.spec())), "it is the pool's type");
  }

  static final List<Wording> PENDING =
      List.of(
          Wording.ofPool(
              "Configuration {configuration} is pending[: {contents*}].",
              (read, moment) ->
                  moment.require(
                      STATE,
                      moment.pool(pool -> !isPending(pool, read.word("configuration"))),
                      "it becomes pending now")));

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
