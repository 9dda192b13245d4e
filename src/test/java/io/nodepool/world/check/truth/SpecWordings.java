package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.UserText;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** The texts about the spec of a pool. */
final class SpecWordings {
  private SpecWordings() {}

  static final List<Wording> VALID =
      List.of(
          Wording.ofPool(
              "NodePool configuration is valid.[ {more*}]",
              Check.that(
                  STATE,
                  (_, moment) ->
                      moment.offer(offer ->
                          moment.pool(
                              pool -> offer.instanceTypes().contains(pool.spec().instanceType()))),
                  "the fleet offers its type")));

  private static Wording invalid(String form, BiPredicate<TextForm.Statement, PoolSpec> is) {
    return Wording.ofPool(
        form,
        Check.that(
            STATE,
            (read, moment) -> moment.pool(pool -> is.test(read, pool.spec())),
            "its spec has it so"));
  }

  static final List<Wording> INVALID =
      List.of(
          Wording.ofPool(
              "Instance type {type} does not exist.[ Did you mean {other}?]",
              SpecWordings::isOfType),
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

  static final List<Wording> UNDER_QUOTA =
      List.of(
          Wording.ofPool(
              "NodePool is within instance type quota.",
              Check.that(
                  COUNT,
                  (_, moment) -> moment.pool(pool -> isWithinQuota(pool, moment)),
                  "it is within the quota")));

  static final Check CONTESTED_QUOTA =
      Check.that(
          COUNT,
          (_, moment) -> moment.pool(pool -> isContested(pool.spec().instanceType(), moment)),
          "the pools of its type wanted or held more than the quota");

  /** Whether all that the pools of a type wanted or held lately is more than its quota. */
  private static boolean isContested(String type, Moment moment) {
    long wanted =
        moment.chronicle().pools().stream()
            .flatMapToInt(track ->
                track
                    .all(moment.since())
                    .filter(pool -> pool.spec().instanceType().equals(type))
                    .mapToInt(pool -> Math.max(pool.spec().target(), pool.status().held()))
                    .max()
                    .stream())
            .asLongStream()
            .sum();
    return moment.offer(offer -> wanted > offer.quotaOf(type).orElse(Integer.MAX_VALUE));
  }

  /**
   * Whether the target and what other pools hold are within the quota of the type, if it has one.
   */
  private static boolean isWithinQuota(Pool pool, Moment moment) {
    String type = pool.spec().instanceType();
    BiPredicate<Host, Optional<Node>> ofOthers =
        (host, _) ->
            host.machine().instanceType().equals(type)
                && host.assignment()
                    .map(Assignment::pool)
                    .filter(other -> !other.equals(pool.id()) && exists(other, moment))
                    .isPresent();
    int use = pool.spec().target() + moment.machines(ofOthers, ofOthers).least();
    return moment.offer(offer -> use <= offer.quotaOf(type).orElse(Integer.MAX_VALUE));
  }

  private static boolean exists(PoolId id, Moment moment) {
    return moment.chronicle().pool(id.name()).since(moment.since()).stream()
        .allMatch(pool -> pool.filter(each -> each.id().equals(id)).isPresent());
  }
}
