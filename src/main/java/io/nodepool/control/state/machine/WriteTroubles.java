package io.nodepool.control.state.machine;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Why writes on one machine fail. */
public final class WriteTroubles {
  /** Why the last writes for the Node's disruption failed, by object. */
  private final Map<Action.Subject, Member.Trouble> disruption = new HashMap<>();

  /** The record of the Node's disruption when the Node was last observed. */
  private Optional<Disruption> record = Optional.empty();

  private Optional<String> refusal = Optional.empty();
  private Optional<String> staging = Optional.empty();
  private Optional<String> boot = Optional.empty();

  /** Records why a write fails, or that it no longer fails. Returns whether that changed. */
  public boolean report(Action action, Optional<String> why, boolean denied, @Nullable Node node) {
    Optional<String> step = action.traits().removal();
    if (step.isPresent()) {
      Optional<Member.Trouble> before = ofDisruption();
      boolean ofReboot = isOfReboot(action, node);
      why.ifPresentOrElse(
          each ->
              disruption.put(
                  action.subject(), new Member.Trouble(ofReboot, step.get() + ": " + each)),
          () -> disruption.remove(action.subject()));
      return !ofDisruption().equals(before);
    }
    if (action instanceof Action.OnHost(HostOperation operation)) {
      boolean isStaged = HostOperation.Stage.of(operation).isPresent();
      boolean changes = isStaged && !staging.equals(why);
      staging = isStaged ? why : staging;
      boot = operation instanceof HostOperation.Boot ? why : boot;
      return changes;
    }
    boolean ofNode =
        action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.REPORT_ACTIVITY, NodePurpose.APPLY_METADATA);
    // Any failure counts for a Node that is not registered: it would be late without its machine's
    // fault.
    boolean counts = denied || node == null || !node.registered();
    if (!ofNode || (why.isPresent() && !counts)) {
      return false;
    }
    boolean news = !refusal.equals(why);
    refusal = why;
    return news;
  }

  /**
   * Whether the Node must be rebooted or verified, by the written record or by its present record.
   */
  private static boolean isOfReboot(Action action, @Nullable Node node) {
    Optional<Disruption> written =
        action instanceof Action.WriteNode write ? write.next() : Optional.empty();
    return written
        .or(() -> Optional.ofNullable(node).flatMap(Node::disruption))
        .flatMap(Disruption::active)
        .filter(active -> !active.leaves())
        .isPresent();
  }

  /** Observes a change of the Node. */
  public void changed(@Nullable Node node) {
    if (node == null || !node.isTerminating()) {
      boot = Optional.empty();
    }
    Optional<Disruption> last = record;
    record = Optional.ofNullable(node).flatMap(Node::disruption);
    if (node == null || (isActive(last) && !isActive(record))) {
      disruption.clear();
    } else if (!record.equals(last)) {
      // The failed write was decided before the record changed.
      disruption.remove(new Action.Subject.OfNode(node.name(), node.uid()));
    }
    if (node == null) {
      refusal = Optional.empty();
      staging = Optional.empty();
    }
  }

  private static boolean isActive(Optional<Disruption> record) {
    return record.filter(Disruption::isActive).isPresent();
  }

  /** Discards the failures about a Pod that no longer exists. */
  public void ended(String podUid) {
    disruption
        .keySet()
        .removeIf(about -> about instanceof Action.Subject.OfPod pod && pod.uid().equals(podUid));
  }

  /** Why the Node cannot be disrupted at present; empty while nothing fails. */
  public Optional<Member.Trouble> ofDisruption() {
    return disruption.values().stream()
        .min(Comparator.comparing(Member.Trouble::ofReboot).thenComparing(Member.Trouble::why));
  }

  /**
   * The API server's error for the metadata or condition that the operator writes on the Node, if
   * the server denies it; for a Node that is not registered, also another error after several
   * failures.
   */
  public Optional<String> refusal() {
    return refusal;
  }

  /** Why the last write that stages a configuration failed; empty if it did not fail. */
  public Optional<String> staging() {
    return staging;
  }

  /**
   * Why the last requests to boot the machine anew, or to stage what it boots then, were refused;
   * empty if they were not.
   */
  public Optional<String> boot() {
    return boot;
  }
}
