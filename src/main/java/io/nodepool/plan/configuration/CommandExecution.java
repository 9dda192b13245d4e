package io.nodepool.plan.configuration;

import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.ConfigurationState.Pending;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.configuration.Selections.Selected;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UserText;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Carries out an accepted command. A rollback does not wait. A stop is carried out at once, even if
 * its command also has a promotion that waits, or is refused.
 */
record CommandExecution(ConfigurationChange change, Accepted command) {
  /** Stops the rollout, if the command asks for that. */
  void stop() {
    RolloutState last = change.state.rollout();
    if (command.stops() && last.phase() != RolloutState.Phase.NONE) {
      change.state = change.state.withRollout(last.stopped());
    }
  }

  boolean isRollback() {
    return command.rollback().isPresent() && !command.promote();
  }

  /** Whether it may be carried out while a change of the active configuration waits. */
  boolean mayOvertake() {
    return command.rollback().isPresent() || !command.promote();
  }

  /** What the command asks for beside a rollback. */
  void carryOut() {
    if (command.promote() && command.rollback().isPresent()) {
      refuse(
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT,
          "A promotion and a rollback were requested at the same time; neither is done"
              + notStarted());
      handle();
      return;
    }
    if (!command.promote() || promote()) {
      start();
      handle();
    }
  }

  private void handle() {
    change.handle(command.number());
  }

  /** Returns whether the promotion is done; else it waits, or is refused with the start. */
  private boolean promote() {
    Optional<Pending> pending = change.state.pending();
    if (pending.isEmpty()) {
      refuse(
          EventReason.NODE_POOL_NO_PENDING_CONFIGURATION,
          "There is no pending configuration to promote" + notStarted());
      handle();
      return false;
    }
    if (change.waits()) {
      return false;
    }
    change.activate(new Selected(pending.get().configuration(), pending.get().release()));
    change.state = change.state.withPending(Optional.empty()).withWaitingUntil(Optional.empty());
    return true;
  }

  private void start() {
    if (!command.starts()) {
      return;
    }
    RolloutState last = change.state.rollout();
    if (last.phase() == RolloutState.Phase.PAUSED) {
      forgetFailures();
    }
    RolloutState next =
        switch (last.phase()) {
          case NONE -> last.started();
          case STOPPED, PAUSED -> last.resumed();
          case RUNNING -> last;
        };
    change.state = change.state.withRollout(next.withEvicts(command.evict()));
  }

  /** A user continues: the failures that paused the rollout no longer count. */
  private void forgetFailures() {
    change.state =
        change.state.withRevision(
            change.state.profile(),
            active ->
                active.boots().disabled()
                    ? active
                    : active.withBoots(active.boots().countedFrom(change.in.now())));
  }

  /** Goes back at once, also while Nodes are in delivery and while another change waits. */
  void rollback() {
    String name = command.rollback().orElseThrow();
    Optional<Revision> target =
        name.isEmpty() ? change.state.earlier().findFirst() : change.state.revision(name);
    Optional<String> problem =
        target.map(this::rollbackProblem).orElseGet(() -> Optional.of(unknown(name)));
    if (problem.isPresent()) {
      refuse(
          EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED,
          "The rollback failed: %s%s".formatted(problem.get(), notStarted()));
      handle();
      return;
    }
    String abandoned = change.state.profile();
    change.activate(
        new Selected(target.orElseThrow().configuration(), target.orElseThrow().release()));
    change.state = change.state.withRevision(abandoned, each -> each.withAbandoned(true));
    change.pend();
    start();
    change.handle();
    handle();
  }

  private String unknown(String name) {
    return name.isEmpty()
        ? "no configuration was active before %s".formatted(change.state.profile())
        : "%s is none of its revisions: %s"
            .formatted(
                UserText.shortened(name, UserText.LONGEST_QUOTE),
                change.state.revisions().stream()
                    .map(Revision::profile)
                    .collect(Collectors.joining(", ")));
  }

  private Optional<String> rollbackProblem(Revision target) {
    if (target.profile().equals(change.state.profile())) {
      return Optional.of("%s is the active configuration".formatted(target.profile()));
    }
    if (target.boots().disabled()) {
      return Optional.of(
          "%s is disabled, because machines failed to boot it".formatted(target.profile()));
    }
    return change.in.kubernetes().problem(target.configuration());
  }

  /** The end of a sentence: a rollout is not started for a configuration that was not asked for. */
  private String notStarted() {
    return command.starts() ? ", and no rollout is started." : ".";
  }

  private void refuse(EventReason reason, String why) {
    change.report(reason, "command " + command.number(), why);
  }
}
