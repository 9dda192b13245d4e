package io.nodepool.plan.node;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Does a Node carry what its pool's spec gives it, what it is, and where it belongs? What was
 * applied of the spec stands in the Node's record, so that a key taken out of the spec goes and a
 * foreign one stays (decision D45).
 */
public final class Metadata {
  private Metadata() {}

  /**
   * The one write that brings a Node's metadata up to date; empty where it is.
   *
   * @param active whether the Node has tenant work
   * @param kind the taint that it has by its instance type
   */
  static Optional<PlannedAction> follow(
      MachineSnapshot seen, Node node, boolean active, Optional<Taint> kind) {
    if (seen.pool().isEmpty() || seen.metadata().isEmpty()) {
      return Optional.empty();
    }
    Assignment assignment = seen.host().assignment().orElseThrow();
    NodeTemplate wanted = seen.metadata().get();
    NodeDraft draft = new NodeDraft(node.metadata());
    if (joinedWithAnother(node, assignment.node().permitted(), wanted)) {
      draft.record(assignment.node().permitted());
    } else {
      follow(node, wanted, draft);
      belong(assignment, draft);
      kind.ifPresent(draft::taint);
      Reserving.settle(seen, node, seen.pool().get(), active, draft);
    }
    NodeChange change = draft.change();
    return change.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PlannedAction(
                eventDrafts(seen.pool().get(), node, change),
                new Action.ApplyMetadata(node.name(), node.uid(), change),
                change.record().isPresent()
                    ? "its pool's metadata changed"
                    : "it is not what it is to be"));
  }

  /**
   * Whether a Node joined without a record and with other metadata than is wanted now. It is
   * recorded first: what is not on record cannot be taken away. Later on, a record that is missing
   * is not made up from the assignment, which is long out of date then.
   */
  private static boolean joinedWithAnother(Node node, NodeTemplate joined, NodeTemplate wanted) {
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
    ours.labels().keySet().stream()
        .filter(key -> !wanted.labels().containsKey(key))
        .forEach(draft::noLabel);
    wanted.labels().forEach(draft::label);
    ours.annotations().keySet().stream()
        .filter(key -> !wanted.annotations().containsKey(key))
        .forEach(draft::noAnnotation);
    wanted.annotations().forEach(draft::annotation);
    ours.taints().stream()
        .filter(taint -> wanted.taints().stream().noneMatch(taint::isSame))
        .forEach(gone -> draft.noTaint(gone::isSame));
    wanted.taints().forEach(draft::taint);
  }

  /** The labels by which clients find a pool's Nodes are put right when somebody changed them. */
  private static void belong(Assignment assignment, NodeDraft draft) {
    draft.label(NodeLabels.NODE_POOL.key(), assignment.pool().name());
    draft.label(NodeLabels.NODE_POOL_UID.key(), assignment.pool().uid());
    draft.label(NodeLabels.COMPUTE_CLASS.key(), assignment.computeClass());
  }

  private static List<EventDraft> eventDrafts(Pool pool, Node node, NodeChange change) {
    List<Taint> taken =
        change.taints().removed().stream()
            .filter(taint -> change.taints().added().stream().noneMatch(taint::isSame))
            .toList();
    List<EventDraft> eventDrafts = new ArrayList<>();
    if (!change.taints().added().isEmpty()) {
      eventDrafts.add(
          eventDraft(
              pool, node, EventReason.NODE_TAINTED, "tainted with", change.taints().added()));
    }
    if (!taken.isEmpty()) {
      eventDrafts.add(
          eventDraft(pool, node, EventReason.NODE_UNTAINTED, "no longer tainted with", taken));
    }
    return eventDrafts;
  }

  /** One for each generation of the spec and what it does to the Node. */
  private static EventDraft eventDraft(
      Pool pool, Node node, EventReason reason, String verb, List<Taint> taints) {
    String words = taints.stream().map(Taint::text).sorted().collect(Collectors.joining(", "));
    boolean reservation = taints.stream().anyMatch(t -> t.key().equals(NodeTaints.RESERVED.key()));
    return new EventDraft(
        reason,
        new EventDraft.Regarding(EventDraft.Kind.NODE, node.name(), node.uid()),
        "generation " + pool.generation() + ": " + words,
        "Node %s is %s %s: %s."
            .formatted(
                node.name(),
                verb,
                words,
                reservation
                    ? "its reservation has it so"
                    : "NodePool " + pool.id().name() + " has it so"),
        1);
  }

  /** Names of the members that carry, or will join with, other metadata than the spec's, sorted. */
  public static List<String> outdated(Pool pool, Members members) {
    NodeTemplate wanted = pool.spec().node().permitted();
    return members.stream()
        .filter(member -> !member.isBeingGivenBack())
        .filter(member -> !given(member).permitted().equals(wanted))
        .map(member -> member.host().id().name())
        .sorted()
        .toList();
  }

  /**
   * How a change of the spec changes the taints of a pool's Nodes.
   *
   * @param tainted names of the Nodes that get taints
   * @param added what is added to some of them
   * @param untainted names of the Nodes that lose taints
   * @param taken what is taken from some of them
   */
  public record TaintChange(
      SortedSet<String> tainted,
      SortedSet<String> added,
      SortedSet<String> untainted,
      SortedSet<String> taken) {}

  /** What the spec makes different about the taints that the members carry, or will join with. */
  public static TaintChange taintChange(Pool pool, Members members) {
    List<Taint> wanted = pool.spec().node().permitted().taints();
    TaintChange change =
        new TaintChange(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
    for (Member member : members) {
      if (!member.isBeingGivenBack()) {
        List<Taint> has = given(member).permitted().taints();
        collect(member, without(wanted, has::contains), change.tainted(), change.added());
        collect(
            member,
            without(has, taint -> wanted.stream().anyMatch(taint::isSame)),
            change.untainted(),
            change.taken());
      }
    }
    return change;
  }

  private static List<Taint> without(List<Taint> taints, Predicate<Taint> excluded) {
    return taints.stream().filter(excluded.negate()).toList();
  }

  private static void collect(
      Member member, List<Taint> taints, SortedSet<String> names, SortedSet<String> texts) {
    if (!taints.isEmpty()) {
      names.add(member.host().id().name());
      taints.forEach(taint -> texts.add(taint.text()));
    }
  }

  private static NodeTemplate given(Member member) {
    return member
        .node()
        .flatMap(node -> node.metadata().applied())
        .or(() -> member.host().assignment().map(Assignment::node))
        .orElse(NodeTemplate.EMPTY);
  }
}
