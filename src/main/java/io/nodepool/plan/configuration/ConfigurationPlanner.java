package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Handled;
import io.nodepool.model.pool.ConfigurationState.Pending;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.configuration.Selections.Selected;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Determines which configuration of a pool is active and which one is pending: a state machine with
 * the spec, the fleet's releases, the strategy and the commands of users as its inputs. An input is
 * taken into account when it differs from what the published state has handled, so nothing is done
 * twice, and nothing is forgotten. Pure.
 */
final class ConfigurationPlanner {
  /**
   * The result of a step.
   *
   * @param refused why the command that was carried out had no effect
   */
  record Outcome(ConfigurationState state, Optional<Refusal> refused) {}

  /** A command that has no effect, and the Event that says so. */
  record Refusal(EventReason reason, String why) {}

  private final ConfigurationInputs in;
  private final Selections selections;

  /** What the spec selects now, on the newest release that has it. */
  private final Optional<Selected> newest;

  private ConfigurationState state;
  private Optional<Refusal> refused = Optional.empty();

  private ConfigurationPlanner(ConfigurationState published, ConfigurationInputs in) {
    this.state = published;
    this.in = in;
    this.selections = in.selections();
    this.newest = selections.newest();
  }

  /** The state after this published one. */
  static Outcome step(ConfigurationState published, ConfigurationInputs in) {
    return new ConfigurationPlanner(published, in).step();
  }

  private Outcome step() {
    if (state.profile().isEmpty()) {
      create();
    } else if (state.handled().strategy().isEmpty()) {
      adopt();
    }
    if (state.profile().isEmpty()) {
      return new Outcome(state, refused);
    }
    Optional<ConfigurationCommands.Accepted> command = command();
    if (command.isPresent() && isRollback(command.get())) {
      rollback(command.get());
      return new Outcome(state, refused);
    }
    boolean follows = newest.isEmpty() || follow();
    command
        .filter(each -> follows || !each.promote() || each.rollback().isPresent())
        .ifPresent(this::carryOut);
    return new Outcome(state, refused);
  }

  /** The first configuration of a pool. */
  private void create() {
    newest.ifPresent(selected -> {
      activate(selected);
      handle();
    });
  }

  /**
   * A state from before configurations were followed: it names the active one only. What is newest
   * now counts as handled, except that a pool that always follows releases has followed none yet.
   */
  private void adopt() {
    if (newest.isEmpty()) {
      return;
    }
    Selected active =
        in.releases().stream()
            .filter(release -> release.name().equals(state.profile()))
            .findFirst()
            .flatMap(release -> selections.atOrAfter(release.name()))
            .filter(selected -> selected.profile().equals(state.profile()))
            .orElse(
                newest.get().profile().equals(state.profile())
                    ? newest.get()
                    : new Selected(
                        ConfigurationContents.of(state.profile())
                            .map(ConfigurationContents::configuration)
                            .orElse(new NodeConfiguration(state.profile(), List.of())),
                        ""));
    activate(active);
    pend();
    handle();
    if (isAlways()) {
      state = state.withHandled(state.handled().withRelease(active.release()));
    }
  }

  /** The command that was accepted and is not carried out yet. */
  private Optional<ConfigurationCommands.Accepted> command() {
    return in.spec()
        .commands()
        .accepted()
        .filter(each -> each.number() > state.handled().command());
  }

  private static boolean isRollback(ConfigurationCommands.Accepted command) {
    return command.rollback().isPresent() && !command.promote();
  }

  /**
   * Follows the spec, the strategy and the releases.
   *
   * @return whether all is handled; a change that waits for Nodes in delivery is not
   */
  private boolean follow() {
    boolean ofSpec = !in.spec().request().text().equals(state.handled().request());
    boolean ofRelease = !selections.newestRelease().equals(state.handled().release());
    boolean ofStrategy = !state.handled().strategy().equals(Optional.of(in.spec().strategy()));
    if (!ofSpec && !ofRelease && !ofStrategy) {
      return true;
    }
    if (ofSpec) {
      state =
          state.withRevisions(
              state.revisions().stream().map(each -> each.withAbandoned(false)).toList());
    }
    Optional<Selected> next =
        staged(ofSpec, ofRelease, ofStrategy)
            .filter(selected -> !selected.profile().equals(state.profile()));
    if (next.isPresent() && waits()) {
      return false;
    }
    next.ifPresent(this::activate);
    if (ofSpec || ofRelease || next.isPresent() || isAlways()) {
      pend();
    }
    handle();
    return true;
  }

  /** What becomes active without a command. */
  private Optional<Selected> staged(boolean ofSpec, boolean ofRelease, boolean ofStrategy) {
    String release = state.active().map(Revision::release).orElse("");
    return switch (in.spec().strategy()) {
      case MANUAL -> Optional.empty();
      case ON_SPEC_UPDATE, ROLLOUT_ON_COMMAND ->
          ofSpec
              ? selections.atOrAfter(release)
              : ofStrategy
                  ? selections.atOrAfter(release).filter(this::isWelcome)
                  : Optional.empty();
      case ALWAYS ->
          ofSpec
              ? newest
              : ofRelease || ofStrategy ? newest.filter(this::isWelcome) : Optional.empty();
    };
  }

  /** Whether a configuration may become active by itself: not one that was rolled back from. */
  private boolean isWelcome(Selected selected) {
    return state
        .revision(selected.profile())
        .filter(each -> each.abandoned() || each.boots().disabled())
        .isEmpty();
  }

