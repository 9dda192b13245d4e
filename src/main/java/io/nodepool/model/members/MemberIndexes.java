package io.nodepool.model.members;

import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.Member;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The counts and orders in which the members of a pool are found. Immutable: a change returns
 * another instance in logarithmic time.
 *
 * @param traits UIDs of the members with each trait
 * @param waiting the members that wait for each step, by the start of the wait
 * @param reclaimed members whose fleet wants the machine back, by the instant at which it takes the
 *     machine
 * @param back members by the instant at which the Node came back from its last reboot
 */
record MemberIndexes(
    TreePMap<Members.Trait, TreePSet<String>> traits,
    TreePMap<Member.Awaited, TreePSet<MemberInstant>> waiting,
    TreePSet<MemberInstant> reclaimed,
    TreePSet<MemberInstant> back,
    BootedMembers booted,
    RackMembers racks,
    ReportedMembers reported,
    FaultyMembers faulty) {
  /** No member. */
  static final MemberIndexes NONE =
      new MemberIndexes(
          TreePMap.empty(),
          TreePMap.empty(),
          TreePSet.empty(),
          TreePSet.empty(),
          BootedMembers.NONE,
          RackMembers.NONE,
          ReportedMembers.NONE,
          FaultyMembers.NONE);

  /** With the next state of a member in place of the last one. */
  MemberIndexes replaced(Replacement<Member> member) {
    return new MemberIndexes(
        member.inEach(traits, MemberIndexes::traitsOf),
        member.inEach(waiting, MemberIndexes::waitingOf),
        member.in(reclaimed, MemberIndexes::reclaimedAt),
        member.in(back, each -> each.backAt().map(at -> MemberInstant.of(at, each))),
        booted.replaced(member),
        racks.replaced(member),
        reported.replaced(member),
        faulty.replaced(member));
  }

  private static Map<Members.Trait, String> traitsOf(Member member) {
    Map<Members.Trait, String> traits = new EnumMap<>(Members.Trait.class);
    for (Members.Trait trait : Members.Trait.values()) {
      if (trait.isOf(member)) {
        traits.put(trait, member.host().id().uid());
      }
    }
    return traits;
  }

  private static Map<Member.Awaited, MemberInstant> waitingOf(Member member) {
    return member
        .waiting()
        .map(each -> Map.of(each.awaited(), MemberInstant.of(each.since(), member)))
        .orElse(Map.of());
  }

  private static Optional<MemberInstant> reclaimedAt(Member member) {
    return member
        .host()
        .preemption()
        .map(Reclaim::reclaimAt)
        .map(at -> MemberInstant.of(at, member));
  }

  /** UIDs of the members with this trait. */
  TreePSet<String> with(Members.Trait trait) {
    return traits.getOrDefault(trait, TreePSet.empty());
  }

  /** The members that wait for this step, by the start of the wait. */
  TreePSet<MemberInstant> at(Member.Awaited awaited) {
    return waiting.getOrDefault(awaited, TreePSet.empty());
  }
}
