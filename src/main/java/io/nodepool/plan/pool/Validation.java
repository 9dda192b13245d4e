package io.nodepool.plan.pool;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.NodeTemplateRules;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.configuration.PoolConfiguration;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.List;
import java.util.Optional;

/** Validates a pool's spec with the checks that need the catalogue or the fleet (decision D5). */
record Validation(InstanceCatalogue catalogue) {
  private static final int PROBLEMS_NAMED = 3;

  /**
   * The finding of a validation.
   *
   * @param cause the Event emitted when Validated becomes Invalid, if the cause has an Event of its
   *     own
   */
  record Validity(Finding finding, Optional<EventReason> cause) {
    boolean mayGrow() {
      return finding.reason() == ValidatedReason.VALID;
    }

    /** Whether the spec was checked and found invalid. */
    boolean isInvalid() {
      return finding.reason() == ValidatedReason.INVALID;
    }
  }

  /**
   * This validity, unless the spec is valid and the fleet does not offer the active configuration
   * (contract §20).
   */
  static Validity withConfiguration(Validity ofSpec, PoolSnapshot seen, ConfigurationState state) {
    return ofSpec.mayGrow()
        ? PoolConfiguration.missing(seen, state)
            .map(profile ->
                validity(
                    ValidatedReason.NODE_CONFIG_INTERNAL_ERROR,
                    "failed to generate node configuration due to internal error: the fleet does not offer %s, which is active. No machine is assigned until it does, or another one is active: promote, roll back, or change the spec."
                        .formatted(profile)))
            .orElse(ofSpec)
        : ofSpec;
  }