  private void carryOut(ConfigurationCommands.Accepted command) {
    if (command.promote() && command.rollback().isPresent()) {
      refuse(
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT,
          "A promotion and a rollback were requested at the same time; neither is done.");
      handle(command);
      return;
    }
    if (command.promote()) {
      if (promote()) {
        command.rollout().ifPresent(this::rollout);
        handle(command);
      }
      return;
    }
    command.rollout().ifPresent(this::rollout);
    handle(command);
  }

  /** Returns whether the promotion is done, or refused; else it waits. */
  private boolean promote() {
    if (state.pending().isEmpty()) {
      refuse(
          EventReason.NODE_POOL_NO_PENDING_CONFIGURATION,
          "There is no pending configuration to promote; %s stays active."
              .formatted(state.profile()));
      return true;
    }
    if (waits()) {
      return false;
    }
    Pending pending = state.pending().get();
    activate(new Selected(pending.configuration(), pending.release()));
    state = state.withPending(Optional.empty()).withWaitingUntil(Optional.empty());
    return true;
  }

  private void rollout(String word) {
    RolloutState last = state.rollout();
    switch (word) {
      case PoolAnnotations.START -> {
        if (last.phase() == RolloutState.Phase.PAUSED) {
          forgetFailures();
        }
        state =
            state.withRollout(
                switch (last.phase()) {
                  case NONE -> last.started();
                  case STOPPED, PAUSED -> last.resumed();
                  case RUNNING -> last;
                });
      }
      case PoolAnnotations.STOP ->
          state =
              state.withRollout(last.phase() == RolloutState.Phase.NONE ? last : last.stopped());
      default ->
          refuse(
              EventReason.NODE_POOL_NODE_CONFIG_UPDATE_FAILED,
              "The annotation %s is \"%s\"; it is %s or %s."
                  .formatted(
                      PoolAnnotations.ROLLOUT.key(),
                      word,
                      PoolAnnotations.START,
                      PoolAnnotations.STOP));
    }
  }

  /** A user continues after failures: those that paused the rollout count no longer. */
  private void forgetFailures() {
    state =
        state.withRevision(
            state.profile(),
            active ->
                active.boots().disabled()
                    ? active
                    : active.withBoots(
                        new ConfigurationState.BootRecord(
                            false, active.boots().provenAt(), List.of())));
  }

  /** Goes back at once, also while Nodes are in delivery and while another change waits. */
  private void rollback(ConfigurationCommands.Accepted command) {
    String name = command.rollback().orElseThrow();
    Optional<Revision> target = name.isEmpty() ? state.earlier().findFirst() : state.revision(name);
    Optional<String> problem =
        target
            .map(this::rollbackProblem)
            .orElseGet(() ->
                Optional.of(
                    name.isEmpty()
                        ? "no configuration was active before %s".formatted(state.profile())
                        : "%s is none of its revisions: %s"
                            .formatted(
                                name,
                                state.revisions().stream()
                                    .map(Revision::profile)
                                    .collect(Collectors.joining(", ")))));
    if (problem.isPresent()) {
      refuse(
          EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED,
          "The rollback failed: %s. %s stays active.".formatted(problem.get(), state.profile()));
      handle(command);
      return;
    }
    String abandoned = state.profile();
    activate(new Selected(target.orElseThrow().configuration(), target.orElseThrow().release()));
    state = state.withRevision(abandoned, each -> each.withAbandoned(true));
    pend();
    command.rollout().ifPresent(this::rollout);
    handle();
    handle(command);
  }

  private Optional<String> rollbackProblem(Revision target) {
    if (target.profile().equals(state.profile())) {
      return Optional.of("%s is the active configuration".formatted(target.profile()));
    }
    if (target.boots().disabled()) {
      return Optional.of(
          "%s is disabled, because machines failed to boot it".formatted(target.profile()));
    }
    return in.kubernetes().problem(target.configuration());
  }

  private void refuse(EventReason reason, String why) {
    refused = Optional.of(new Refusal(reason, why));
  }

  /**
   * Whether a change of the active configuration waits for Nodes that are in delivery: they would
   * register with another one than the active one. It waits for those that were assigned before it
   * began to wait, and not longer than their deadlines allow (decision D24).
   */
  private boolean waits() {
    Instant until = state.waitingUntil().orElse(in.now().plus(in.deliveryTime()));
    boolean waits =
        !state.isDisabled()
            && in.now().isBefore(until)
            && in.deliveringSince(until.minus(in.deliveryTime()));
    state = state.withWaitingUntil(waits ? Optional.of(until) : Optional.empty());
    return waits;
  }

  private void activate(Selected selected) {
    state = Revisions.activate(state, selected, in.now());
  }

  private boolean isAlways() {
    return in.spec().strategy() == UpdateStrategy.ALWAYS;
  }

  /**
   * The newest selection becomes pending, unless it is active or disabled. With the strategy Always
   * nothing is pending.
   */
  private void pend() {
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
                            state
                                .revision(selected.profile())
                                .map(Revision::createdAt)
                                .orElse(in.now())))));
  }

  /** The inputs are handled. A spec that selects nothing is not: it is taken up when it does. */
  private void handle() {
    if (newest.isPresent()) {
      state =
          state.withHandled(
              new Handled(
                  in.spec().request().text(),
                  Optional.of(in.spec().strategy()),
                  selections.newestRelease(),
                  state.handled().command()));
    }
    state = state.withWaitingUntil(Optional.empty());
  }

  private void handle(ConfigurationCommands.Accepted command) {
    state = state.withHandled(state.handled().withCommand(command.number()));
  }
}
