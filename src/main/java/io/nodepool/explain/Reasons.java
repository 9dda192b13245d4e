package io.nodepool.explain;

import io.nodepool.fleet.Host;
import io.nodepool.health.DropReason;
import io.nodepool.health.StandingAlert;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.node.NodeActivity;
import io.nodepool.plan.pool.ScaleDownCandidates;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * A sentence for each limit, wait and refusal of the planners. The switches are exhaustive, so a
 * new constant does not compile without an answer.
 */
final class Reasons {
  private static final int NAMED = 3;

  private Reasons() {}

  /** What holds a disruption, and what releases it. */
  static String of(Decision.Held held, DisruptionAdmission admission) {
    return switch (held.limit()) {
      case PAUSED -> admission.pauseText() + ", until a person resumes it";
      case FLEET_UNKNOWN -> "the fleet cannot be reached";
      case MACHINE -> admission.holdText();
      case UNWATCHED -> "no operator watched for a while, until just now";
      case CATALOGUE_UNREADABLE ->
          "the alert catalogue cannot be read, until its ConfigMap is corrected";
      case AT_ONCE -> "one plan cordons no more Nodes; the next one does";
      case UNAVAILABLE ->
          "too many Nodes of the pool are unavailable, %d of at most %d, until some are back"
              .formatted(held.count(), held.most());
      case IN_A_ROW -> "too many Nodes in a row left the pool for this, until a person releases it";
      case IN_FLIGHT ->
          "too many Nodes leave the pool for this, %d of at most %d, until one has left"
              .formatted(held.count(), held.most());
      case IN_FLIGHT_IN_FLEET ->
          "too many Nodes of all pools leave for this, %d of at most %d, until one has left"
              .formatted(held.count(), held.most());
      case RATE -> "one has just begun; the next one follows within a minute";
    };
  }

  /**
   * The fate of a Node that could leave, and why.
   *
   * @param work what keeps the Node
   */
  static String of(Verdict verdict, String work) {
    return switch (verdict.outcome()) {
      case CHOSEN -> verdict.text();
      case WAITING -> "its pool does not end its work: " + work;
      case PASSED_OVER ->
          "its pool passes it over for some minutes, since tenant work or a person kept it";
      case RACK_STAYS -> "its rack does not leave as a whole";
      case PAUSED -> "a user paused the pool, until a person resumes it";
      case KEPT ->
          "its pool has no Node too many that it would choose now; it is number %d of %d: %s"
              .formatted(verdict.place(), verdict.of(), kept(verdict, work));
    };
  }

  /** Why a Node ranks as it does. The text of the last rank is for chosen Nodes. */
  static String kept(Verdict verdict, String work) {
    return verdict.rank() == CandidateRank.ACTIVE ? work : verdict.rank().text();
  }

  /** What decided between a Node and the nearest Node with another fate. */
  static String of(ScaleDownCandidates.Key key, Member member) {
    return switch (key) {
      case RANK -> "";
      case CHOSEN_BEFORE ->
          member.revocable().isPresent() ? "chosen before others" : "others were chosen before";
      case WORK -> member.isBusy() ? "with work" : "without work";
      case FEWEST_PODS -> Messages.count(member.workload().pods(), "Pod");
      case NEWEST ->
          member
              .host()
              .assignment()
              .map(each -> "assigned at %s (the newest leave first)".formatted(each.at()))
              .orElse("");
      case UID -> "by the UID of its Host";
    };
  }

  /** How long the operator has reported a Node as idle; else empty text. */
  static String since(Verdict verdict, Instant now) {
    return verdict
        .member()
        .node()
        .filter(_ -> verdict.rank() == CandidateRank.IDLE)
        .map(Node::status)
        .flatMap(status -> status.condition(NodeCondition.ACTIVE))
        .filter(each -> !each.status() && each.since().isBefore(now))
        .map(each -> " for " + Messages.duration(Duration.between(each.since(), now)))
        .orElse("");
  }

  /** The work of a busy Node; empty text for an idle Node. */
  static String work(MachineSnapshot seen, Instant now) {
    return seen.presentNode().map(node -> work(seen, node, now)).orElse("");
  }

  private static String work(MachineSnapshot seen, Node node, Instant now) {
    List<Pod> pods = NodeActivity.work(seen, node, now);
    if (!pods.isEmpty()) {
      return Messages.list(
              pods.stream().map(pod -> pod.namespace() + "/" + pod.name()).sorted().toList(), NAMED)
          + " (not interruptible)";
    }
    return node.locked()
        ? "SUNK holds it for a job"
        : node.isReportedActive()
            ? "its CWActive is True: " + node.activity().map(Node.Activity::message).orElse("")
            : "";
  }

  /** What a pool awaits of a machine. */
  static String of(Member.Awaited awaited) {
    return switch (awaited) {
      case DELIVERY -> "its machine has to boot";
      case REGISTRATION -> "its machine has booted, and has to join as a Node that becomes Ready";
      case OUTAGE -> "its machine does not run any more, as its fleet reports";
    };
  }

  /** What the drain of a Node waits for. */
  static String of(DrainStage stage) {
    return switch (stage) {
      case NONE, BEGUN -> "its Pods end";
      case BLOCKED -> "PodDisruptionBudgets allow the next eviction";
      case FORCED -> "its Pods, which are deleted, end";
    };
  }

