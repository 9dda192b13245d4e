package io.nodepool.plan.rollout;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.pool.RolloutState.Phase;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The Events of a rollout: each belongs to one change of its phase and is emitted before that is
 * published. It is named after the published state, which a crash does not change, so that each
 * change is reported once. If a rollout is stopped because the record of the configurations was
 * lost, the Event of the loss reports that.
 *
 * @param next the configurations of the pool as they are to be published
 */
public record RolloutReport(PoolSnapshot seen, ConfigurationState next) {
  private static final String USER = "A user ";

  /**
   * The Events for the difference between the published state and this one, which may take several
   * steps in one plan: a command, another active configuration, and what the rollout does then.
   *
   * @param commanded the configurations after the commands of users, and before the rollout
   */
  public List<EventDraft> events(ConfigurationState commanded) {
    RolloutState published = published().rollout();
    RolloutState current = Rollout.current(seen, commanded);
    List<EventDraft> events = new ArrayList<>();
    change(published, commanded.rollout(), true).ifPresent(events::add);
    change(commanded.rollout(), current, false).ifPresent(events::add);
    change(current, next.rollout(), false).ifPresent(events::add);
    return events;
  }

  private ConfigurationState published() {
    return seen.pool().status().configuration();
  }

  private Optional<EventDraft> change(RolloutState before, RolloutState after, boolean byUser) {
    if (before.phase() == after.phase() && before.number() == after.number()) {
      return Optional.empty();
    }
    return switch (after.phase()) {
      case RUNNING ->
          Optional.of(
              before.number() == after.number()
                  ? continued(before, after, byUser)
                  : started(after));
      case PAUSED ->
          Optional.of(
              event(
                  EventReason.NODE_POOL_ROLLOUT_PAUSED,
                  after,
                  "The rollout of %s is paused with %s. %s"
                      .formatted(next.profile(), upToDate(), after.reason())));
      case STOPPED ->
          ended(EventReason.NODE_POOL_ROLLOUT_STOPPED, before, after, USER + "stopped the", "");
      case NONE ->
          ended(EventReason.NODE_POOL_ROLLOUT_COMPLETE, before, after, "The", " is complete");
    };
  }

  /** The Event of an end; empty if no rollout was under way, as after the record was lost. */
  private Optional<EventDraft> ended(
      EventReason reason, RolloutState before, RolloutState after, String begin, String end) {
    return before.phase() == Phase.NONE
        ? Optional.empty()
        : Optional.of(
            event(
                reason,
                after,
                "%s rollout of %s%s%s with %s."
                    .formatted(begin, next.profile(), lasted(before), end, upToDate())));
  }

  private EventDraft started(RolloutState after) {
    return event(
        EventReason.NODE_POOL_ROLLOUT_STARTED,
        after,
        USER + "started the rollout of %s: %s.".formatted(next.profile(), outdated(after)));
  }

  private EventDraft continued(RolloutState before, RolloutState after, boolean byUser) {
    String text =
        byUser
            ? USER + "continued the rollout of %s".formatted(next.profile())
            : "The rollout goes on with %s, which became active".formatted(next.profile());
    return event(
        EventReason.NODE_POOL_ROLLOUT_CONTINUED,
        after,
        "%s%s: %s.".formatted(text, lasted(before), outdated(after)));
  }

  /** Since when it was in the phase that ends; empty text if that was never published. */
  private String lasted(RolloutState before) {
    RolloutState published = published().rollout();
    boolean isPublished =
        before.number() == published.number() && before.phase() == published.phase();
    return published
        .since()
        .filter(_ -> isPublished)
        .map(since ->
            " (%s since %s)"
                .formatted(before.phase().word().toLowerCase(Locale.ROOT), Messages.instant(since)))
        .orElse("");
  }

  private BootedMembers booted() {
    return seen.members().byConfiguration();
  }

  private String upToDate() {
    return "%d of %s up to date"
        .formatted(booted().count(next.profile()), Messages.count(booted().count(), "node"));
  }

  /** How many Nodes must reboot, and what happens to work on them. */
  private String outdated(RolloutState after) {
    int all = booted().count();
    return "%d of %s to reboot, busy ones %s"
        .formatted(
            all - booted().count(next.profile()),
            Messages.count(all, "node"),
            isEvicting(after) ? "are drained" : "once they are idle");
  }

  private boolean isEvicting(RolloutState after) {
    return after.evicts() && !seen.pool().spec().configuration().rollout().isEvictTakenBack();
  }

  private EventDraft event(EventReason reason, RolloutState after, String message) {
    ConfigurationState published = published();
    return new EventDraft(
        reason,
        seen.pool().id(),
        "rollout %d of %s, since %s, command %d"
            .formatted(
                after.number(),
                published.profile(),
                published.active().map(Revision::activatedAt).map(Instant::toString).orElse(""),
                published.handled().command()),
        message);
  }
}
