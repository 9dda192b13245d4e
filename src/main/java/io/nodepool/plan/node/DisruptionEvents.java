package io.nodepool.plan.node;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.disruption.Preservation;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Events about the disruption of a Node. They are named after the number of the disruption, so
 * a write that is retried after a crash has the same Events. The pool reports what happens to Nodes
 * whose machines it holds. For Nodes without a machine, these Events do that.
 *
 * @param held whether the pool holds the machine of the Node
 */
record DisruptionEvents(Node node, PoolId pool, boolean held) {
  /** The occasion that names the Events of a disruption. */
  static String number(Disruption.Active active) {
    return "disruption " + active.sequence();
  }

  /** An Event about a disruption of the Node. */
  EventDraft ofNode(EventReason reason, Disruption.Active of, String message) {
    return ofNode(reason, number(of), message);
  }

  /** An Event about the Node. */
  EventDraft ofNode(EventReason reason, String occasion, String message) {
    return new EventDraft(reason, EventDraft.Regarding.of(node), occasion, message);
  }

  private EventDraft ofPool(EventReason reason, String occasion, String message) {
    return new EventDraft(
        reason, EventDraft.Regarding.of(pool), node.uid() + "/" + occasion, message);
  }

  /**
   * The machine is back.
   *
   * @param wanted the configuration that its pool's Nodes boot
   * @param said the text about who verified it; empty text if it was not verified
   */
  EventDraft back(
      Disruption.Committed reboot, Host host, BootKind kind, Optional<String> wanted, String said) {
    String boot = host.report().bootId();
    if (!kind.boots()) {
      return said.isEmpty()
          ? ofNode(
              EventReason.NODE_NOT_VERIFIED,
              reboot,
              "Node %s is not verified, on boot %s: its fleet does not verify. It is back in production."
                  .formatted(node.name(), boot))
          : ofNode(
              EventReason.NODE_VERIFIED,
              reboot,
              "Node %s is verified, on boot %s.".formatted(node.name(), boot));
    }
    String booted = host.report().bootedConfiguration();
    boolean reconfigured = RebootRequest.stateOf(reboot.causes()) == LifecycleState.RECONFIGURE;
    boolean upToDate = reconfigured && wanted.filter(booted::equals).isPresent();
    return ofNode(
        upToDate ? EventReason.RECONFIGURE_REBOOTED : EventReason.NODE_REBOOTED,
        reboot,
        "Node %s is on boot %s%s%s."
            .formatted(
                node.name(),
                boot,
                said,
                reconfigured && !booted.isEmpty() ? "; its configuration is " + booted : ""));
  }

  /** The machine did not come back for this reason, and the Node leaves. */
  List<EventDraft> failed(Disruption.Committed reboot, String why) {
    String message =
        "Node %s did not come back from its reboot: %s. It leaves NodePool %s, and its Host is set aside."
            .formatted(node.name(), why, pool.name());
    return List.of(
        ofNode(EventReason.NODE_REBOOT_FAILED, reboot, message),
        ofPool(EventReason.NODE_REBOOT_FAILED, String.valueOf(reboot.sequence()), message));
  }

  /**
   * The machine did not pass the verification for this alert.
   *
   * @param then what follows, as a sentence without its full stop
   */
  EventDraft notVerified(Disruption.Active reboot, String alert, String why, String then) {
    return ofNode(
        EventReason.NODE_NOT_VERIFIED,
        reboot,
        "Node %s is not verified for the alert %s: %s. %s."
            .formatted(node.name(), alert, why, then));
  }

  /** The machine did not boot, or was not verified, and another attempt follows. */
  EventDraft retried(Disruption.Committed reboot, int attempt, int attempts, String why) {
    return ofNode(
        EventReason.NODE_REBOOT_RETRIED,
        number(reboot) + "/" + attempt,
        "Node %s: %s. Attempt %d of %d.".formatted(node.name(), why, attempt, attempts));
  }

  /** The verification Job of the repaired machine cannot be created. */
  EventDraft jobRefused(Disruption.Committed reboot, String why) {
    return ofNode(
        EventReason.NODE_VERIFICATION_JOB_REFUSED,
        reboot,
        "Node %s is repaired, and the Job that is to verify it cannot be created: %s. It stays cordoned until that is corrected."
            .formatted(node.name(), why));
  }

  /** The verification Job was gone before its end was read, and is created again. */
  EventDraft jobLost(Disruption.Committed reboot, Action.RunJob job, int times) {
    return ofNode(
        EventReason.NODE_VERIFICATION_JOB_LOST,
        number(reboot) + "/" + job.job() + "/" + times,
        "Node %s is repaired, and Job %s/%s that is to verify it was deleted before its end was read, %s by now. The Node stays cordoned, and the Job is created again."
            .formatted(node.name(), job.namespace(), job.job(), Messages.count(times, "time")));
  }

  /** An Event about the Node, and one about its pool if the pool does not hold the machine. */
  private List<EventDraft> said(EventReason reason, String occasion, String message) {
    EventDraft ofNode = ofNode(reason, occasion, message);
    return held || pool.name().isEmpty()
        ? List.of(ofNode)
        : List.of(
            ofNode,
            ofPool(
                reason,
                occasion,
                "Node %s has no machine of the pool any more. %s".formatted(node.name(), message)));
  }

  /** The Events that announce these causes, if a cause has one. */
  List<EventDraft> announced(List<Disruption.Cause> causes) {
    return causes.stream()
        .flatMap(cause -> KnownCause.of(cause).announced(node, pool).stream())
        .toList();
  }

