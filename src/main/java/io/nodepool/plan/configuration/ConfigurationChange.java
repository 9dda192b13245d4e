package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Handled;
import io.nodepool.model.pool.ConfigurationState.Pending;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.configuration.Selections.Selected;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The change of a pool's configurations in one step, and the Events about it. */
final class ConfigurationChange {
  final ConfigurationInputs in;

  /** What the spec selects now, on the newest release that has it. */
  final Optional<Selected> newest;

  /** The Events about the step that do not follow from the change of the state. */
  final List<EventDraft> reports = new ArrayList<>();

  /** The state so far. */
  ConfigurationState state;

  ConfigurationChange(ConfigurationState published, ConfigurationInputs in) {
    this.state = published;
    this.in = in;
    this.newest = in.selections().newest();
  }

  void report(EventReason reason, String occasion, String message) {
    reports.add(new EventDraft(reason, in.pool().id(), occasion, message));
  }

  boolean isAlways() {
    return in.spec().strategy() == UpdateStrategy.ALWAYS;
  }

  void activate(Selected selected) {
    state = Revisions.activate(state, selected, in.members().byConfiguration(), in.now());
  }

  /**
   * The configuration with this identifier, from the oldest release in which the spec selects it.
   */
  Selected selected(String profile) {
    return in.selections().releases().stream()
        .flatMap(release -> in.selections().atOrAfter(release.name()).stream())
        .filter(each -> each.profile().equals(profile))
        .findFirst()
        .orElseGet(() ->
            new Selected(
                ConfigurationContents.of(profile)
                    .map(ConfigurationContents::configuration)
                    .orElse(new NodeConfiguration(profile, List.of())),
                ""));
  }

  /**
   * Whether a change of the active configuration waits for Nodes that are in delivery: they would
   * register with another one than the active one. The change waits for Nodes that were assigned
   * before it began to wait, and not longer than their deadlines allow (decision D24).
   */
  boolean waits() {
    Instant until = state.waitingUntil().orElse(in.now().plus(in.deliveryTime()));
    boolean waits =
        !state.isDisabled()
            && in.now().isBefore(until)
            && in.deliveringSince(until.minus(in.deliveryTime()));
    state = state.withWaitingUntil(waits ? Optional.of(until) : Optional.empty());
    return waits;
  }

  /**
   * The newest selection becomes pending, unless it is active or disabled. With the strategy Always
   * nothing is pending.
   */
  void pend() {
    Optional<Selected> next =
        newest
            .filter(_ -> !isAlways())
            .filter(selected ->
                !selected.profile().equals(state.profile())
                    && !state.isDisabled(selected.profile()));
    state =
        state.withPending(
            next.map(selected ->
                state
                    .pending()
                    .filter(each -> each.configuration().profile().equals(selected.profile()))
                    .orElseGet(() ->
                        new Pending(
                            selected.configuration(),
                            selected.release(),
                            Revisions.createdAt(state, selected.profile(), in.now())))));
  }

  /** Marks the inputs as handled. A spec that selects nothing is handled once it does. */
  void handle() {
    if (newest.isPresent()) {
      handleAll();
    }
    state = state.withWaitingUntil(Optional.empty());
  }

  /** Marks the inputs as handled, also while the spec selects nothing. */
  void handleAll() {
    state =
        state.withHandled(
            new Handled(
                in.pool().id().uid(),
                in.spec().request().text(),
                Optional.of(in.spec().strategy()),
                in.selections().newestRelease(),
                state.handled().command()));
  }

  /** Marks all commands up to this one as handled. */
  void handle(int command) {
    state = state.withHandled(state.handled().withCommand(command));
  }
}
