package io.nodepool.plan;

import io.nodepool.fleet.Affinity;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.PoolAnnotations;
import io.nodepool.vocabulary.ValidatedReason;
import java.util.Optional;

/**
 * Is the pool's configuration one that can be carried out? Checks that need the catalogue or the
 * fleet (decision D5).
 */
final class Validation {
  private final InstanceCatalogue catalogue;

  Validation(InstanceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * The finding, and the event that tells its cause where the cause has one of its own.
   *
   * @param cause the event told when Validated becomes Invalid for this cause
   */
  record Validity(Finding finding, Optional<EventReason> cause) {
    boolean mayGrow() {
      return finding.reason() == ValidatedReason.VALID;
    }
  }

  Validity check(PoolSnapshot seen) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost lost ->
          new Validity(
              new Finding(
                  ValidatedReason.INTERNAL_ERROR,
                  "The fleet's offer could not be read: " + lost.why()),
              Optional.empty());
      case PoolSnapshot.Offer.Known known -> check(seen.pool().spec(), known.offer());
    };
  }

  private Validity check(PoolSpec spec, FleetOffer offer) {
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
              .formatted(type.name(), offer.zone(), Texts.list(offer.instanceTypes(), 5)));
    }
    Optional<String> size = wrongSize(spec, type);
    if (size.isPresent()) {
      return new Validity(new Finding(ValidatedReason.INVALID, size.get()), Optional.empty());
    }
    if (spec.isSpot() && type.superchip()) {
      return new Validity(
          new Finding(
              ValidatedReason.INVALID,
              "Instance type %s is Superchip-powered and not available as spot; use computeClass default."
                  .formatted(type.name())),
          Optional.empty());
    }
    Optional<String> affinity = wrongAffinity(spec, offer);
    if (affinity.isPresent()) {
      return new Validity(new Finding(ValidatedReason.INVALID, affinity.get()), Optional.empty());
    }
    String valid = ValidatedReason.VALID.message().orElseThrow();
    return new Validity(
        new Finding(
            ValidatedReason.VALID,
            spec.prefill() ? valid + " spec.prefill is stored; it is not acted on yet." : valid),
        Optional.empty());
  }

  private static Optional<String> wrongSize(PoolSpec spec, InstanceType type) {
    if (!type.isRack()) {
      return spec.targetRacks().isPresent()
          ? Optional.of(
              "targetRacks is for rack types only; %s is sized with targetNodes."
                  .formatted(type.name()))
          : Optional.empty();
    }
    if (spec.autoscaling()) {
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

  /** What is wrong with the pool's affinity (decision D14), and what would be right. */
  private static Optional<String> wrongAffinity(PoolSpec spec, FleetOffer offer) {
    return switch (spec.affinity()) {
      case Affinity.Unreadable unreadable ->
          Optional.of(
              "Annotation %s cannot be read: %s."
                  .formatted(PoolAnnotations.NODE_AFFINITY.key(), unreadable.why()));
      case Affinity.Selector selector ->
          Impossibility.of(selector, spec.instanceType(), offer)
              .map(why ->
                  "Annotation %s admits no machine: %s."
                      .formatted(PoolAnnotations.NODE_AFFINITY.key(), why));
    };
  }

  private static Validity invalid(EventReason cause, String message) {
    return new Validity(new Finding(ValidatedReason.INVALID, message), Optional.of(cause));
  }
}
