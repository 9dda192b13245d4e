package io.nodepool.plan.rollout;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.RolloutCause;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The order of a rollout over a pool that is allocated in racks. A rack begins when all of its
 * Nodes that are not up to date may, and one that was begun is finished before the next begins. A
 * rack that is unavailable already has a place, unless too many are.
 *
 * @param tries the Nodes that have no turn any more, which keep no place for their rack
 * @param isFree whether a Node may have its turn now
 */
record RolloutRacks(
    Members members, RolloutCause turn, RolloutTries tries, Predicate<Member> isFree) {
  /**
   * The Nodes that have their turn now; counts them as unavailable.
   *
   * @param canary how many Nodes may begin for the canary, if it is not over
   */
  List<Member> choose(UnavailableNodes level, DisruptionAdmission admission, OptionalInt canary) {
    int room = canary.orElse(Integer.MAX_VALUE);
    List<Member> chosen = new ArrayList<>();
    List<String> begun =
        members.byRack().begun(turn.profile()).stream().filter(rack -> !isGivenUp(rack)).toList();
    for (String rack : begun) {
      outdated(rack)
          .filter(member -> canary.isEmpty() || !member.isUnavailable())
          .filter(member -> admission.admit(turn, member, true).isAdmitted())
          .forEach(chosen::add);
    }
    // A rack that was begun keeps its place until it is finished, also while it is available.
    begun.forEach(level::addRack);
    Set<String> unavailable = level.racks();
    if (canary.isEmpty() && level.surplus() == 0) {
      unavailable.stream()
          .filter(rack -> members.byRack().mayBegin(rack, turn.profile(), turn.evicts()))
          .flatMap(this::outdated)
          .filter(member -> admission.admit(turn, member, true).isAdmitted())
          .forEach(chosen::add);
    }
    int taken = 0;
    for (String rack :
        members
            .byRack()
            .firstOutdated(
                turn.profile(),
                turn.evicts(),
                tries.count()
                    + unavailable.size()
                    + Math.min(room, DisruptionAdmission.MOST_AT_ONCE))) {
      if (taken >= room || !level.hasRoom()) {
        break;
      }
      if (unavailable.contains(rack)) {
        continue;
      }
      List<Member> admitted =
          outdated(rack)
              .filter(member -> admission.admit(turn, member, level.contains(member)).isAdmitted())
              .toList();
      chosen.addAll(admitted);
      taken += admitted.size();
    }
    return chosen;
  }

  /** Whether the Nodes of a rack that are not up to date have no turn any more. */
  private boolean isGivenUp(String rack) {
    List<Member> left =
        tries.count() == 0
            ? List.of()
            : members
                .ofHosts(members.byRack().outdated(rack, turn.profile(), true))
                .filter(
                    member -> !member.host().report().bootedConfiguration().equals(turn.profile()))
                .toList();
    return !left.isEmpty() && left.stream().allMatch(tries::contains);
  }

  /** The Nodes of a rack that may have their turn now. */
  private Stream<Member> outdated(String rack) {
    return members
        .ofHosts(members.byRack().outdated(rack, turn.profile(), turn.evicts()))
        .filter(isFree);
  }
}
