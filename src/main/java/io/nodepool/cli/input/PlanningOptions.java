package io.nodepool.cli.input;

import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of the planner. */
public final class PlanningOptions {
  /** The meaning of an instance type without a quota. */
  enum MissingQuota {
    /** Its pools do not grow. */
    BLOCKED,
    /** Its pools grow without limit. */
    UNLIMITED
  }

  /** Each preserved Node takes a machine from tenants. */
  private static final int MOST_PRESERVED = 100;

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

  @Option(
      names = "--preemption-warning",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a preempted spot Node runs on, cordoned, before it is drained. Default: 2m.")
  private Duration preemptionWarning = PlanSettings.DEFAULTS.preemption().warning();

  @Option(
      names = "--preemption-window",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long after the notice of its preemption a spot Node is gone, with whatever is left on it; the fleet may take it earlier. Default: 7m.")
  private Duration preemptionWindow = PlanSettings.DEFAULTS.preemption().window();

  @Option(
      names = "--preemption-force",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "How long before the end of that window PodDisruptionBudgets are no longer respected. Default: 30s.")
  private Duration preemptionForce = PlanSettings.DEFAULTS.preemption().forced();

  @Option(
      names = "--verification-namespace",
      paramLabel = "NAME",
      converter = OptionValues.OfNamespace.class,
      description =
          "The Namespace of the Jobs that verify repaired machines, and of the ConfigMaps with their templates, which pools name in the annotation nodepool.io/verification-job."
              + " It counts as control-plane. Without it no such Job runs.")
  private Optional<String> verificationNamespace = Optional.empty();

  @Option(
      names = "--verification-deadline",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "How long such a Job may run; then it has failed. Default: 30m.")
  private Duration verificationDeadline = PlanSettings.Jobs.DEADLINE;

  @Option(
      names = "--preserved-nodes",
      paramLabel = "N",
      description =
          "How many faulty Nodes a pool with the annotation nodepool.io/preserve keeps for inspection at once, 0 to 100. Default: 1.")
  private int preservedNodes = PlanSettings.PreserveSettings.DEFAULTS.most();

  @Option(
      names = "--preserve-time",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "How long such a Node is kept at most. Default: 72h.")
  private Duration preserveTime = PlanSettings.PreserveSettings.DEFAULTS.time();

  @Option(
      names = "--repair-hold",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "After no operator watched the cluster for longer than this, no repair begins for as long. Default: 10m.")
  private Duration repairHold = PlanSettings.RepairSettings.DEFAULTS.hold();

  @Option(
      names = "--reference-generation",
      paramLabel = "current|oldest",
      description =
          "With oldest, NodePools have the conditions Accepted, Allocated, MetadataSynced and SufficientCapacity of CoreWeave's oldest reference too, and its Events are emitted beside"
              + " the newer ones. Back at current, these conditions are removed. Default: current.")
  private ReferenceGeneration referenceGeneration = ReferenceGeneration.CURRENT;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /**
   * The planner's settings from these options.
   *
   * @throws picocli.CommandLine.ParameterException if the timeline of a preemption is not in order
   */
  public PlanSettings settings() {
    OptionValues.require(
        spec,
        preemptionWarning.plus(preemptionForce).compareTo(preemptionWindow) <= 0,
        "--preemption-warning and --preemption-force do not fit into --preemption-window: %s and %s are longer than %s"
            .formatted(
                Messages.duration(preemptionWarning),
                Messages.duration(preemptionForce),
                Messages.duration(preemptionWindow)));
    OptionValues.require(
        spec,
        preservedNodes >= 0 && preservedNodes <= MOST_PRESERVED,
        "--preserved-nodes is %d; it is a number from 0 to %d"
            .formatted(preservedNodes, MOST_PRESERVED));
    return PlanSettings.DEFAULTS
        .withDelivery(
            PlanSettings.DEFAULTS
                .delivery()
                .withMissingQuotaIsUnlimited(missingQuota == MissingQuota.UNLIMITED)
                .withDeadline(deliveryDeadline)
                .withRegistrationDeadline(registrationDeadline))
        .withGeneration(referenceGeneration)
        .withSettle(settle)
        .withDrainDeadline(drainDeadline)
        .withPreemption(
            new PlanSettings.PreemptionSettings(
                preemptionWarning, preemptionWindow, preemptionForce))
        .withRepair(
            new PlanSettings.RepairSettings(
                new PlanSettings.PreserveSettings(preservedNodes, preserveTime),
                verificationNamespace.map(
                    namespace -> new PlanSettings.Jobs(namespace, verificationDeadline)),
                repairHold));
  }
}
