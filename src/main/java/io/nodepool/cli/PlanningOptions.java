package io.nodepool.cli;

import io.nodepool.plan.Rules;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options that say how pools are planned. */
final class PlanningOptions {
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
      converter = Values.OfDuration.class,
      description =
          "How long an assigned machine may take to come up, such as 45m; then it is given back and another one is taken. Default: 60m.")
  private Duration deliveryDeadline = Rules.DEFAULTS.delivery().deadline();

  @Option(
      names = "--registration-deadline",
      paramLabel = "DURATION",
      converter = Values.OfDuration.class,
      description =
          "How long a machine that is up may take to join and become Ready; then it is given back and another one is taken. Default: 15m.")
  private Duration registrationDeadline = Rules.DEFAULTS.delivery().registrationDeadline();

  @Option(
      names = "--settle-time",
      paramLabel = "DURATION",
      converter = Values.OfDuration.class,
      description =
          "How long a cordon must have been seen before the Pods of a Node are listed and its removal begins. Longer than schedulers take from their look at a Node to"
              + " their binding; volumes that wait for their first consumer and gang schedulers take longer. Default: 5s.")
  private Duration settle = Rules.DEFAULTS.removal().settle();

  @Option(
      names = "--drain-deadline",
      paramLabel = "DURATION",
      converter = Values.OfDuration.class,
      description =
          "How long Pods may take to leave a Node that is being removed; then the rest is deleted without asking PodDisruptionBudgets. Default: 30m.")
  private Duration drainDeadline = Rules.DEFAULTS.drain().deadline();

  /** The rules that the options make. */
  Rules rules() {
    return Rules.DEFAULTS
        .withMissingQuotaIsUnlimited(missingQuota == MissingQuota.UNLIMITED)
        .withDelivery(
            Rules.DEFAULTS.delivery().withDeadlines(deliveryDeadline, registrationDeadline))
        .withSettle(settle)
        .withDrainDeadline(drainDeadline);
  }
}