  Validity check(PoolSnapshot seen) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          validity(
              ValidatedReason.INTERNAL_ERROR, "The fleet's offer could not be read: " + lost.why());
      case PoolSnapshot.Offer.Known known -> check(seen, known.offer());
    };
  }

  private Validity check(PoolSnapshot seen, FleetOffer offer) {
    Pool pool = seen.pool();
    PoolSpec spec = pool.spec();
    Optional<InstanceType> found = catalogue.find(spec.instanceType());
    if (found.isEmpty()) {
      return invalid(
          EventReason.INVALID_INSTANCE_TYPE,
          "Instance type %s does not exist.%s"
              .formatted(
                  spec.instanceType(),
                  catalogue
                      .closest(spec.instanceType())
                      .map(type -> " Did you mean %s?".formatted(type.name()))
                      .orElse("")));
    }
    InstanceType type = found.get();
    if (!offer.instanceTypes().contains(type.name())) {
      return invalid(
          EventReason.INSTANCE_TYPE_NOT_IN_ZONE,
          "Instance type %s is not available in zone %s; available are %s."
              .formatted(type.name(), offer.zone(), Messages.list(offer.instanceTypes(), 5)));
    }
    return wrongName(pool.id())
        .or(() -> SizeLimits.problem(spec.size()))
        .or(() -> wrongSize(spec, type))
        .or(() -> wrongClass(spec, type))
        .or(() -> wrongAffinity(spec, offer))
        .or(() -> wrongDriver(spec))
        .or(() ->
            PoolConfiguration.problem(pool, type.isGpu(), seen.availability())
                .map(why -> why + "."))
        .or(() -> wrongMetadata(spec))
        .map(why -> validity(ValidatedReason.INVALID, why))
        .orElseGet(() -> valid(spec, offer));
  }

  private static Validity valid(PoolSpec spec, FleetOffer offer) {
    StringBuilder message = new StringBuilder(ValidatedReason.VALID.message().orElseThrow());
    if (spec.prefill()) {
      message.append(" spec.prefill is stored; it is not acted on yet.");
    }
    spec.configuration()
        .rollout()
        .problem()
        .ifPresent(why -> message.append(" No rollout goes on: ").append(why));
    if (spec.configuration().request().ignoresDriver()) {
      message.append(" spec.gpu is ignored, since spec.image is set.");
    }
    boolean isWhole =
        !offer.releases().isEmpty() && offer.releases().getLast() instanceof FleetRelease.Whole;
    if (isWhole && !spec.configuration().request().selectsNothing()) {
      message.append(
          " spec.image and spec.gpu are without effect, since the fleet offers whole configurations.");
    }
    List<String> without = NodeTemplateRules.withoutEffect(spec.node());
    if (!without.isEmpty()) {
      message.append(
          " Without effect, since each Node has its own: %s."
              .formatted(Messages.list(without, PROBLEMS_NAMED)));
    }
    return validity(ValidatedReason.VALID, message.toString());
  }

  private static Optional<String> wrongName(PoolId id) {
    return KubernetesNames.wrongLabelValue(id.name())
        .map(why ->
            "The Nodes of a NodePool carry its name as a label, and no label can have this one: %s. Create another NodePool with a shorter name."
                .formatted(why));
  }

  /**
   * The metadata that Kubernetes or the platform rejects; it is not applied to any Node (decision
   * D80).
   */
  private static Optional<String> wrongMetadata(PoolSpec spec) {
    List<String> problems = NodeTemplateRules.problems(spec.node());
    if (problems.isEmpty()) {
      return Optional.empty();
    }
    String named = String.join(" ", problems.subList(0, Math.min(PROBLEMS_NAMED, problems.size())));
    int more = problems.size() - PROBLEMS_NAMED;
    return Optional.of(
        more > 0 ? "%s And %s.".formatted(named, Messages.count(more, "more problem")) : named);
  }

  private static Optional<String> wrongDriver(PoolSpec spec) {
    return spec.configuration().request().gpuVersion().chars().allMatch(c -> c >= '0' && c <= '9')
        ? Optional.empty()
        : Optional.of(
            "spec.gpu.version is %s; must be the major version of the driver, digits only, such as 580."
                .formatted(spec.configuration().request().gpuVersion()));
  }

  private static Optional<String> wrongClass(PoolSpec spec, InstanceType type) {
    return spec.isSpot() && type.superchip()
        ? Optional.of(
            "Instance type %s is Superchip-powered and not available as spot; use computeClass default."
                .formatted(type.name()))
        : Optional.empty();
  }

  private static Optional<String> wrongSize(PoolSpec spec, InstanceType type) {
    if (!type.isRack()) {
      return spec.size().targetRacks().isPresent()
          ? Optional.of(
              "targetRacks is for rack types only; %s is sized with targetNodes."
                  .formatted(type.name()))
          : Optional.empty();
    }
    if (spec.size().autoscaling()) {
      return Optional.of(
          "autoscaling is not available for the rack type %s; set autoscaling to false."
              .formatted(type.name()));
    }
    int target = spec.target();
    if (target % type.rackSize() != 0) {
      int below = target / type.rackSize() * type.rackSize();
      return Optional.of(
          "%s comes in whole racks of %d Nodes; targetNodes is %d, right would be %d or %d."
              .formatted(type.name(), type.rackSize(), target, below, below + type.rackSize()));
    }
    return Optional.empty();
  }

  /**
   * The problem with the pool's affinity and what would be valid (decision D14); empty if it is
   * valid.
   */
  private static Optional<String> wrongAffinity(PoolSpec spec, FleetOffer offer) {
    return switch (spec.affinity()) {
      case Affinity.Unreadable unreadable ->
          Optional.of(
              "Annotation %s cannot be read: %s."
                  .formatted(PoolAnnotations.NODE_AFFINITY.key(), unreadable.why()));
      case Affinity.Selector selector ->
          AffinityFeasibility.of(selector, spec.instanceType(), offer)
              .map(why ->
                  "Annotation %s admits no machine: %s."
                      .formatted(PoolAnnotations.NODE_AFFINITY.key(), why));
    };
  }

  private static Validity validity(ValidatedReason reason, String message) {
    return new Validity(new Finding(reason, message), Optional.empty());
  }

  private static Validity invalid(EventReason cause, String message) {
    return new Validity(new Finding(ValidatedReason.INVALID, message), Optional.of(cause));
  }
}
