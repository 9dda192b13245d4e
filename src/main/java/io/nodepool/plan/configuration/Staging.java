package io.nodepool.plan.configuration;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import java.util.List;
import java.util.Optional;

/**
 * Stages configurations on Nodes: which one the machine of a Node adopts at its next boot, whatever
 * causes that boot (seed 001).
 */
public final class Staging {
  private static final String LAST_ATTEMPT = "the last attempt boots another configuration";

  private Staging() {}

  /**
   * What is staged on a Host.
   *
   * @param events the Events that precede it
   */
  public record Staged(HostOperation.Stage stage, List<EventDraft> events, String why) {
    private PlannedAction alone() {
      return new PlannedAction(events, new Action.OnHost(stage), why);
    }
  }

  /**
   * The write that stages what the Node's machine has to boot next; empty if that is staged. Under
   * RolloutOnCommand the machine keeps what it booted until its turn, so that no other reboot
   * changes it earlier.
   */
  public static Optional<PlannedAction> atRest(Host host, Node node, Pool pool) {
    ConfigurationState state = pool.status().configuration();
    boolean waitsForTurn =
        pool.spec().configuration().strategy() == UpdateStrategy.ROLLOUT_ON_COMMAND;
    return stage(
            host,
            node,
            pool,
            state.isDisabled() || waitsForTurn
                ? host.report().bootedConfiguration()
                : state.profile(),
            "the Node has no turn in a rollout")
        .map(Staged::alone);
  }

  /**
   * What is staged for a boot of the Node's machine in a reconfiguration; empty if that is staged.
   * The last attempt boots what the machine booted before, to distinguish a fault of the machine
   * from a fault of the configuration.
   */
  public static Optional<Staged> forReconfiguration(
      Host host, Node node, Pool pool, boolean lastAttempt) {
    ConfigurationState state = pool.status().configuration();
    return stage(
        host,
        node,
        pool,
        state.isDisabled() || lastAttempt ? before(host, state) : state.profile(),
        LAST_ATTEMPT);
  }

  /**
   * What is staged for a boot of the Node's machine that does not reconfigure it; empty if that is
   * staged. The machine boots what is staged. In place of the active configuration, the last
   * attempt boots what the machine booted before; so do all attempts once it is disabled.
   *
   * @param onFormerBoot whether the machine is still on the boot from before its reboot, or from
   *     before its last attempt
   */
  public static Optional<Staged> forReboot(
      Host host, Node node, Pool pool, boolean onFormerBoot, boolean lastAttempt) {
    ConfigurationState state = pool.status().configuration();
    boolean isActive = host.occupancy().configuration().equals(state.profile());
    return isActive && (state.isDisabled() || lastAttempt)
        ? stage(
            host,
            node,
            pool,
            onFormerBoot ? host.report().bootedConfiguration() : before(host, state),
            LAST_ATTEMPT)
        : Optional.empty();
  }

  /** What the machine booted before the active configuration, or an earlier active one. */
  private static String before(Host host, ConfigurationState state) {
    String booted = host.report().bootedConfiguration();
    return booted.isEmpty() || booted.equals(state.profile())
        ? state
            .earlier()
            .filter(each -> !each.boots().disabled())
            .findFirst()
            .map(Revision::profile)
            .orElse(state.profile())
        : booted;
  }

  /**
   * @param otherwise why the active configuration is not staged although it is not disabled
   */
  private static Optional<Staged> stage(
      Host host, Node node, Pool pool, String configuration, String otherwise) {
    String last = host.occupancy().configuration();
    if (configuration.isEmpty() || configuration.equals(last) || pool.isTerminating()) {
      return Optional.empty();
    }
    ConfigurationState state = pool.status().configuration();
    String booted = host.report().bootedConfiguration();
    boolean isNew = configuration.equals(state.profile()) && !configuration.equals(booted);
    boolean isTakenBack = !isNew && !last.isEmpty() && !last.equals(booted);
    List<EventDraft> events =
        isTakenBack ? List.of(takenBack(host, node, state, configuration, otherwise)) : List.of();
    return Optional.of(
        new Staged(
            new HostOperation.Stage(host.id(), host.tenancy(), pool.id(), last, configuration),
            events,
            isNew ? "the active configuration is another one" : "it keeps what it booted"));
  }

  /** The Event that the active configuration is staged on the Node; empty if it is not. */
  public static Optional<EventDraft> staged(Host host, Node node, Pool pool) {
    ConfigurationState state = pool.status().configuration();
    String booted = host.report().bootedConfiguration();
    return Optional.of(host.configuration())
        .filter(next -> next.equals(state.profile()) && !next.equals(booted) && !booted.isEmpty())
        .map(next ->
            new EventDraft(
                EventReason.CONFIG_STAGED,
                node,
                "%s %s".formatted(next, occasion(host, state)),
                "Configuration %s is staged on Node %s, which boots it next."
                    .formatted(next, node.name())));
  }

  /** What was staged is not booted any more, unless it is staged again. */
  private static EventDraft takenBack(
      Host host, Node node, ConfigurationState state, String configuration, String otherwise) {
    String last = host.occupancy().configuration();
    String why =
        last.equals(state.profile())
            ? state.isDisabled() ? "it is disabled" : otherwise
            : "the active configuration is %s".formatted(state.profile());
    return new EventDraft(
        EventReason.CONFIG_UNSTAGED,
        node,
        "%s instead of %s %s".formatted(configuration, last, occasion(host, state)),
        "Configuration %s is no longer staged on Node %s, which boots %s next: %s."
            .formatted(last, node.name(), configuration, why));
  }

  /** Identifies the activation of the active configuration, and the boot of the machine. */
  private static String occasion(Host host, ConfigurationState state) {
    return "active since %s, on boot %s"
        .formatted(
            state.active().map(each -> each.activatedAt().toString()).orElse(""),
            host.report().bootId());
  }
}
