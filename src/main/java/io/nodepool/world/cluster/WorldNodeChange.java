package io.nodepool.world.cluster;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Applies a change of a Node as a JSON patch with tests, or a strategic merge patch, does. */
final class WorldNodeChange {
  private WorldNodeChange() {}

  /** The Node after a write at this instant; empty if the Node is not as the write expects. */
  static Optional<Node> of(Node now, Action.WriteNode write, Instant at) {
    if (!holds(write.precondition(), now)) {
      return Optional.empty();
    }
    return switch (write.change()) {
      case NodeChange.OfSpec spec -> patched(now, spec);
      case NodeChange.OfStatus status -> Optional.of(merged(now, status, at));
    };
  }

  private static boolean holds(NodePrecondition precondition, Node now) {
    return switch (precondition) {
      case NodePrecondition.Uid _ -> true;
      case NodePrecondition.UidAndVersion(long version) -> now.version() == version;
      // The world has no texts: equal records have equal texts.
      case NodePrecondition.RecordUnchangedAndNotCordoned(Disruption record, String _) ->
          !now.cordoned() && now.disruption().equals(Optional.of(record));
      case NodePrecondition.AppliedUnchanged(NodeTemplate applied) ->
          now.metadata().applied().equals(Optional.of(applied));
    };
  }

  /** Empty if the patch does not apply: an entry to remove is missing, or the taints changed. */
  private static Optional<Node> patched(Node now, NodeChange.OfSpec change) {
    NodeMetadata metadata = now.metadata();
    Optional<List<Taint>> taints = taints(metadata.taints(), change.taints());
    boolean finds =
        findsRecord(now, change.metadata())
            && (change.cordoning() != NodeChange.Cordoning.UNCORDON || now.cordoned())
            && isThere(metadata.labels(), change.metadata().labels())
            && isThere(metadata.annotations(), change.metadata().annotations());
    if (taints.isEmpty() || !finds) {
      return Optional.empty();
    }
    boolean cordoned =
        switch (change.cordoning()) {
          case KEEP -> now.cordoned();
          case CORDON -> true;
          case UNCORDON -> false;
        };
    Node changed = changed(now, change.metadata());
    return Optional.of(
        changed.withCordoned(cordoned).withMetadata(changed.metadata().withTaints(taints.get())));
  }

  private static boolean findsRecord(Node now, MetadataChange change) {
    boolean removes =
        change.recorded() instanceof MetadataChange.Recorded.Disrupted(var next) && next.isEmpty();
    return !removes || now.disruption().isPresent();
  }

  private static Node merged(Node now, NodeChange.OfStatus change, Instant at) {
    NodeStatus status = now.status();
    for (ConditionChange condition : change.conditions()) {
      status = status.with(condition.type(), entry(condition, status, at));
    }
    return changed(now, change.metadata()).withStatus(status);
  }

  private static Optional<NodeStatus.Entry> entry(
      ConditionChange change, NodeStatus before, Instant at) {
    return change instanceof ConditionChange.Set set
        ? Optional.of(
            new NodeStatus.Entry(
                set.status(), set.reason(), set.message(), since(set, before, at), 1))
        : Optional.empty();
  }

  private static Instant since(ConditionChange.Set change, NodeStatus before, Instant at) {
    Optional<Instant> last =
        change.transitions()
            ? Optional.empty()
            : before.condition(change.type()).map(NodeStatus.Entry::since);
    return change.since().or(() -> last).orElse(at);
  }

  private static Node changed(Node now, MetadataChange change) {
    NodeMetadata next =
        now.metadata()
            .withLabels(changed(now.metadata().labels(), change.labels()))
            .withAnnotations(changed(now.metadata().annotations(), change.annotations()));
    return switch (change.recorded()) {
      case MetadataChange.Recorded.Nothing _ -> now.withMetadata(next);
      case MetadataChange.Recorded.Applied(NodeTemplate applied) ->
          now.withMetadata(next.withApplied(Optional.of(applied)));
      case MetadataChange.Recorded.Disrupted(Optional<Disruption> disruption) ->
          now.withMetadata(next).withDisruption(disruption);
    };
  }

  /** Whether all entries that a change removes exist. */
  private static boolean isThere(
      SortedMap<String, String> now, SortedMap<String, Optional<String>> changes) {
    return changes.entrySet().stream()
        .allMatch(change -> change.getValue().isPresent() || now.containsKey(change.getKey()));
  }

  private static SortedMap<String, String> changed(
      SortedMap<String, String> before, SortedMap<String, Optional<String>> changes) {
    SortedMap<String, String> next = new TreeMap<>(before);
    changes.forEach(
        (key, value) -> value.ifPresentOrElse(text -> next.put(key, text), () -> next.remove(key)));
    return next;
  }

  private static Optional<List<Taint>> taints(List<Taint> now, NodeChange.TaintPatch patch) {
    List<Taint> seen = patch.seen();
    List<Taint> next = new ArrayList<>(now);
    for (int i = seen.size() - 1; i >= 0; i--) {
      if (patch.removed().contains(seen.get(i))) {
        if (i >= next.size() || !next.get(i).equals(seen.get(i))) {
          return Optional.empty();
        }
        next.remove(i);
      }
    }
    for (Taint taint : patch.added()) {
      if (next.stream().anyMatch(taint::isSame)) {
        return Optional.empty();
      }
      next.add(taint);
    }
    boolean appearedOrVanished = seen.isEmpty() != now.isEmpty();
    return !patch.added().isEmpty() && appearedOrVanished ? Optional.empty() : Optional.of(next);
  }
}
