package io.nodepool.plan.configuration;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.configuration.Selections.Selected;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The list of a pool's revisions: sorted by creation, and bounded. */
final class Revisions {
  /**
   * How many revisions are kept, beside those with active Nodes. A revision with active Nodes is
   * never removed (decision D23).
   */
  static final int KEPT = 10;

  private static final Comparator<Revision> BY_CREATION =
      Comparator.comparing(Revision::createdAt).thenComparing(Revision::profile);

  private Revisions() {}

  /**
   * The state with this active configuration.
   *
   * @param booted the Nodes by the configuration that they booted into, in the list or not
   */
  static ConfigurationState activate(
      ConfigurationState state, Selected selected, BootedMembers booted, Instant now) {
    Optional<Revision> last = state.revision(selected.profile());
    Revision revision =
        new Revision(
            selected.configuration(),
            selected.release(),
            createdAt(state, selected.profile(), now),
            now,
            last.map(Revision::activeNodes).orElse(0),
            false,
            last.map(Revision::boots).orElse(BootRecord.NONE));
    List<Revision> revisions =
        Stream.concat(
                state.revisions().stream()
                    .filter(each -> !each.profile().equals(selected.profile()))
                    .map(each -> left(state, each, booted)),
                Stream.of(revision))
            .sorted(BY_CREATION)
            .toList();
    return state.withProfile(selected.profile()).withRevisions(revisions);
  }

  /** When a configuration first was active or pending. */
  static Instant createdAt(ConfigurationState state, String profile, Instant now) {
    return state
        .revision(profile)
        .map(Revision::createdAt)
        .or(() ->
            state
                .pending()
                .filter(each -> each.configuration().profile().equals(profile))
                .map(ConfigurationState.Pending::createdAt))
        .orElse(now);
  }

  /** The last active revision is trusted if most Nodes run it and no rollout is under way. */
  private static Revision left(ConfigurationState state, Revision revision, BootedMembers booted) {
    boolean isTrusted =
        revision.profile().equals(state.profile())
            && state.rollout().phase() == RolloutState.Phase.NONE
            && !revision.boots().disabled()
            && 2 * booted.count(revision.profile()) > booted.count();
    return isTrusted ? revision.withBoots(revision.boots().thatIsTrusted()) : revision;
  }

  /**
   * The revisions with the number of Nodes that are booted into each, without those that are no
   * longer of use.
   *
   * @param booted the Nodes by the configuration that they booted into
   */
  static ConfigurationState count(ConfigurationState state, BootedMembers booted) {
    List<Revision> counted =
        state.revisions().stream()
            .map(each -> each.withActiveNodes(booted.count(each.profile())))
            .toList();
    Set<String> recent =
        counted.stream()
            .sorted(Comparator.comparing(Revision::activatedAt).reversed())
            .limit(KEPT)
            .map(Revision::profile)
            .collect(Collectors.toCollection(TreeSet::new));
    return state.withRevisions(
        counted.stream()
            .filter(each ->
                each.activeNodes() > 0
                    || each.profile().equals(state.profile())
                    || recent.contains(each.profile()))
            .toList());
  }
}
