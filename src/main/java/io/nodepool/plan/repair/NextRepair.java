package io.nodepool.plan.repair;

import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pcollections.TreePSet;

/**
 * Which of the repairs of a pool for which Nodes are cordoned may be carried out next (decision
 * D33).
 *
 * @param suspects the alerts for which nothing is done
 * @param waiting receives those that wait
 * @param inRacks whether its machines are allocated in racks
 */
record NextRepair(
    RepairLimits limits, Set<String> suspects, WaitingRepairs waiting, boolean inRacks) {
  /** A Node that is cordoned for this alert. */
  private record Due(Member member, String alert) {}

  /** What may be carried out: what is published, or another repair when that is due. */
  RepairState plan() {
    List<Map<String, TreePSet<RepairPlace>>> able = limits.able();
    List<RepairPlace> next =
        able.stream()
            .flatMap(places -> FaultyMembers.first(places, suspects, RepairState.NAMED + 1))
            .sorted()
            .filter(place -> !place.ending() && !isLetGo(place))
            .toList();
    RepairState before = limits.letGo();
    Optional<RackRepair> rack = before.rack();
    limits.rackUntil().ifPresent(waiting::wakesAt);
    List<Member> ofRack = rack.map(this::cordoned).orElse(List.of());
    Optional<Due> late = rack.flatMap(each -> late(each, ofRack));
    if (next.isEmpty() && late.isEmpty()) {
      return before;
    }
    int all = able.stream().mapToInt(places -> FaultyMembers.count(places, suspects)).sum();
    int count = all - rack.map(each -> covered(each, ofRack).size()).orElse(0);
    Optional<Due> due =
        late.or(() ->
            next.stream()
                .map(place -> new Due(member(place), place.alert()))
                .filter(this::isCordonedLongEnough)
                .findFirst());
    if (due.isEmpty()) {
      waiting.add(count, next.stream().map(RepairPlace::name), RepairLimits.YOUNG);
      return before;
    }
    return switch (late.isPresent() ? limits.turn() : limits.decision()) {
      case Decision.Admitted _ -> {
        Optional<RackRepair> begun = late.isPresent() ? Optional.empty() : together(due.get());
        Optional<RackRepair> together =
            begun.or(() -> late.isPresent() ? rack.map(each -> each.again(limits.now())) : rack);
        List<Member> ofNext = begun.map(this::cordoned).orElse(ofRack);
        Set<String> begin = new TreeSet<>(Set.of(due.get().member().host().id().uid()));
        together.ifPresent(each -> begin.addAll(covered(each, ofNext)));
        waiting.add(
            all - begin.size(),
            next.stream().filter(each -> !begin.contains(each.uid())).map(RepairPlace::name),
            RepairLimits.RATE);
        waiting.wakesAt(limits.afterThis());
        yield before.withAdmitted(Optional.of(admission(due.get()))).withRack(together);
      }
      case Decision.Held held -> {
        waiting.add(count, next.stream().map(RepairPlace::name), limits.why(held));
        waiting.wakesAt(limits.nextTurn());
        yield before;
      }
    };
  }

  /**
   * A Node of the rack that is being repaired, which that permission does not cover: it was
   * cordoned later than others, or has only now become idle.
   */
  private Optional<Due> late(RackRepair rack, List<Member> ofRack) {
    return ofRack.stream()
        .filter(member -> !suspects.contains(rack.alert()) && !limits.isCovered(rack, member))
        .map(member -> new Due(member, rack.alert()))
        .filter(this::isCordonedLongEnough)
        .findFirst();
  }

  private List<Member> cordoned(RackRepair rack) {
    return rack.cordoned(limits.seen().members(), limits.keepsWork()).toList();
  }

  /** UIDs of the Hosts of the Nodes of a rack that may be repaired, and have not begun. */
  private List<String> covered(RackRepair rack, List<Member> ofRack) {
    return ofRack.stream()
        .filter(member -> limits.isCovered(rack, member))
        .map(member -> member.host().id().uid())
        .toList();
  }

  /** The rack whose Nodes are repaired together with this one; empty if it is repaired alone. */
  private Optional<RackRepair> together(Due due) {
    String rack = due.member().host().machine().rack();
    return inRacks
            && limits.isWithoutRack()
            && RackRepair.isOfRack(limits.seen().members(), rack, due.alert())
        ? Optional.of(RackRepair.of(rack, due.alert(), limits.now()))
        : Optional.empty();
  }

  /** Whether it is; the plan wakes when the first one is. */
  private boolean isCordonedLongEnough(Due due) {
    return waiting.isDue(limits.dueAt(due.member(), due.alert()));
  }

  /** Whether this one was let go, and has not had the time to begin. */
  private boolean isLetGo(RepairPlace place) {
    RepairState last = limits.letGo();
    return last.admitted()
            .filter(
                each -> each.hostUid().equals(place.uid()) && each.alert().equals(place.alert()))
            .filter(each -> limits.isRecent(each.at()))
            .isPresent()
        || last.rack()
            .filter(rack -> rack.alert().equals(place.alert()))
            .filter(rack -> rack.isIn(member(place).host()))
            .filter(rack -> limits.isCovered(rack, member(place)))
            .isPresent();
  }

  private Member member(RepairPlace place) {
    return limits.seen().members().find(place.uid()).orElseThrow();
  }

  private RepairState.Admitted admission(Due due) {
    Member member = due.member();
    int sequence = member.disruption().orElseThrow().sequence();
    return RepairState.Admitted.of(member.host().id(), sequence, due.alert(), limits.now());
  }
}
