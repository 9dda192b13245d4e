package io.nodepool.plan;

import java.time.Duration;

/**
 * What may be set about planning.
 *
 * @param missingQuotaIsUnlimited whether a type without a quota may be taken without limit, instead
 *     of not at all (decision D8)
 * @param deliveryDeadline how long an assigned machine may take to come up
 * @param registrationDeadline how long a machine that is up may take to join and become Ready
 * @param firstBackOff how long a Host is left alone after its first failed delivery; doubles with
 *     each further one in a row
 * @param longestBackOff where the doubling ends
 * @param failuresBeforeSetAside failed deliveries in a row after which a Host is set aside
 * @param settle how long a cordon must have been seen before the Pods of a Node are listed: longer
 *     than a scheduler takes from its look at a Node to its binding
 * @param drainDeadline how long Pods may take to leave a Node before the rest is deleted without
 *     asking budgets
 * @param forcedGrace the longest grace that a Pod is given then
 * @param evictionRetry how long an eviction is not tried again that a budget refused
 * @param passedOver how long a Node is not chosen again that stayed because of tenant work; five
 *     times as long if a person uncordoned it (decision D69)
 */
public record Rules(
    boolean missingQuotaIsUnlimited,
    Duration deliveryDeadline,
    Duration registrationDeadline,
    Duration firstBackOff,
    Duration longestBackOff,
    int failuresBeforeSetAside,
    Duration settle,
    Duration drainDeadline,
    Duration forcedGrace,
    Duration evictionRetry,
    Duration passedOver) {
  /** The product's defaults. */
  public static final Rules DEFAULTS =
      new Rules(
          false,
          Duration.ofMinutes(60),
          Duration.ofMinutes(15),
          Duration.ofMinutes(2),
          Duration.ofHours(1),
          3,
          Duration.ofSeconds(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofMinutes(2));

  /**
   * The same rules with all times so many times shorter, but those that real schedulers, kubelets
   * and API servers set.
   */
  public Rules faster(int speed) {
    return new Rules(
        missingQuotaIsUnlimited,
        deliveryDeadline.dividedBy(speed),
        registrationDeadline.dividedBy(speed),
        firstBackOff.dividedBy(speed),
        longestBackOff.dividedBy(speed),
        failuresBeforeSetAside,
        settle,
        drainDeadline.dividedBy(speed),
        forcedGrace,
        evictionRetry,
        passedOver.dividedBy(speed));
  }

  /** The same rules with another time in which a cordon settles. */
  public Rules withSettle(Duration next) {
    return with(next, drainDeadline);
  }

  /** The same rules with another time that a drain may take. */
  public Rules withDrainDeadline(Duration next) {
    return with(settle, next);
  }

  private Rules with(Duration nextSettle, Duration nextDrainDeadline) {
    return new Rules(
        missingQuotaIsUnlimited,
        deliveryDeadline,
        registrationDeadline,
        firstBackOff,
        longestBackOff,
        failuresBeforeSetAside,
        nextSettle,
        nextDrainDeadline,
        forcedGrace,
        evictionRetry,
        passedOver);
  }

  /** The wait after this many failed deliveries in a row, at least one. */
  Duration backOff(int failures) {
    Duration wait = firstBackOff.multipliedBy(1L << Math.min(failures - 1, 20));
    return wait.compareTo(longestBackOff) < 0 ? wait : longestBackOff;
  }
}
