package io.nodepool.plan.report;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.FailedBoot;
import io.nodepool.model.pool.ConfigurationState.Pending;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.configuration.Reconfiguration;
import io.nodepool.vocabulary.EventReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Events of a change of a pool's configurations. Each is named after the published state that
 * it changes, which a crash does not change.
 */
final class ConfigurationReport {
  private ConfigurationReport() {}

  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    ConfigurationState before = recorder.before().configuration();
    ConfigurationState next = recorder.next().configuration();
    String since =
        "after %s, since %s"
            .formatted(
                before.profile(),
                before.active().map(each -> each.activatedAt().toString()).orElse("first"));
    if (!before.profile().isEmpty() && !before.profile().equals(next.profile())) {
      activated(recorder, before, next, since);
    }
    Optional<String> pending = next.pending().map(each -> each.configuration().profile());
    if (pending.isPresent()
        && !before.pending().map(each -> each.configuration().profile()).equals(pending)) {
      pending(recorder, next.pending().orElseThrow(), since);
    }
    if (before.waitingUntil().isEmpty() && next.waitingUntil().isPresent()) {
      recorder.emit(
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_PENDING,
          since + ", command " + before.handled().command(),
          "A change of the active configuration %s waits for Nodes in delivery, at most until %s."
              .formatted(before.profile(), next.waitingUntil().get()));
    }
    failures(recorder, before, next, seen.members());
    if (next.isDisabled() && !before.isDisabled()) {
      recorder.emit(
          EventReason.NODE_POOL_DISABLED,
          since,
          "Configuration %s is disabled, since boots into it failed in a row, on %s. Promote another one, roll back, or change the spec."
              .formatted(next.profile(), String.join(", ", next.boots().hosts())));
    }
  }

  /**
   * The change to the active configuration fails, because boots into it failed or it cannot be
   * staged. Each failure has one Event each time that the configuration becomes active, or a user
   * continues a rollout that paused for it; its count and names are updated.
   */
  private static void failures(
      EventRecorder recorder, ConfigurationState before, ConfigurationState next, Members members) {
    Revision active = next.active().orElse(null);
    if (active == null || !before.profile().equals(next.profile())) {
      return;
    }
    String since =
        "%s, active since %s, counted since %s"
            .formatted(
                next.profile(),
                active.activatedAt(),
                active.boots().countedSince().map(Instant::toString).orElse("then"));
    BootedMembers booted = members.byConfiguration();
    List<FailedBoot> known = before.boots().failures();
    boolean isUnderWay = booted.count(next.profile()) < booted.count();
    if (isUnderWay && !known.containsAll(active.boots().failures())) {
      List<String> hosts = active.boots().hosts();
      recorder.emit(
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED,
          "boots of " + since,
          "The change to configuration %s fails: boots into it failed on %s: %s. It is %s."
              .formatted(
                  next.profile(),
                  Messages.count(hosts.size(), "machine"),
                  Messages.list(hosts, EventLedger.NAMED),
                  active.boots().disabled() ? "disabled" : "retried"),
          hosts.size());
    }
    if (Reconfiguration.reportsStagingFailure(recorder.next())
        && !Reconfiguration.reportsStagingFailure(recorder.before())) {
      recorder.emit(
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED,
          "staging of " + since,
          "The change to configuration %s fails. %s. It is retried."
              .formatted(next.profile(), Reconfiguration.stagingFailure(members).orElseThrow()),
          members.count(Members.Trait.STAGING_FAILED));
    }
  }

  private static void activated(
      EventRecorder recorder, ConfigurationState before, ConfigurationState next, String since) {
    String summary = next.active().map(each -> summary(each.configuration().summary())).orElse("");
    recorder.emit(
        EventReason.NODE_CONFIG_STAGED,
        since,
        "Configuration %s is active%s.".formatted(next.profile(), summary));
    recorder.emit(
        EventReason.NODE_POOL_NODE_CONFIG_UPDATED,
        since,
        "The active configuration changed from %s to %s."
            .formatted(before.profile(), next.profile()));
  }

  private static void pending(EventRecorder recorder, Pending pending, String since) {
    recorder.emit(
        EventReason.PENDING_NODE_CONFIG,
        "%s: %s of %s".formatted(since, pending.configuration().profile(), pending.release()),
        "Configuration %s is pending%s."
            .formatted(
                pending.configuration().profile(), summary(pending.configuration().summary())));
  }

  private static String summary(List<String> parts) {
    return parts.isEmpty() ? "" : ": " + String.join(", ", parts);
  }
}
