package io.nodepool.plan.rollout;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.plan.Messages;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The Nodes that a rollout does not choose any more. They are not rebooted and drained endlessly,
 * and stay in the pool.
 *
 * @param exhausted the Nodes whose machines were asked often enough to boot its configuration, and
 *     run well in another one (decision D179): their names, by the UIDs of their Hosts
 * @param unmet the Nodes whose boots could not be requested (decision D209), in the same form
 */
record RolloutTries(SortedMap<String, String> exhausted, SortedMap<String, String> unmet) {
  private static final int NAMED = 3;

  /** Those since the configuration became active, or since a user continued the rollout. */
  static RolloutTries of(Members members, ConfigurationState configuration) {
    String profile = configuration.profile();
    Instant since =
        configuration.active().stream()
            .flatMap(each ->
                Stream.concat(Stream.of(each.activatedAt()), each.boots().countedSince().stream()))
            .max(Instant::compareTo)
            .orElse(Instant.MIN);
    SortedMap<String, String> exhausted =
        names(
            members
                .having(Members.Trait.BOOTS_EXHAUSTED)
                .filter(member -> isOutdated(member, profile))
                .filter(member -> areExhausted(member, profile, since)));
    return new RolloutTries(
        exhausted,
        names(
            members
                .having(Members.Trait.BOOT_NOT_REQUESTED)
                .filter(member -> isOutdated(member, profile))
                .filter(member -> !exhausted.containsKey(member.host().id().uid()))
                .filter(member -> isUnmet(member, profile, since))));
  }

  private static SortedMap<String, String> names(Stream<Member> members) {
    SortedMap<String, String> names = new TreeMap<>();
    members.forEach(member -> names.put(member.host().id().uid(), member.host().id().name()));
    return names;
  }

  private static boolean isOutdated(Member member, String profile) {
    return !member.host().report().bootedConfiguration().equals(profile);
  }

  private static boolean areExhausted(Member member, String profile, Instant since) {
    return member
        .host()
        .boot()
        .filter(request -> request.attemptsInto(profile, since) >= Member.MOST_BOOTS)
        .isPresent();
  }

  private static boolean isUnmet(Member member, String profile, Instant since) {
    return member.node().stream()
        .flatMap(node -> node.turnWithoutBoot().stream())
        .anyMatch(turn -> turn.unmet().equals(profile) && !turn.at().isBefore(since));
  }

  int count() {
    return exhausted.size() + unmet.size();
  }

  boolean contains(Member member) {
    String uid = member.host().id().uid();
    return exhausted.containsKey(uid) || unmet.containsKey(uid);
  }

  /** Why the rollout pauses, if only these Nodes are left, or too many are unmet. */
  String text() {
    return Stream.concat(
            text("%s did not boot into it, although asked repeatedly: %s.", exhausted),
            text("%s could not be asked to boot into it: %s.", unmet))
        .collect(Collectors.joining(" "));
  }

  private static Stream<String> text(String text, SortedMap<String, String> names) {
    return names.isEmpty()
        ? Stream.empty()
        : Stream.of(
            text.formatted(
                Messages.count(names.size(), "node"),
                Messages.list(names.values().stream().sorted().toList(), NAMED)));
  }
}