  /** Why nothing is done for an alert. */
  static String of(SuspectedAlert.Verdict verdict) {
    return switch (verdict) {
      case PENDING -> "it is in doubt, until machines were verified for it";
      case FALSE_ALARM -> "it is a false alarm, for a day or until a person releases it";
      case GENUINE -> "it is genuine";
      case HELD -> "nobody can learn whether it is true, until a person releases it";
    };
  }

  /** The state of the signals of an alert. */
  static String of(StandingAlert.State state) {
    return switch (state) {
      case STANDS -> "it stands";
      case STALE -> "its source has not confirmed it: nothing begins for it until that does";
      case ENDING -> "it is off, though not for long enough";
    };
  }

  /** Why a signal has no effect. */
  static String of(DropReason reason) {
    return switch (reason) {
      case STALE -> "nothing follows from it: it is older than the machine's boot";
      case FUTURE -> "nothing follows from it: its time is in the future";
    };
  }

  /** Why a Node does not get the active configuration now. */
  static String of(RolloutState.Phase phase) {
    return switch (phase) {
      case NONE -> "no rollout is under way; it boots into it with its next reboot";
      case RUNNING -> "a rollout is under way";
      case STOPPED -> "the rollout was stopped, until a person starts it";
      case PAUSED -> "the rollout has paused, until a person starts it";
    };
  }

  /** The word for a stand. */
  static String word(Rollout.Stand stand) {
    return stand.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /**
   * What a Node waits for in a rollout that goes on.
   *
   * @param limit how much of its limit is used
   * @param work what keeps the Node
   */
  static String of(Rollout.Turn turn, PoolPlan.Use limit, String work, Instant now) {
    Member member = turn.member();
    return switch (turn.stand()) {
      case UNDER_WAY -> "it is booted into it";
      case NEXT ->
          "a place: unavailable %d of at most %d, or its canary"
              .formatted(limit.count(), limit.most());
      case BUSY -> "its work to end: " + work;
      case CORDONED -> "the person who cordoned it";
      case HELD -> "its machine: " + member.findings().hold().map(Host.Hold::text).orElse("");
      case PASSED_OVER ->
          "time, at " + member.passedOverUntil(now).map(Messages::instant).orElse("");
      case TRIED -> "a person: its boots into it failed, or could not be requested";
      case UNAVAILABLE ->
          member
              .disruption()
              .map(each -> "another disruption: " + each.text())
              .orElse("its machine or its Node, which is not in production");
    };
  }

  /** What ends the hold of a pool's repairs. */
  static String until(RepairsHeldReason reason, String pool) {
    String release = "a day has passed, or: kubectl nodepool release " + pool;
    return switch (reason) {
      case ALERT_SUSPECTED ->
          "verifications clear it, a day has passed, or: kubectl nodepool release %s --suspect ALERT"
              .formatted(pool);
      case TOO_MUCH_WORK_ENDED, TOO_MANY_SET_ASIDE -> release;
      case WRITE_REFUSED -> "the API server accepts the writes, which are retried";
      case TOO_MANY_UNAVAILABLE -> "some of these Nodes are back";
      case SIGNALS_STALE -> "the source of the alert confirms or ends it";
      case FLEET_UNKNOWN -> "the fleet publishes its offer";
      case UNWATCHED -> "an operator has watched for a while (--repair-hold)";
      case CATALOGUE_UNREADABLE -> "the ConfigMap of the alerts is corrected or deleted";
      case MACHINE_HELD ->
          "its fleet reports the end of the maintenance, or reads the power of the machine again";
      case NOT_OFFERED -> "a person repairs the machine, since its fleet does not offer that";
      case ONLY_OBSERVED -> "the annotation is removed";
    };
  }

  /** What ends the reason in a pool's summary. */
  static String until(SummaryReason reason, String pool) {
    return switch (reason) {
      case DELETION_FAILS -> "the API server accepts the write, which is retried";
      case DELETING -> "its last Node is gone";
      case INVALID -> "its spec is corrected";
      case CONFIGURATION_MISSING ->
          "the fleet offers it, or another one is active: kubectl nodepool rollback " + pool;
      case FLEET_UNKNOWN -> "the fleet publishes its offer";
      case INTERNAL_ERROR -> "the API server accepts it, or the object is corrected";
      case DISABLED ->
          "another configuration is active: kubectl nodepool rollback %s, or upgrade"
              .formatted(pool);
      case REBOOTS_FAILED, REPAIRS_HELD -> "kubectl nodepool release " + pool;
      case PAUSED -> "kubectl nodepool resume " + pool;
      case ROLLOUT_PAUSED, ROLLOUT_STOPPED -> "kubectl nodepool rollout start " + pool;
      case RACK_ALERT -> "a person repairs the rack";
      case OVER_QUOTA -> "the quota is higher, or a pool that uses it has a lower target";
      case NO_QUOTA -> "the organisation has a quota for the type";
      case WAITS_FOR_MACHINES -> "machines become free that it admits";
      case STAGING_FAILS -> "the API server accepts the configuration, which is retried";
      case ROLLING_OUT -> "all Nodes are up to date: kubectl nodepool rollout status " + pool;
      case NODES_NOT_READY -> "they are Ready, or are repaired";
      case NODES_ALERTING -> "the alerts end, or what they ask for is done";
      case OBSERVING -> "the annotation is removed";
      case GROWING -> "its machines have joined, once nothing else holds it";
      case SHRINKING -> "the Nodes that leave are gone";
      case REBOOT_PENDING -> "the Nodes reboot: kubectl nodepool rollout start " + pool;
      case READY -> "";
    };
  }
}
