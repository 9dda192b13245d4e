package io.nodepool.plan.configuration;

import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.plan.configuration.Selections.Selected;
import java.util.Optional;

/**
 * Determines which configuration of a pool is active and which one is pending: a state machine with
 * the spec, the fleet's releases, the strategy and the commands of users as its inputs. An input is
 * taken into account when it differs from what the published state has handled, so nothing is done
 * twice, and nothing is forgotten. Pure.
 */
record ConfigurationPlanner(ConfigurationInputs in, ConfigurationChange change) {
  /** The change to the state after this published one. */
  static ConfigurationChange step(ConfigurationState published, ConfigurationInputs in) {
    ConfigurationChange change = new ConfigurationChange(published, in);
    new ConfigurationPlanner(in, change).step();
    return change;
  }

  private void step() {
    begin();
    if (change.state.profile().isEmpty()) {
      return;
    }
    if (change.state.handled().strategy().isPresent()) {
      change.state =
          change.state.withHandled(change.state.handled().withPoolUid(in.pool().id().uid()));
    }
    Optional<CommandExecution> command =
        in.spec()
            .commands()
            .open(change.state.handled().command())
            .map(open -> new CommandExecution(change, open));
    command.ifPresent(CommandExecution::stop);
    if (command.filter(CommandExecution::isRollback).isPresent()) {
      command.get().rollback();
      return;
    }
    // A kubelet must not be newer than the API server, so nothing changes while that is not known.
    boolean follows =
        change.newest.isEmpty()
            || (!in.kubernetes().isUnknownFor(in.selections().releases()) && follow());
    if (follows && command.isEmpty()) {
      change.state = change.state.withWaitingUntil(Optional.empty());
    }
    command.filter(each -> follows || each.mayOvertake()).ifPresent(CommandExecution::carryOut);
  }

  /** The state of a pool that has none, or only a part of it. */
  private void begin() {
    LostConfigurations lost = new LostConfigurations(change);
    if (change.state.profile().isEmpty()) {
      boolean isLost = lost.isFound();
      if (!lost.recover()) {
        create();
      }
      if (isLost && !change.state.profile().isEmpty()) {
        lost.forgetCommands();
      }
    } else if (change.state.handled().strategy().isEmpty()) {
      adopt();
      if (in.spec().commands().accepted().isPresent()) {
        lost.forgetCommands();
      }
    } else if (change.state.handled().release().isEmpty() && change.newest.isPresent()) {
      // It was recovered while the fleet offered nothing that the spec selects.
      change.pend();
      change.handle();
    }
  }

  /** The first configuration of a pool. */
  private void create() {
    change.newest.ifPresent(selected -> {
      change.activate(selected);
      change.handle();
    });
  }

  /**
   * Adopts a state of an older operator, which contains only the active configuration. The newest
   * release counts as handled, unless the pool always follows releases.
   */
  private void adopt() {
    if (change.newest.isEmpty()) {
      return;
    }
    Selected active = change.selected(change.state.profile());
    change.activate(active);
    change.pend();
    change.handle();
    if (change.isAlways() && in.spec().commands().accepted().isEmpty()) {
      change.state = change.state.withHandled(change.state.handled().withRelease(active.release()));
    }
  }

  /**
   * Follows the spec, the strategy and the releases.
   *
   * @return whether all is handled; a change that waits for Nodes in delivery is not
   */
  private boolean follow() {
    boolean ofSpec = !in.spec().request().text().equals(change.state.handled().request());
    boolean ofRelease = !in.selections().newestRelease().equals(change.state.handled().release());
    boolean ofStrategy =
        !change.state.handled().strategy().equals(Optional.of(in.spec().strategy()));
    if (!ofSpec && !ofRelease && !ofStrategy) {
      return true;
    }
    if (ofSpec) {
      change.state =
          change.state.withRevisions(
              change.state.revisions().stream().map(each -> each.withAbandoned(false)).toList());
    }
    Optional<Selected> next =
        activated(ofSpec, ofRelease, ofStrategy)
            .filter(selected -> !selected.profile().equals(change.state.profile()));
    if (next.isPresent() && change.waits()) {
      return false;
    }
    next.ifPresent(change::activate);
    if (ofSpec || ofRelease || next.isPresent() || change.isAlways()) {
      change.pend();
    }
    change.handle();
    return true;
  }

  /** What becomes active without a command. */
  private Optional<Selected> activated(boolean ofSpec, boolean ofRelease, boolean ofStrategy) {
    String release = change.state.active().map(Revision::release).orElse("");
    return switch (in.spec().strategy()) {
      case MANUAL -> Optional.empty();
      case ON_SPEC_UPDATE, ROLLOUT_ON_COMMAND ->
          ofSpec
              ? in.selections().atOrAfter(release).or(() -> change.newest)
              : ofStrategy
                  ? in.selections().atOrAfter(release).filter(this::isWelcome)
                  : Optional.empty();
      case ALWAYS ->
          ofSpec
              ? change.newest
              : ofRelease || ofStrategy ? change.newest.filter(this::isWelcome) : Optional.empty();
    };
  }

  /** Whether a configuration may become active by itself: a user did not roll back from it. */
  private boolean isWelcome(Selected selected) {
    return change
        .state
        .revision(selected.profile())
        .filter(each -> each.abandoned() || each.boots().disabled())
        .isEmpty();
  }
}
