package io.nodepool.plan;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolSpec;
import io.nodepool.vocabulary.EventReason;
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
    return new Validity(
        new Finding(ValidatedReason.VALID, ValidatedReason.VALID.message().orElseThrow()),
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

  private static Validity invalid(EventReason cause, String message) {
    return new Validity(new Finding(ValidatedReason.INVALID, message), Optional.of(cause));
  }
}
