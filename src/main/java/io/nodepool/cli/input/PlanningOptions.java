package io.nodepool.cli.input;

import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of the planner. */
public final class PlanningOptions {
  /** The meaning of an instance type without a quota. */
  enum MissingQuota {
    /** Its pools do not grow. */
    BLOCKED,
    /** Its pools grow without limit. */
    UNLIMITED
  }

  @Option(
      names = "--missing-quota",
      paramLabel = "blocked|unlimited",
      description = "Whether pools of an instance type without a quota grow. Default: blocked.")
  private MissingQuota missingQuota = MissingQuota.BLOCKED;

  @Option(
      names = "--delivery-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long an assigned machine may take to boot, such as 45m; then it is released and another one is assigned. Default: 60m.")
  private Duration deliveryDeadline = PlanSettings.DEFAULTS.delivery().deadline();

  @Option(
      names = "--registration-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a running machine may take to join and become Ready; then it is released and another one is assigned. Default: 15m.")
  private Duration registrationDeadline = PlanSettings.DEFAULTS.delivery().registrationDeadline();

  @Option(
      names = "--settle-time",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a cordon must have been observed before the Pods of a Node are listed and its removal begins. Must exceed the time that schedulers take from reading a Node to"
              + " their binding; volumes that wait for their first consumer and gang schedulers take longer. Default: 5s.")
  private Duration settle = PlanSettings.DEFAULTS.removal().settle();

  @Option(
      names = "--drain-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long the drain of a Node may take; then the remaining Pods are deleted regardless of PodDisruptionBudgets. Default: 30m.")
  private Duration drainDeadline = PlanSettings.DEFAULTS.drain().deadline();

  /** The planner's settings from these options. */
  public PlanSettings settings() {
    return PlanSettings.DEFAULTS
        .withMissingQuotaIsUnlimited(missingQuota == MissingQuota.UNLIMITED)
        .withDelivery(
            PlanSettings.DEFAULTS.delivery().withDeadlines(deliveryDeadline, registrationDeadline))
        .withSettle(settle)
        .withDrainDeadline(drainDeadline);
  }
}
