package io.nodepool.plan.configuration;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationCommands.Accepted;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Recovers the configurations of a pool whose status was lost, all of it or only the record of the
 * commands. The configuration that most of its Hosts booted becomes active, no command is carried
 * out, and a rollout is stopped (decision D171).
 */
final class LostConfigurations {
  private final ConfigurationChange change;
  private final Members members;

  LostConfigurations(ConfigurationChange change) {
    this.change = change;
    this.members = change.in.members();
  }

  /**
   * The configurations of the pool's Nodes; the one that most Hosts booted comes last. If two are
   * equal in that, the one that is staged on more Hosts comes later.
   */
  private List<String> booted() {
    NavigableMap<String, Integer> booted = new TreeMap<>();
    members.booted().forEach((profile, names) -> booted.put(profile, names.size()));
    booted.remove("");
    if (booted.isEmpty()) {
      return List.of();
    }
    NavigableMap<String, Integer> staged = new TreeMap<>();
    members.stream()
        .forEach(
            member -> staged.merge(member.host().occupancy().configuration(), 1, Integer::sum));
    return booted.keySet().stream()
        .sorted(
            Comparator.<String>comparingInt(booted::get)
                .thenComparingInt(profile -> staged.getOrDefault(profile, 0))
                .thenComparing(Comparator.naturalOrder()))
        .toList();
  }

  /** Whether anything shows that the pool had configurations before. */
  boolean isFound() {
    return hadCommands()
        || members.booted().keySet().stream().anyMatch(profile -> !profile.isEmpty());
  }

  private boolean hadCommands() {
    return change.in.spec().commands().accepted().isPresent();
  }

  /** Determines the configurations anew; returns whether any Host shows them. */
  boolean recover() {
    List<String> found = booted();
    found.forEach(profile -> change.activate(change.selected(profile)));
    if (found.isEmpty()) {
      return false;
    }
    change.pend();
    change.handleAll();
    return true;
  }

  /** Takes all commands as carried out, stops a rollout, and reports that. */
  void forgetCommands() {
    ConfigurationState before = change.state;
    change.handle(change.in.spec().commands().accepted().map(Accepted::number).orElse(0));
    boolean rolls =
        members.count(Members.Trait.ROLLING_OUT) > 0
            || members.booted().keySet().stream().anyMatch(each -> !each.equals(before.profile()));
    if (rolls) {
      change.state =
          change.state.withRollout(
              RolloutState.NONE.started().stopped("The record of the configurations was lost."));
    }
    change.report(
        EventReason.NODE_POOL_CONFIGURATIONS_LOST,
        "after command %d, in version %d"
            .formatted(change.state.handled().command(), change.in.pool().version()),
        "The record of the configurations in the status was lost: %s is active, which %s booted, no command is carried out%s"
            .formatted(
                before.profile(),
                booted(before.profile()),
                rolls ? ", and a rollout is stopped." : "."));
  }

  private String booted(String profile) {
    BootedMembers booted = members.byConfiguration();
    return "%d of %s".formatted(booted.count(profile), Messages.count(booted.count(), "Node"));
  }
}
