package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.MachineSnapshot.SeenJob;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The checks that a machine must pass after a boot: the verification by its fleet, and after a
 * repair the Job of its pool's user (decision D314).
 */
public record BootVerification(
    MachineSnapshot seen, Node node, BootRequest request, Instant now, PlanSettings settings) {
  /** The interval at which a Job that has not ended is read. */
  private static final Duration PACE = Duration.ofSeconds(15);

  /** The interval at which the creation of a Job is retried. */
  private static final Duration UNUSABLE = Duration.ofMinutes(1);

  /** How many times a Job that was gone before its end was read is created again soon. */
  private static final int AGAIN = 3;

  /** The interval after that. */
  private static final Duration GONE = Duration.ofHours(1);

  static final String REPAIRED = "its machine was repaired, and has to pass the Job of its pool";

  private static final String NOWHERE =
      ", without the Job that its pool asks for, since the operator has no Namespace for it";

  /** How much longer than its deadline a Job may take to end. */
  private static final Duration LATE = Duration.ofMinutes(5);

  /**
   * Whether the machine passed the verification of its boot; empty while that is not known. A
   * machine whose fleet does not verify has passed when its Node is Ready; while the offer cannot
   * be read, only a verification counts. A machine has not passed before its Node is Ready.
   */
  public Optional<Boolean> byFleet() {
    Host.Report report = seen.host().report();
    String boot = report.bootId();
    boolean ready = node.ready() && !boot.isEmpty() && node.status().bootId().equals(boot);
    boolean verifies = seen.offer().map(offer -> offer.capabilities().verifies()).orElse(true);
    if (!verifies) {
      return ready ? Optional.of(true) : Optional.empty();
    }
    return report
        .boot()
        .verification()
        .filter(verification -> verification.answers(boot, request))
        .map(Host.Verification::passed)
        .filter(passed -> ready || !passed);
  }

  /** The progress of the Job of a repaired machine. */
  public sealed interface Job {
    /**
     * No Job has to be passed, or it succeeded.
     *
     * @param said who verified the machine, for the Event; empty text if it was not verified
     */
    record Passed(String said) implements Job {}

    /** The Job did not succeed. */
    record Failed(String why) implements Job {}

    /**
     * This action is the next step.
     *
     * @param trouble why the Job could not be created before; empty otherwise
     * @param gone how often the Job was gone before its end was read; 0 otherwise
     */
    record Step(Action action, Optional<String> trouble, int gone) implements Job {}

    /** The Job has not ended, or could not be created; it is checked again at this instant. */
    record Waiting(Instant until) implements Job {}
  }

  /** The progress of the Job that the pool's user asks for. */
  public Job byJob() {
    String configMap = seen.pool().map(pool -> pool.spec().repair().verificationJob()).orElse("");
    if (configMap.isEmpty() || !request.isRepair()) {
      return new Job.Passed(said());
    }
    return settings
        .repair()
        .jobs()
        .map(jobs -> byJob(jobs, configMap))
        .orElseGet(() -> new Job.Passed(said() + NOWHERE));
  }

  /** The text for the Event; empty text if the fleet did not verify the machine. */
  private String said() {
    return seen.host().verified(request).orElse(false) ? ", and verified" : "";
  }

  private Job byJob(PlanSettings.Jobs jobs, String configMap) {
    String name = VerificationJob.nameOf(request);
    Action.RunJob run =
        new Action.RunJob(subject(), jobs.namespace(), name, configMap, jobs.deadline());
    return seen.evidence()
        .boot()
        .job()
        .filter(each -> each.job().name().equals(name))
        .map(last -> byJob(jobs, run, last))
        .orElseGet(() -> new Job.Step(run, Optional.empty(), 0));
  }

  private Job byJob(PlanSettings.Jobs jobs, Action.RunJob run, SeenJob last) {
    String job = "%s/%s".formatted(run.namespace(), run.job());
    String message = last.job().message();
    return switch (last.job().state()) {
      case SUCCEEDED ->
          new Job.Passed(
              (said().isEmpty() ? ", and verified by Job " : said() + ", also by Job ") + job);
      case FAILED -> new Job.Failed("its verification Job %s failed: %s".formatted(job, message));
      case RUNNING -> {
        Duration atMost = jobs.deadline().plus(LATE);
        yield now.isBefore(last.since().plus(atMost))
            ? next(last, PACE, new Action.ReadJob(subject(), run.namespace(), run.job()), "")
            : new Job.Failed(
                "its verification Job %s did not end within %s"
                    .formatted(job, Messages.duration(atMost)));
      }
      case GONE -> next(last, last.gone() < AGAIN ? PACE : GONE, run, "");
      case UNUSABLE -> next(last, last.at().equals(last.since()) ? PACE : UNUSABLE, run, message);
    };
  }

  private Job next(SeenJob last, Duration pace, Action action, String trouble) {
    Instant due = last.at().plus(pace);
    return now.isBefore(due)
        ? new Job.Waiting(due)
        : new Job.Step(
            action,
            Optional.of(trouble).filter(each -> !each.isEmpty()),
            last.job().state() == VerificationJob.State.GONE ? last.gone() : 0);
  }

  private Action.Subject.OfNode subject() {
    return new Action.Subject.OfNode(node.name(), node.uid());
  }
}
