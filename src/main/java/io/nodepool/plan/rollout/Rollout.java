package io.nodepool.plan.rollout;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.PoolConfiguration;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rollout of a pool's active configuration: it demands that one Node after the other boots into
 * it, while few enough Nodes are unavailable (decisions D68, D154 to D156). The machine's plan
 * carries out a turn. A plan that has no Node to choose reads counts.
 */
public record Rollout(
    PoolSnapshot seen,
    DisruptionAdmission admission,
    ConfigurationState configuration,
    RolloutSettings settings,
    int rackSize,
    Instant now) {
  /** A rollout pauses after this many failed boots in a row. */
  private static final int MOST_FAILURES = 3;

  /**
   * What is planned.
   *
   * @param plannedActions the actions that give Nodes their turn, and take it back
   * @param next the state of the rollout after them
   * @param progress how far the rollout is, in one line; empty if there is none
   * @param wakeup when to plan again even if nothing changes
   * @param soaked whether the canary of the configuration has soaked now
   */
  public record Outlook(
      List<PlannedAction> plannedActions,
      RolloutState next,
      Optional<String> progress,
      Optional<Instant> wakeup,
      boolean soaked) {
    public Outlook {
      plannedActions = List.copyOf(plannedActions);
    }

    /** This state of the configurations, with the rollout that follows the published one. */
    public ConfigurationState applied(
        ConfigurationState state, ConfigurationState published, Instant now) {
      ConfigurationState rolled = state.withRollout(next.after(published.rollout(), now));
      return soaked
          ? rolled.withRevision(
              state.profile(), active -> active.withBoots(active.boots().thatIsTrusted()))
          : rolled;
    }
  }

  /** The position in a rollout of a Node that has not booted into its configuration. */
  public enum Stand {
    /** It has its turn. */
    UNDER_WAY,
    /** It has its turn as soon as there is a place for it. */
    NEXT,
    /** It has tenant work, which the rollout does not end. */
    BUSY,
    /** Another client cordoned it. */
    CORDONED,
    /** Nothing begins on its machine. */
    HELD,
    /** It is passed over for some time. */
    PASSED_OVER,
    /** Its boots into the configuration failed, or could not be requested. */
    TRIED,
    /** It leaves, is disrupted for something else, or cannot be read. */
    UNAVAILABLE
  }

  /** A Node that has not booted into the configuration of a rollout. */
  public record Turn(Member member, Stand stand) {}

  /**
   * The Nodes that have not booted into this configuration, in the order in which a rollout gives
   * them their turn.
   */
  public static List<Turn> order(PoolSnapshot seen, ConfigurationState configuration, Instant now) {
    return new RolloutTurns(
            seen,
            new RolloutCause(configuration.profile(), configuration.rollout().evicts()),
            RolloutTries.of(seen.members(), configuration),
            now)
        .all();
  }

  /**
   * Plans the rollout.
   *
   * @param next the configurations of the pool as they are to be published
   * @param rackSize the number of Nodes in a rack, at most 1 for types that are allocated singly
   */
  public static Outlook plan(
      PoolSnapshot seen,
      DisruptionAdmission admission,
      ConfigurationState next,
      int rackSize,
      Instant now,
      PlanSettings settings) {
    RolloutSettings ofPool = seen.pool().spec().configuration().rollout();
    return new Rollout(seen, admission, next, ofPool.faster(settings.speed()), rackSize, now)
        .plan();
  }

  private Outlook plan() {
    RolloutTries tries = RolloutTries.of(seen.members(), configuration);
    RolloutState state = paused(tries);
    RolloutTurns turns =
        new RolloutTurns(
            seen, new RolloutCause(configuration.profile(), state.evicts()), tries, now);
    Optional<String> stop = stop(state);
    if (stop.isPresent()) {
      return new Outlook(
          turns.withdrawAll(stop.get()),
          // No plan checks its canary meanwhile.
          state.withCanary(Optional.empty()),
          progress(state, stop.get()),
          Optional.empty(),
          false);
    }
    if (isComplete()) {
      return new Outlook(List.of(), state.complete(), Optional.empty(), Optional.empty(), false);
    }
    RolloutCanary canary = RolloutCanary.of(seen, configuration.withRollout(state), settings, now);
    RolloutState next = state.withCanary(canary.next());
    UnavailableNodes level = UnavailableNodes.of(seen, settings.maxUnavailable(), rackSize);
    int unavailable = level.count();
    List<PlannedAction> plannedActions =
        new ArrayList<>(turns.withdrawLost(level, canary.surplus()));
    Optional<String> obstacle = obstacle();
    RolloutTurns.Choice choice =
        obstacle.isEmpty() && isPublished()
            ? turns.admit(admission, level, canary.room())
            : RolloutTurns.Choice.NONE;
    plannedActions.addAll(choice.plannedActions());
    if (tries.count() > 0
        && tries.count() >= total() - upToDate()
        && seen.members().count(Members.Trait.ROLLING_OUT) == 0) {
      RolloutState stuck = state.paused(tries.text());
      return new Outlook(plannedActions, stuck, progress(stuck, ""), Optional.empty(), false);
    }
    String unit = level.isInRacks() ? "racks unavailable" : "unavailable";
    String parts =
        Stream.of(
                Optional.of("%d %s of at most %d".formatted(unavailable, unit, level.most())),
                some(seen.missing(), "gone and not replaced yet"),
                some(booted().cordonedOutdated(configuration.profile()), "cordoned by others"),
                some(booted().heldOutdated(configuration.profile()), "with machines that are held"),
                some(choice.busy(), "busy"),
                some(choice.passedOver(), "passed over"),
                some(tries.exhausted().size(), "in another configuration after repeated boots"),
                some(tries.unmet().size(), "that could not be asked to boot"),
                canary.text(),
                some(unread(), "that cannot be read"),
                obstacle)
            .flatMap(Optional::stream)
            .collect(Collectors.joining(", "));
    return new Outlook(
        plannedActions,
        next,
        progress(parts),
        Stream.concat(canary.wakeup().stream(), choice.wakeup().stream()).min(Instant::compareTo),
        canary.soaked());
  }

  /** The state of the rollout, which pauses by itself after failures. */
  private RolloutState paused(RolloutTries tries) {
    RolloutState state = current();
    if (state.phase() != RolloutState.Phase.RUNNING) {
      return state;
    }
    if (configuration.isDisabled()) {
      return state.paused("The configuration is disabled, because too many boots of it failed.");
    }
    if (tries.unmet().size() >= MOST_FAILURES) {
      return state.paused(tries.text());
    }
    List<ConfigurationState.FailedBoot> failures = configuration.boots().failures();
    return failures.size() >= MOST_FAILURES
        ? state.paused(
            failures.stream().allMatch(ConfigurationState.FailedBoot::booted)
                ? "The last %d boots ended in another configuration, on %s."
                    .formatted(failures.size(), String.join(", ", configuration.boots().hosts()))
                : "The last %d boots of the configuration failed.".formatted(failures.size()))
        : state;
  }

  /**
   * The state before this plan's decisions. When another configuration becomes active the canary
   * begins anew, and a rollout that paused by itself goes on, since its reason is gone.
   */
  private RolloutState current() {
    RolloutState state = current(seen, configuration);
    return settings.isEvictTakenBack() ? state.withEvicts(false) : state;
  }

  /** The same state, before changes of the settings apply. */
  static RolloutState current(PoolSnapshot seen, ConfigurationState configuration) {
    RolloutState state = configuration.rollout();
    if (seen.pool().status().nodeProfile().equals(configuration.profile())) {
      return state;
    }
    return (state.phase() == RolloutState.Phase.PAUSED ? state.resumed() : state)
        .withCanary(Optional.empty());
  }

  /** Why no Node has a turn: a few words; empty while the rollout goes on. */
  private Optional<String> stop(RolloutState state) {
    if (seen.pool().isTerminating()) {
      return Optional.of("its pool is being deleted");
    }
    return switch (state.phase()) {
      case NONE -> Optional.of("no rollout is under way");
      case STOPPED -> Optional.of("its rollout is stopped");
      case PAUSED -> Optional.of("its rollout is paused");
      case RUNNING ->
          settings
              .problem()
              .map(_ -> "the settings of its rollout are invalid")
              .or(() ->
                  admission.isPaused(RolloutCause.RULE)
                      ? Optional.of(admission.pauseText())
                      : Optional.empty());
    };
  }

  /** Why no Node begins although the rollout goes on; empty if Nodes may. */
  private Optional<String> obstacle() {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost _ -> Optional.of("the fleet cannot be reached");
      case PoolSnapshot.Offer.Known(FleetOffer offer) ->
          PoolConfiguration.missing(seen, configuration).isPresent()
              ? Optional.of("the fleet does not offer the active configuration")
              : offer.capabilities().offers(BootKind.POWER_RESET)
                  ? Optional.empty()
                  : Optional.of("the fleet does not offer " + BootKind.POWER_RESET.word());
    };
  }

  /**
   * Whether this rollout is published: no Node begins before that, and a Node goes on only while
   * the rollout is published.
   */
  private boolean isPublished() {
    ConfigurationState published = seen.pool().status().configuration();
    return published.profile().equals(configuration.profile())
        && published.rollout().phase() == RolloutState.Phase.RUNNING
        && published.rollout().number() == configuration.rollout().number()
        && published.rollout().evicts() == current().evicts()
        && !seen.pool()
            .spec()
            .configuration()
            .commands()
            .holdRollout(published.handled().command());
  }

  /** Whether every member is up to date, and none has its turn any more. */
  private boolean isComplete() {
    return seen.members().count(Members.Trait.ROLLING_OUT) == 0
        && seen.unread().isEmpty()
        && seen.assigning() == 0
        && upToDate() == total()
        && booted().isComingInto(configuration.profile());
  }

  /** A part of the progress about some Nodes; empty if there are none. */
  private static Optional<String> some(int count, String what) {
    return count == 0 ? Optional.empty() : Optional.of(count + " " + what);
  }

  /** How many machines have no turn, because they cannot be read. */
  private int unread() {
    return seen.unread().size() + seen.members().count(Members.Trait.FROZEN);
  }

  private BootedMembers booted() {
    return seen.members().byConfiguration();
  }

  private int upToDate() {
    return booted().count(configuration.profile());
  }

  private int total() {
    return booted().count();
  }

  private Optional<String> progress(RolloutState state, String stop) {
    return switch (state.phase()) {
      case NONE -> Optional.empty();
      case STOPPED -> progress("stopped").map(text -> withReason(text, state));
      case PAUSED -> progress("paused").map(text -> withReason(text, state));
      case RUNNING ->
          settings
              .problem()
              .map(problem -> progress("waiting").orElse("") + " " + problem)
              .or(() -> progress(stop));
    };
  }

  private static String withReason(String text, RolloutState state) {
    return state.reason().isEmpty() ? text : text + " " + state.reason();
  }

  private Optional<String> progress(String rest) {
    return Optional.of(
        "Rollout of %s: %d of %d nodes up to date, %s."
            .formatted(configuration.profile(), upToDate(), total(), rest));
  }
}