  /** The Node is cordoned for these causes. */
  List<EventDraft> cordoned(Disruption.Active next) {
    return said(
        EventReason.NODE_CORDONED,
        number(next),
        "Node %s is cordoned: %s.".formatted(node.name(), cordonText(next)));
  }

  private String cordonText(Disruption.Active next) {
    return next.causes().stream()
        .filter(Disruption.Cause::leaves)
        .min(Comparator.comparing(cause -> cause.rule().countsAs()))
        .map(cause -> KnownCause.of(cause).cordonText(pool))
        .orElseGet(next::text);
  }

  /**
   * The Node is cordoned again, because another client uncordoned it. If the disruption is
   * committed, an Event answers that client.
   */
  List<EventDraft> cordonedAgain(Disruption.Active last, Disruption.Active next) {
    List<EventDraft> events = new ArrayList<>();
    last.commitment()
        .map(committed ->
            ofNode(
                EventReason.NODE_REQUEST_REFUSED,
                number(last) + "/uncordoned",
                uncordonedText(committed)))
        .ifPresent(events::add);
    events.addAll(
        said(
            EventReason.NODE_CORDONED,
            number(last) + "/again",
            "Node %s is cordoned again: %s.".formatted(node.name(), cordonText(next))));
    return events;
  }

  /** The disruption is withdrawn, because another client uncordoned the Node. */
  List<EventDraft> cancelled(Disruption.Active last) {
    return List.of(
        ofNode(
            EventReason.NODE_REQUEST_REFUSED,
            number(last) + "/cancelled",
            "Another client uncordoned Node %s, which withdraws what it was cordoned for: %s."
                .formatted(node.name(), last.text())));
  }

  private String uncordonedText(Disruption.Committed committed) {
    return committed.isLeaving()
        ? "Node %s was uncordoned after its drain began: the drain goes on, and the Node is cordoned again."
            .formatted(node.name())
        : "Node %s was uncordoned after %s was committed: that goes on, and the Node is cordoned again until it is back."
            .formatted(node.name(), RebootRequest.stateOf(committed.causes()).word());
  }

  /** The Events of the first of these causes that removes the Node from its pool; else empty. */
  Stream<EventDraft> marked(Disruption.Active next, List<Disruption.Cause> joined) {
    return joined.stream()
        .filter(cause -> cause.rule().countsAs() == CauseRule.CountsAs.REMOVAL)
        .limit(1)
        .flatMap(cause ->
            said(
                EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
                number(next) + "/" + cause.what().word(),
                "Node %s is to leave NodePool %s: %s."
                    .formatted(node.name(), pool.name(), cause.text()))
                .stream());
  }

  /** The drain has reached this stage; for a later Pod, it may begin after its deadline. */
  List<EventDraft> drain(Disruption.Committed last, Drain drain) {
    List<EventDraft> events = new ArrayList<>();
    if (last.drain() == DrainStage.NONE) {
      events.addAll(draining(last, drain));
    }
    Node.Removing reached = drain.report();
    reason(reached)
        .ifPresent(reason -> events.addAll(said(reason, number(last), reached.message())));
    return events;
  }

  /** The commitment with this drain, whose deadline may have passed already. */
  List<EventDraft> committed(Disruption.Committed next, Drain drain) {
    if (drain.isDone()) {
      return List.of();
    }
    List<EventDraft> events = new ArrayList<>(draining(next, drain));
    if (drain.stage() == DrainStage.FORCED) {
      events.addAll(
          said(EventReason.NODE_DRAINING_FORCE_DELETE, number(next), drain.report().message()));
    }
    return events;
  }

  private List<EventDraft> draining(Disruption.Committed of, Drain drain) {
    return said(
        EventReason.NODE_DRAINING,
        number(of),
        "Node %s is being drained: %s.".formatted(node.name(), drain.left()));
  }

  /** The Event for this stage of a drain; empty if the stage has none. */
  private static Optional<EventReason> reason(Node.Removing reached) {
    return switch (reached.reason()) {
      case BLOCKED_BY_BUDGET -> Optional.of(EventReason.NODE_DRAINING_PDB_VIOLATION);
      case FORCED -> Optional.of(EventReason.NODE_DRAINING_FORCE_DELETE);
      case MARKED, TERMINATING, DRAINING, DETACHING, VERIFYING, PRESERVED, AWAITING_FINALIZERS ->
          Optional.empty();
    };
  }

  /** The Event for this stage of a drain, about the Node only. */
  List<EventDraft> reported(Disruption.Committed of, Node.Removing reached) {
    return reason(reached).map(reason -> ofNode(reason, of, reached.message())).stream().toList();
  }

  /**
   * The Node is drained, and leaves now.
   *
   * @param late the Pods that were bound too late to be drained, as text; else empty text
   */
  List<EventDraft> prepared(Disruption.Committed removal, String late, String endText) {
    return said(
        EventReason.NODE_PREPARED_FOR_TERMINATE,
        number(removal),
        "Node %s has nothing left to be evicted%s; %s.".formatted(node.name(), late, endText));
  }

  /** The Node is drained, and its machine is kept for inspection. */
  List<EventDraft> preserved(Disruption.Committed removal, Assignment.Preserved kept) {
    String message =
        "Node %s has left NodePool %s. %s."
            .formatted(node.name(), pool.name(), Preservation.text(kept));
    return List.of(
        ofNode(EventReason.NODE_PRESERVED, removal, message),
        ofPool(EventReason.NODE_PRESERVED, number(removal), message));
  }

  /** The Node is uncordoned. */
  List<EventDraft> uncordoned(Disruption.Active last, String what) {
    return said(
        EventReason.NODE_UNCORDONED,
        number(last),
        "Node %s is uncordoned and %s.".formatted(node.name(), what));
  }
}
