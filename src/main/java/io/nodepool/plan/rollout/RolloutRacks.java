package io.nodepool.plan.rollout;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.plan.disruption.DisruptionAdmission;
import io.nodepool.plan.disruption.UnavailableNodes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The order of a rollout over a pool that is allocated in racks. A rack begins when all of its
 * Nodes that are not up to date may, and one that was begun is finished before the next begins.
 */
final class RolloutRacks {
  private final SortedMap<String, List<Member>> racks;
  private final Predicate<Member> isOutdated;
  private final Predicate<Member> isFree;

  /**
   * @param isOutdated whether a Node is not up to date
   * @param isFree whether it may have its turn now
   */
  RolloutRacks(Members members, Predicate<Member> isOutdated, Predicate<Member> isFree) {
    this.racks =
        members.stream()
            .filter(member -> member.isCurrent() && !member.isTerminating())
            .collect(Collectors.groupingBy(RolloutRacks::rack, TreeMap::new, Collectors.toList()));
    this.isOutdated = isOutdated;
    this.isFree = isFree;
  }

  /** The Nodes that have their turn now; counts them as unavailable. */
  List<Member> choose(
      List<Member> outdated, UnavailableNodes level, DisruptionAdmission admission, int room) {
    SortedMap<String, List<Member>> left =
        outdated.stream()
            .collect(Collectors.groupingBy(RolloutRacks::rack, TreeMap::new, Collectors.toList()));
    List<Member> chosen = new ArrayList<>();
    List<List<Member>> begun = racks.values().stream().filter(this::isBegun).toList();
    for (List<Member> rack : begun) {
      RolloutTurns.ordered(rack)
          .filter(isFree)
          .filter(member -> admission.admits(member, true))
          .forEach(chosen::add);
    }
    // A rack that was begun keeps its place until it is finished, also while it is available.
    begun.forEach(rack -> level.add(rack.getFirst()));
    int begins = 0;
    for (List<Member> rack : left.values().stream().sorted(fewestBusyFirst()).toList()) {
      if (begins >= room || !level.hasRoom()) {
        break;
      }
      if (!isBegun(racks.getOrDefault(rack(rack.getFirst()), List.of()))
          && rack.stream().allMatch(isFree)) {
        List<Member> admitted =
            RolloutTurns.ordered(rack)
                .filter(member -> admission.admits(member, level.contains(member)))
                .toList();
        chosen.addAll(admitted);
        begins += admitted.size();
      }
    }
    return chosen;
  }

  /** Whether Nodes of the rack have their turn or are up to date, and others are not. */
  private boolean isBegun(List<Member> rack) {
    return rack.stream().anyMatch(Member::isRollingOut)
        || (rack.stream().anyMatch(isOutdated) && !rack.stream().allMatch(isOutdated));
  }

  private static Comparator<List<Member>> fewestBusyFirst() {
    return Comparator.comparingLong(
            (List<Member> rack) -> rack.stream().filter(Member::isBusy).count())
        .thenComparing(rack -> rack(rack.getFirst()));
  }

  private static String rack(Member member) {
    return member.host().machine().rack();
  }
}
