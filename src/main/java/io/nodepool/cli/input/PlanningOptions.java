package io.nodepool.cli.input;

import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options that say how pools are planned. */
public final class PlanningOptions {
  /** What an instance type without a quota means. */
  enum MissingQuota {
    /** Its pools do not grow. */
    BLOCKED,
    /** Its pools grow without limit. */
    UNLIMITED
  }

  @Option(
      names = "--missing-quota",
      paramLabel = "blocked|unlimited",
      description = "What an instance type without a quota means for growth. Default: blocked.")
  private MissingQuota missingQuota = MissingQuota.BLOCKED;

  @Option(
      names = "--delivery-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long an assigned machine may take to come up, such as 45m; then it is given back and another one is taken. Default: 60m.")
  private Duration deliveryDeadline = PlanSettings.DEFAULTS.delivery().deadline();

  @Option(
      names = "--registration-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a machine that is up may take to join and become Ready; then it is given back and another one is taken. Default: 15m.")
  private Duration registrationDeadline = PlanSettings.DEFAULTS.delivery().registrationDeadline();

  @Option(
      names = "--settle-time",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a cordon must have been seen before the Pods of a Node are listed and its removal begins. Longer than schedulers take from their look at a Node to"
              + " their binding; volumes that wait for their first consumer and gang schedulers take longer. Default: 5s.")
  private Duration settle = PlanSettings.DEFAULTS.removal().settle();

  @Option(
      names = "--drain-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long Pods may take to leave a Node that is being removed; then the rest is deleted without asking PodDisruptionBudgets. Default: 30m.")
  private Duration drainDeadline = PlanSettings.DEFAULTS.drain().deadline();

  /** The rules that the options make. */
  public PlanSettings settings() {
    return PlanSettings.DEFAULTS
        .withMissingQuotaIsUnlimited(missingQuota == MissingQuota.UNLIMITED)
        .withDelivery(
            PlanSettings.DEFAULTS.delivery().withDeadlines(deliveryDeadline, registrationDeadline))
        .withSettle(settle)
        .withDrainDeadline(drainDeadline);
  }
}
