package io.nodepool.plan.rollout;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.plan.Messages;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The Nodes that a rollout does not choose any more: their machines were asked often enough to boot
 * its configuration, and run well in another one. They are not rebooted without end, and stay
 * (decision D179).
 *
 * @param names their names, by the UIDs of their Hosts
 */
record RolloutTries(SortedMap<String, String> names) {
  private static final int NAMED = 3;

  /** Those of a pool, since the configuration became active, or a user continued the rollout. */
  static RolloutTries of(Members members, ConfigurationState configuration) {
    String profile = configuration.profile();
    Instant since =
        configuration.active().stream()
            .flatMap(each ->
                Stream.concat(Stream.of(each.activatedAt()), each.boots().countedSince().stream()))
            .max(Instant::compareTo)
            .orElse(Instant.MIN);
    SortedMap<String, String> names = new TreeMap<>();
    members
        .having(Members.Trait.ASKED_IN_VAIN)
        .filter(member -> !member.host().report().bootedConfiguration().equals(profile))
        .filter(member -> areExhausted(member, profile, since))
        .forEach(member -> names.put(member.host().id().uid(), member.host().id().name()));
    return new RolloutTries(names);
  }

  private static boolean areExhausted(Member member, String profile, Instant since) {
    return member
        .host()
        .boot()
        .filter(request -> request.attemptsInto(profile, since) >= Member.MOST_BOOTS)
        .isPresent();
  }

  int count() {
    return names.size();
  }

  boolean contains(Member member) {
    return names.containsKey(member.host().id().uid());
  }

  /** Why the rollout pauses, if only these Nodes are left. */
  String text() {
    return "%s did not boot into it, although asked repeatedly: %s."
        .formatted(
            Messages.count(count(), "node"),
            Messages.list(names.values().stream().sorted().limit(NAMED).toList(), NAMED, count()));
  }

  /** The part of the progress that counts them; empty without one. */
  Optional<String> part() {
    return count() == 0
        ? Optional.empty()
        : Optional.of(count() + " in another configuration after repeated boots");
  }
}
