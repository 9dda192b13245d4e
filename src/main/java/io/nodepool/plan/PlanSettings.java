package io.nodepool.plan;

import java.time.Duration;

/**
 * Settings of the planners.
 *
 * @param missingQuotaIsUnlimited whether a type without a quota may be taken without limit, instead
 *     of not at all (decision D8)
 * @param delivery about machines that are to become Nodes
 * @param removal about choosing the Nodes that go
 * @param drain about the Pods on Nodes that go
 */
public record PlanSettings(
    boolean missingQuotaIsUnlimited,
    DeliverySettings delivery,
    RemovalSettings removal,
    DrainSettings drain) {
  /** The product's defaults. */
  public static final PlanSettings DEFAULTS =
      new PlanSettings(
          false, DeliverySettings.DEFAULTS, RemovalSettings.DEFAULTS, DrainSettings.DEFAULTS);

  /**
   * How long machines may take to become Nodes, and what follows when they take longer.
   *
   * @param deadline how long an assigned machine may take to come up
   * @param registrationDeadline how long a machine that is up may take to join and become Ready
   * @param firstBackOff how long a Host is left alone after its first failed delivery; doubles with
   *     each further one in a row
   * @param longestBackOff where the doubling ends
   * @param failuresBeforeSetAside failed deliveries in a row after which a Host is set aside
   */
  public record DeliverySettings(
      Duration deadline,
      Duration registrationDeadline,
      Duration firstBackOff,
      Duration longestBackOff,
      int failuresBeforeSetAside) {
    private static final DeliverySettings DEFAULTS =
        new DeliverySettings(
            Duration.ofMinutes(60),
            Duration.ofMinutes(15),
            Duration.ofMinutes(2),
            Duration.ofHours(1),
            3);

    private DeliverySettings faster(int speed) {
      return new DeliverySettings(
          deadline.dividedBy(speed),
          registrationDeadline.dividedBy(speed),
          firstBackOff.dividedBy(speed),
          longestBackOff.dividedBy(speed),
          failuresBeforeSetAside);
    }

    /** The same with other deadlines. */
    public DeliverySettings withDeadlines(Duration delivery, Duration registration) {
      return new DeliverySettings(
          delivery, registration, firstBackOff, longestBackOff, failuresBeforeSetAside);
    }

    /** The wait after this many failed deliveries in a row, at least one. */
    public Duration backOff(int failures) {
      Duration wait = firstBackOff.multipliedBy(1L << Math.min(failures - 1, 20));
      return wait.compareTo(longestBackOff) < 0 ? wait : longestBackOff;
    }
  }

  /**
   * How Nodes are chosen to go.
   *
   * @param settle how long a cordon must have been seen before the Pods of a Node are listed:
   *     longer than a scheduler takes from its look at a Node to its binding
   * @param passedOver how long a Node is not chosen again that stayed because of tenant work; five
   *     times as long if a person uncordoned it (decision D69)
   */
  public record RemovalSettings(Duration settle, Duration passedOver) {
    private static final RemovalSettings DEFAULTS =
        new RemovalSettings(Duration.ofSeconds(5), Duration.ofMinutes(2));

    private RemovalSettings faster(int speed) {
      return new RemovalSettings(settle, passedOver.dividedBy(speed));
    }
  }

  /**
   * How Pods are made to leave a Node.
   *
   * @param deadline how long they may take to leave before the rest is deleted without asking
   *     budgets
   * @param forcedGrace the longest grace that a Pod is given then
   * @param evictionRetry how long an eviction is not tried again that a budget refused
   */
  public record DrainSettings(Duration deadline, Duration forcedGrace, Duration evictionRetry) {
    private static final DrainSettings DEFAULTS =
        new DrainSettings(Duration.ofMinutes(30), Duration.ofSeconds(30), Duration.ofSeconds(10));

    private DrainSettings faster(int speed) {
      return new DrainSettings(deadline.dividedBy(speed), forcedGrace, evictionRetry);
    }
  }

  /**
   * The same rules with all times so many times shorter, but those that real schedulers, kubelets
   * and API servers set.
   */
  public PlanSettings faster(int speed) {
    return new PlanSettings(
        missingQuotaIsUnlimited,
        delivery.faster(speed),
        removal.faster(speed),
        drain.faster(speed));
  }

  /** The same rules where a missing quota means no limit, or that nothing may be taken. */
  public PlanSettings withMissingQuotaIsUnlimited(boolean next) {
    return new PlanSettings(next, delivery, removal, drain);
  }

  /** The same rules with other settings for deliveries. */
  public PlanSettings withDelivery(DeliverySettings next) {
    return new PlanSettings(missingQuotaIsUnlimited, next, removal, drain);
  }

  /** The same rules with another time in which a cordon settles. */
  public PlanSettings withSettle(Duration next) {
    return new PlanSettings(
        missingQuotaIsUnlimited, delivery, new RemovalSettings(next, removal.passedOver()), drain);
  }

  /** The same rules with another time that a drain may take. */
  public PlanSettings withDrainDeadline(Duration next) {
    return new PlanSettings(
        missingQuotaIsUnlimited,
        delivery,
        removal,
        new DrainSettings(next, drain.forcedGrace(), drain.evictionRetry()));
  }
}
