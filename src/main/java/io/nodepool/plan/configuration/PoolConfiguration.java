package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The configurations of a pool at one plan: its next state, and the acceptance of a user's command.
 *
 * @param state the state to publish
 * @param reports Events beside those of the change: commands that had no effect, a lost state
 * @param plannedActions the acceptance of a command
 * @param verdict what other pools' reports about configurations change, in a sentence; empty if
 *     they change nothing
 */
public record PoolConfiguration(
    ConfigurationState state,
    List<EventDraft> reports,
    List<PlannedAction> plannedActions,
    Optional<String> verdict) {
  public PoolConfiguration {
    reports = List.copyOf(reports);
    plannedActions = List.copyOf(plannedActions);
  }

  /**
   * Plans the configurations of a pool.
   *
   * @param hasGpus whether its machines have GPUs
   * @param isValid whether its spec is valid; else the active and the pending configuration stay
   * @param late the members whose delivery has failed
   */
  public static PoolConfiguration plan(
      PoolSnapshot seen,
      boolean hasGpus,
      boolean isValid,
      List<Member> late,
      Instant now,
      PlanSettings settings) {
    Pool pool = seen.pool();
    ConfigurationState published = pool.status().configuration();
    KubernetesSkew skew = new KubernetesSkew(seen.availability().apiServer());
    ConfigurationInputs in =
        new ConfigurationInputs(
            pool,
            new Selections(
                pool.spec().configuration().request(),
                hasGpus,
                isValid ? releases(seen.offer(), skew) : List.of(),
                seen.availability().verdicts().in(published)),
            skew,
            seen.members(),
            settings.delivery().deadline().plus(settings.delivery().registrationDeadline()),
            now.truncatedTo(ChronoUnit.MILLIS));
    ConfigurationChange change = ConfigurationPlanner.step(published, in);
    ConfigurationState next =
        change.state.profile().equals(published.profile())
            ? BootFailures.record(
                change.state,
                seen.members(),
                late,
                settings.reboot().attempts(),
                Math.max(pool.spec().target(), seen.members().size()))
            : change.state;
    return new PoolConfiguration(
        Revisions.count(next, seen.members().byConfiguration()),
        change.reports,
        accept(pool).stream().toList(),
        in.selections().verdict(next.profile()));
  }

  /** The releases that a pool may use, oldest first; none while the offer cannot be read. */
  public static List<FleetRelease> releases(PoolSnapshot.Offer offer, KubernetesSkew skew) {
    return offer.known().stream()
        .flatMap(known -> known.releases().stream())
        .filter(skew::admits)
        .toList();
  }

  /**
   * The active configuration, if it was selected from a release, and the fleet does not offer it;
   * empty while the offer cannot be read (decision D13).
   */
  public static Optional<String> missing(PoolSnapshot seen, ConfigurationState state) {
    return state
        .active()
        .filter(active -> !active.release().isEmpty())
        .map(Revision::profile)
        .filter(profile ->
            seen.offer().known().filter(offer -> !offer.offersConfiguration(profile)).isPresent());
  }

  /**
   * Why the spec selects no configuration: one clause that names the field and what is on offer;
   * empty if it selects one, or if the fleet offers none to any pool.
   */
  public static Optional<String> problem(
      Pool pool, boolean hasGpus, PoolSnapshot.Availability availability) {
    return new Selections(
            pool.spec().configuration().request(),
            hasGpus,
            releases(availability.offer(), new KubernetesSkew(availability.apiServer())),
            ConfigurationVerdicts.NONE)
        .problem();
  }

  /**
   * The acceptance of the command that waits, once the command before it is carried out, or if it
   * overtakes that command.
   */
  private static Optional<PlannedAction> accept(Pool pool) {
    ConfigurationSpec spec = pool.spec().configuration();
    ConfigurationState published = pool.status().configuration();
    int handled = published.handled().command();
    return published.profile().isEmpty()
        ? Optional.empty()
        : spec.commands()
            .next(handled, spec.rollout().evict() && spec.rollout().problem().isEmpty())
            .map(next ->
                new PlannedAction(
                    accepted(pool, next),
                    new Action.AcceptCommand(pool.id(), spec.commands(), handled, next),
                    "a user commands it"));
  }

  /** The Events of an acceptance. */
  private static List<EventDraft> accepted(Pool pool, ConfigurationCommands.Accepted next) {
    ConfigurationCommands commands = pool.spec().configuration().commands();
    ConfigurationState published = pool.status().configuration();
    String occasion = "command " + next.number();
    List<EventDraft> events = new ArrayList<>();
    if (commands.asked().promotes()) {
      String promoted =
          published
              .pending()
              .map(pending -> " %s.".formatted(pending.configuration().profile()))
              .orElse(", and there is none.");
      events.add(
          new EventDraft(
              EventReason.MANUAL_UPGRADE_TRIGGER,
              pool.id(),
              occasion,
              "A user promotes the pending configuration" + promoted));
    }
    commands
        .asked()
        .rollback()
        .map(profile ->
            profile.isEmpty()
                ? "the configuration before %s".formatted(published.profile())
                : UserText.shortened(profile, UserText.LONGEST_QUOTE))
        .ifPresent(target ->
            events.add(
                new EventDraft(
                    EventReason.MANUAL_ROLLBACK_TRIGGER,
                    pool.id(),
                    occasion,
                    "A user rolls back to %s.".formatted(target))));
    refusals(commands)
        .forEach((annotation, why) ->
            events.add(
                new EventDraft(
                    EventReason.NODE_POOL_REQUEST_REFUSED,
                    pool.id(),
                    occasion + ", " + annotation.key(),
                    why)));
    return events;
  }

  /** Why annotations of commands are refused: they have none of their values, or no record. */
  private static SortedMap<PoolAnnotations, String> refusals(ConfigurationCommands commands) {
    ConfigurationCommands.Asked asked = commands.asked();
    boolean starts = asked.rollout().filter(PoolAnnotations.START::equals).isPresent();
    String truths = PoolAnnotations.TRUE + " or " + PoolAnnotations.FALSE;
    String phases = PoolAnnotations.START + " or " + PoolAnnotations.STOP;
    SortedMap<PoolAnnotations, String> refusals = new TreeMap<>();
    asked
        .promote()
        .filter(_ -> !asked.promotes())
        .map(text ->
            refusal(
                PoolAnnotations.PROMOTE,
                text,
                starts ? truths + ", and no rollout is started" : truths))
        .ifPresent(why -> refusals.put(PoolAnnotations.PROMOTE, why));
    asked
        .rollout()
        .filter(_ -> !starts && !asked.stops())
        .map(text -> refusal(PoolAnnotations.ROLLOUT, text, phases))
        .ifPresent(why -> refusals.put(PoolAnnotations.ROLLOUT, why));
    commands.problem().ifPresent(why -> refusals.put(PoolAnnotations.ACCEPTED_COMMAND, why));
    return refusals;
  }

  private static String refusal(PoolAnnotations annotation, String text, String values) {
    return "The annotation %s is %s; it is %s."
        .formatted(annotation.key(), UserText.quoted(text), values);
  }

  /** Until when a change of the active configuration waits at most. */
  public Optional<Instant> wakeup() {
    return state.waitingUntil();
  }

  /**
   * What newly assigned Hosts boot: the active configuration, or empty text if the fleet offers no
   * configurations at all. Empty while nothing may boot, and while a change of the active
   * configuration is not published, so that another operator process would boot the same.
   */
  public Optional<String> profileToBoot(PoolSnapshot seen) {
    if (state.profile().isEmpty()) {
      return seen.offer().known().filter(offer -> offer.releases().isEmpty()).map(_ -> "");
    }
    String published = seen.pool().status().nodeProfile();
    boolean changes = !published.isEmpty() && !published.equals(state.profile());
    return state.isDisabled() || changes ? Optional.empty() : Optional.of(state.profile());
  }

  /** Why no machine is assigned, although the pool is not complete; empty for other reasons. */
  public Optional<String> disabledText() {
    if (state.profile().isEmpty()) {
      return verdict;
    }
    return state.isDisabled()
        ? Optional.of(
            "The active configuration %s is disabled, since boots into it failed on %s in a row; no machine is assigned until another one is active: promote, roll back, or change the spec."
                .formatted(state.profile(), Messages.count(state.boots().hosts().size(), "Host")))
        : Optional.empty();
  }
}
