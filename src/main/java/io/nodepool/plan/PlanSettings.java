package io.nodepool.plan;

import io.nodepool.vocabulary.ReferenceGeneration;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Settings of the planners.
 *
 * @param delivery settings for the delivery of machines
 * @param removal settings for choosing Nodes for removal
 * @param drain settings for draining Nodes
 * @param preemption the timeline of a preemption
 * @param reboot settings for reboots
 * @param repair settings for repairs
 * @param speed the factor that shortens the times that users set on their pools
 * @param generation whether the conditions and Events of the oldest reference are published too
 *     (decision D244)
 */
@RecordBuilder
public record PlanSettings(
    DeliverySettings delivery,
    RemovalSettings removal,
    DrainSettings drain,
    PreemptionSettings preemption,
    RebootSettings reboot,
    RepairSettings repair,
    int speed,
    ReferenceGeneration generation)
    implements PlanSettingsCopy.With {
  /** The product's defaults. */
  public static final PlanSettings DEFAULTS =
      new PlanSettings(
          DeliverySettings.DEFAULTS,
          RemovalSettings.DEFAULTS,
          DrainSettings.DEFAULTS,
          PreemptionSettings.DEFAULTS,
          RebootSettings.DEFAULTS,
          RepairSettings.DEFAULTS,
          1,
          ReferenceGeneration.CURRENT);

  /** Which parts are not the defaults, in a word each. */
  public List<String> changed() {
    return Stream.of(
            delivery.equals(DEFAULTS.delivery) ? "" : "delivery",
            removal.equals(DEFAULTS.removal) ? "" : "removal",
            drain.equals(DEFAULTS.drain) ? "" : "drain",
            preemption.equals(DEFAULTS.preemption) ? "" : "preemption",
            reboot.equals(DEFAULTS.reboot) ? "" : "reboot",
            repair.equals(DEFAULTS.repair) ? "" : "repair",
            speed == 1 ? "" : "speed " + speed)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  /**
   * What pools may get, deadlines for the delivery of machines as Nodes, and the consequences of
   * failed deliveries.
   *
   * @param missingQuotaIsUnlimited whether an instance type without a quota is unlimited, instead
   *     of not available (decision D8)
   * @param deadline how long an assigned machine may take to boot
   * @param registrationDeadline how long a booted machine may take to join and become Ready
   * @param firstBackOff how long a Host is not assigned after its first failed delivery; it doubles
   *     with each further consecutive failure
   * @param longestBackOff the upper limit of that wait
   * @param failuresBeforeSetAside number of consecutive failed deliveries after which a Host is set
   *     aside
   */
  @RecordBuilder
  public record DeliverySettings(
      boolean missingQuotaIsUnlimited,
      Duration deadline,
      Duration registrationDeadline,
      Duration firstBackOff,
      Duration longestBackOff,
      int failuresBeforeSetAside)
      implements PlanSettingsDeliverySettingsCopy.With {
    private static final DeliverySettings DEFAULTS =
        new DeliverySettings(
            false,
            Duration.ofMinutes(60),
            Duration.ofMinutes(15),
            Duration.ofMinutes(2),
            Duration.ofHours(1),
            3);

    private DeliverySettings faster(int speed) {
      return new DeliverySettings(
          missingQuotaIsUnlimited,
          deadline.dividedBy(speed),
          registrationDeadline.dividedBy(speed),
          firstBackOff.dividedBy(speed),
          longestBackOff.dividedBy(speed),
          failuresBeforeSetAside);
    }

    /** The wait after this number (1 or more) of consecutive failed deliveries. */
    public Duration backOff(int failures) {
      Duration wait = firstBackOff.multipliedBy(1L << Math.min(failures - 1, 20));
      return wait.compareTo(longestBackOff) < 0 ? wait : longestBackOff;
    }
  }

  /**
   * Settings for choosing Nodes for removal.
   *
   * @param settle how long a cordon must have been observed before the Pods of the Node are listed:
   *     longer than a scheduler takes from reading a Node to binding a Pod to it
   * @param passedOver how long a Node is not chosen again after tenant work kept it; five times as
   *     long if a person uncordoned it (decision D69)
   */
  public record RemovalSettings(Duration settle, Duration passedOver) {
    private static final RemovalSettings DEFAULTS =
        new RemovalSettings(Duration.ofSeconds(5), Duration.ofMinutes(2));

    private RemovalSettings faster(int speed) {
      return new RemovalSettings(settle, passedOver.dividedBy(speed));
    }
  }

  /**
   * Settings for repairs.
   *
   * @param preserve the machines that are kept for inspection
   * @param jobs settings for the users' Jobs that verify repaired machines; empty if none may run
   * @param hold if no operator watched for longer than this, no repair begins for the same time
   *     (decision D319)
   */
  @RecordBuilder
  public record RepairSettings(PreserveSettings preserve, Optional<Jobs> jobs, Duration hold)
      implements PlanSettingsRepairSettingsCopy.With {
    /** The product's defaults. */
    public static final RepairSettings DEFAULTS =
        new RepairSettings(PreserveSettings.DEFAULTS, Optional.empty(), Duration.ofMinutes(10));

    private RepairSettings faster(int speed) {
      return new RepairSettings(preserve.faster(speed), jobs, hold.dividedBy(speed));
    }
  }

  /**
   * Settings for the faulty machines that pools keep for inspection (decision D316).
   *
   * @param most how many machines a pool keeps at once; 0 for none
   * @param time how long a machine is kept at most
   */
  public record PreserveSettings(int most, Duration time) {
    /** The product's defaults. */
    public static final PreserveSettings DEFAULTS = new PreserveSettings(1, Duration.ofDays(3));

    private PreserveSettings faster(int speed) {
      return new PreserveSettings(most, time.dividedBy(speed));
    }
  }

  /**
   * Settings for draining a Node.
   *
   * @param deadline how long a drain may take before the remaining Pods are deleted regardless of
   *     PodDisruptionBudgets
   * @param forcedGrace the longest grace period of a Pod that is deleted after the deadline
   * @param evictionRetry how long to wait before an eviction is retried
   */
  public record DrainSettings(Duration deadline, Duration forcedGrace, Duration evictionRetry) {
    private static final DrainSettings DEFAULTS =
        new DrainSettings(Duration.ofMinutes(30), Duration.ofSeconds(30), Duration.ofSeconds(10));

    private DrainSettings faster(int speed) {
      return new DrainSettings(deadline.dividedBy(speed), forcedGrace, evictionRetry);
    }
  }

  /**
   * The timeline of a preemption (seed 004, decision D67).
   *
   * @param warning the time from the fleet's notice to the drain
   * @param window the longest time from the notice to the end of the Node
   * @param forced how long before the end of the Node PodDisruptionBudgets are no longer respected
   */
  public record PreemptionSettings(Duration warning, Duration window, Duration forced) {
    private static final PreemptionSettings DEFAULTS =
        new PreemptionSettings(
            Duration.ofMinutes(2), Duration.ofMinutes(7), Duration.ofSeconds(30));

    private PreemptionSettings faster(int speed) {
      return new PreemptionSettings(
          warning.dividedBy(speed), window.dividedBy(speed), forced.dividedBy(speed));
    }
  }

  /**
   * Settings for the Jobs that verify repaired machines (decision D314). Their Pods run in real
   * time, however fast the fleet is.
   *
   * @param namespace the Namespace of the Jobs and of their templates
   * @param deadline how long a Job may run
   */
  public record Jobs(String namespace, Duration deadline) {
    /** The default of the deadline. */
    public static final Duration DEADLINE = Duration.ofMinutes(30);
  }

  /**
   * Settings for reboots (decision D146).
   *
   * @param bootDeadline how long an attempt may take to bring the machine onto another boot
   * @param verificationDeadline the additional time in which the machine may pass its verification
   *     and become Ready
   * @param attempts the number of attempts after which the Host is set aside
   * @param forced how long the work on a Node may take to end if the Node is rebooted at once
   * @param unfinished how long a condition PendingPhaseState stays without its label, which clients
   *     write later
   */
  public record RebootSettings(
      Duration bootDeadline,
      Duration verificationDeadline,
      int attempts,
      Duration forced,
      Duration unfinished) {
    private static final RebootSettings DEFAULTS =
        new RebootSettings(
            Duration.ofMinutes(30),
            Duration.ofMinutes(30),
            3,
            Duration.ofSeconds(60),
            Duration.ofMinutes(2));

    /** How long an attempt may take in total, from its request. */
    public Duration wholeDeadline() {
      return bootDeadline.plus(verificationDeadline);
    }

    private RebootSettings faster(int speed) {
      return new RebootSettings(
          bootDeadline.dividedBy(speed),
          verificationDeadline.dividedBy(speed),
          attempts,
          forced.dividedBy(speed),
          unfinished);
    }
  }

  /**
   * These settings with all times divided by {@code times}, except those that real schedulers,
   * kubelets and API servers determine.
   */
  public PlanSettings faster(int times) {
    return new PlanSettings(
        delivery.faster(times),
        removal.faster(times),
        drain.faster(times),
        preemption.faster(times),
        reboot.faster(times),
        repair.faster(times),
        speed * times,
        generation);
  }

  /** These settings, with other settings for the Jobs that verify repaired machines. */
  public PlanSettings withJobs(Optional<Jobs> next) {
    return withRepair(repair.withJobs(next));
  }

  /** These settings with another settle time. */
  public PlanSettings withSettle(Duration next) {
    return withRemoval(new RemovalSettings(next, removal.passedOver()));
  }

  /** These settings with another drain deadline. */
  public PlanSettings withDrainDeadline(Duration next) {
    return withDrain(new DrainSettings(next, drain.forcedGrace(), drain.evictionRetry()));
  }
}
