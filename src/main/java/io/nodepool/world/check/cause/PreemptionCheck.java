package io.nodepool.world.check.cause;

import static io.nodepool.world.check.truth.Untruth.Kind.COUNT;
import static io.nodepool.world.check.truth.Untruth.Kind.STATE;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.truth.Moment;
import io.nodepool.world.check.truth.TextForm;
import io.nodepool.world.check.truth.Wording;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** Fleets reclaim the machines of spot Nodes. */
final class PreemptionCheck implements CauseCheck {
  private static final Map<EventReason, List<Wording>> EVENTS =
      Map.of(
          EventReason.PREEMPTION_PENDING,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} will be preempted: its machine is reclaimed. No new Pods are scheduled to it.",
                  PreemptionCheck::isOfReclaimed)),
          EventReason.PREEMPTION_IN_PROGRESS,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} is being preempted: its Pods are evicted.",
                  PreemptionCheck::isOfReclaimed)),
          EventReason.DELETED_FOR_PREEMPTION,
          List.of(
              Wording.ofNode(
                  "Node {node} of NodePool {pool} is preempted and deleted.[ {pods#Pod} cut off.]",
                  PreemptionCheck::cutsOff)));

  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "it is preempted, because its fleet reclaims the machine", PreemptionCheck::isReclaimed);
  }

  private static boolean isReclaimed(Moment moment) {
    return moment.host(moment.name(), host -> host.reclaim().isPresent());
  }

  @Override
  public Map<String, Predicate<Moment>> keeps() {
    return Map.of("its fleet withdraws that in time", PreemptionCheck::isReclaimed);
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its fleet withdrew the notice of preemption",
        (_, moment) -> moment.host(moment.name(), host -> host.reclaim().isEmpty()));
  }

  @Override
  public Map<EventReason, List<Wording>> events() {
    return EVENTS;
  }

  private static void isOfReclaimed(TextForm.Statement said, Moment moment) {
    moment.names(said.word("node"), said.word("pool"));
    moment.require(STATE, isReclaimed(moment), "its machine is reclaimed");
  }

  private static void cutsOff(TextForm.Statement said, Moment moment) {
    moment.names(said.word("node"), said.word("pool"));
    int cutOff = said.has("pods") ? said.number("pods") : 0;
    moment.require(
        COUNT, moment.watchedPods(moment.name()).has(cutOff), "so many Pods are cut off");
  }
}
