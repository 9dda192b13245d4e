package io.nodepool.plan.metadata;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keeps the metadata of a Node up to date: what its pool's spec defines, its kind, and its pool
 * membership. The annotation of the Node records what was applied from the spec, so that a key
 * removed from the spec is removed from the Node and a foreign key stays (decision D45).
 */
public final class Metadata {
  private Metadata() {}

  /**
   * The one write that brings a Node's metadata up to date; empty if it is up to date.
   *
   * @param active whether the Node has tenant work
   * @param kind the taint of its instance type
   */
  public static Optional<PlannedAction> follow(
      MachineSnapshot seen, Node node, boolean active, Optional<Taint> kind) {
    if (seen.pool().isEmpty() || seen.metadata().isEmpty()) {
      return Optional.empty();
    }
    Assignment assignment = seen.host().assignment().orElseThrow();
    NodeTemplate wanted = seen.metadata().get();
    NodeDraft draft = new NodeDraft(node.metadata());
    if (joinedWithOtherMetadata(node, assignment.node().permitted(), wanted)) {
      draft.record(assignment.node().permitted());
    } else {
      follow(node, wanted, draft);
      restoreMembership(assignment, draft);
      kind.ifPresent(draft::taint);
      restoreState(node, draft);
      Reserving.reserve(seen, node, seen.pool().get(), active, draft);
    }
    NodeChange.OfSpec change = draft.change();
    return change.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PlannedAction(
                eventDrafts(seen.pool().get(), node, change),
                Action.WriteNode.of(
                    node,
                    NodePrecondition.appliedUnchanged(node),
                    change,
                    NodePurpose.APPLY_METADATA),
                change.metadata().recorded() instanceof MetadataChange.Recorded.Applied
                    ? "its pool's metadata changed"
                    : "its metadata differs from what is wanted"));
  }

  /**
   * Whether a Node joined without a record and with other metadata than is wanted now. That
   * metadata is recorded first, because a key that is not recorded cannot be removed. The record of
   * a registered Node is not restored from the assignment, which is out of date by then.
   */
  private static boolean joinedWithOtherMetadata(
      Node node, NodeTemplate joined, NodeTemplate wanted) {
    return node.metadata().applied().isEmpty()
        && !node.registered()
        && !joined.equals(NodeTemplate.EMPTY)
        && !joined.equals(wanted);
  }

  private static void follow(Node node, NodeTemplate wanted, NodeDraft draft) {
    NodeTemplate last = node.metadata().applied().orElse(NodeTemplate.EMPTY);
    NodeTemplate ours = last.permitted();
    if (!last.equals(wanted)) {
      draft.record(wanted);
    }
    ours.labels().keySet().forEach(draft::noLabel);
    wanted.labels().forEach(draft::label);
    ours.annotations().keySet().forEach(draft::noAnnotation);
    wanted.annotations().forEach(draft::annotation);
    ours.taints().stream()
        .filter(taint -> wanted.taints().stream().noneMatch(taint::isSame))
        .forEach(gone -> draft.noTaint(gone::isSame));
    wanted.taints().forEach(draft::taint);
  }

  /** Restores the labels by which clients find a pool's Nodes if another client changed them. */
  private static void restoreMembership(Assignment assignment, NodeDraft draft) {
    draft.label(NodeLabels.NODE_POOL.key(), assignment.pool().name());
    draft.label(NodeLabels.NODE_POOL_UID.key(), assignment.pool().uid());
    draft.label(NodeLabels.COMPUTE_CLASS.key(), assignment.computeClass());
  }

  /**
   * Sets the state of a Node to production if another client removed the record of its reboot, or
   * its state label: a reboot sets and ends its state together with its record. The state in which
   * a Node leaves stays: it follows from the Host.
   */
  private static void restoreState(Node node, NodeDraft draft) {
    String state = node.metadata().label(NodeLabels.STATE);
    boolean rebooting =
        Word.of(LifecycleState.class, state).filter(LifecycleState::isRequestable).isPresent();
    boolean removed = state.isEmpty() && node.registered();
    if ((rebooting || removed) && !node.isTerminating()) {
      draft.label(NodeLabels.STATE.key(), LifecycleState.PRODUCTION.word());
    }
  }

  /**
   * The Events for a change of taints; one for each generation of the spec and each set of taints,
   * and for a reservation one for each disruption, because every reboot changes it.
   */
  private static List<EventDraft> eventDrafts(Pool pool, Node node, NodeChange.OfSpec change) {
    String occasion = "generation " + pool.generation();
    List<EventDraft> eventDrafts =
        new ArrayList<>(
            eventDrafts(
                node,
                change.taints(),
                Metadata::isReservation,
                occasion + afterDisruptions(node),
                reserved(node)));
    eventDrafts.addAll(
        eventDrafts(
            node,
            change.taints(),
            taint -> !isReservation(taint),
            occasion,
            "NodePool " + pool.id().name() + " has it so"));
    return eventDrafts;
  }

  /** The Events for the change of a Node's reservation when a disruption changes its state. */
  public static List<EventDraft> ofState(
      Node node, String disruption, LifecycleState state, NodeChange.TaintPatch change) {
    return eventDrafts(
        node, change, Metadata::isReservation, disruption, "it goes into state " + state.word());
  }

  private static boolean isReservation(Taint taint) {
    return taint.key().equals(NodeTaints.RESERVED.key());
  }

  private static List<EventDraft> eventDrafts(
      Node node, NodeChange.TaintPatch change, Predicate<Taint> of, String occasion, String why) {
    List<Taint> added = change.added().stream().filter(of).toList();
    List<Taint> taken =
        change.removed().stream()
            .filter(of)
            .filter(taint -> added.stream().noneMatch(taint::isSame))
            .toList();
    return Stream.of(
            eventDraft(node, EventReason.NODE_TAINTED, "tainted with", added, occasion, why),
            eventDraft(
                node, EventReason.NODE_UNTAINTED, "no longer tainted with", taken, occasion, why))
        .flatMap(Optional::stream)
        .toList();
  }

  /** Empty if there are no taints. */
  private static Optional<EventDraft> eventDraft(
      Node node, EventReason reason, String verb, List<Taint> taints, String occasion, String why) {
    String words = taints.stream().map(Taint::text).sorted().collect(Collectors.joining(", "));
    return taints.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new EventDraft(
                reason,
                node,
                "%s: %s".formatted(occasion, words),
                "Node %s is %s %s: %s.".formatted(node.name(), verb, words, why)));
  }

  /** What reserves a Node: its state, and in production what a client wants it reserved for. */
  private static String reserved(Node node) {
    String state = node.metadata().label(NodeLabels.STATE);
    String desired = node.metadata().label(NodeLabels.RESERVED_DESIRED);
    return state.equals(Reservation.PRODUCTION) && !desired.isEmpty()
        ? "its label %s is %s".formatted(NodeLabels.RESERVED_DESIRED.key(), desired)
        : "its state is %s".formatted(state);
  }

  private static String afterDisruptions(Node node) {
    int disruptions = node.disruption().map(Disruption::sequence).orElse(0);
    return disruptions == 0 ? "" : ", disruption " + disruptions;
  }

  /**
   * Names of the members whose Nodes carry, or will join with, other metadata than the spec's,
   * sorted.
   */
  public static List<String> outdated(Pool pool, Members members) {
    NodeTemplate wanted = pool.spec().node().permitted();
    return members.stream()
        .filter(member -> !member.isBeingGivenBack())
        .filter(member -> !appliedTo(member).permitted().equals(wanted))
        .map(member -> member.host().id().name())
        .sorted()
        .toList();
  }

  /**
   * Nodes whose taints a change of the spec changes.
   *
   * @param nodes their names
   * @param taints the taints that at least one of them gains or loses, as text
   */
  public record TaintedNodes(SortedSet<String> nodes, SortedSet<String> taints) {}

  /** The members whose Nodes lack taints of the spec, or will join without them. */
  public static TaintedNodes gainingTaints(Pool pool, Members members) {
    List<Taint> wanted = pool.spec().node().permitted().taints();
    return changing(members, has -> wanted.stream().filter(taint -> !has.contains(taint)).toList());
  }

  /** The members that carry, or will join with, taints that the spec no longer has. */
  public static TaintedNodes losingTaints(Pool pool, Members members) {
    List<Taint> wanted = pool.spec().node().permitted().taints();
    return changing(
        members,
        has -> has.stream().filter(taint -> wanted.stream().noneMatch(taint::isSame)).toList());
  }

  private static TaintedNodes changing(Members members, UnaryOperator<List<Taint>> change) {
    TaintedNodes changing = new TaintedNodes(new TreeSet<>(), new TreeSet<>());
    for (Member member : members) {
      List<Taint> taints = change.apply(appliedTo(member).permitted().taints());
      if (!taints.isEmpty() && !member.isBeingGivenBack()) {
        changing.nodes().add(member.host().id().name());
        taints.forEach(taint -> changing.taints().add(taint.text()));
      }
    }
    return changing;
  }

  private static NodeTemplate appliedTo(Member member) {
    return member
        .node()
        .flatMap(node -> node.metadata().applied())
        .or(() -> member.host().assignment().map(Assignment::node))
        .orElse(NodeTemplate.EMPTY);
  }
}
