package io.nodepool.control.state.machine;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Observations of the request on one Node and of its policy. */
public final class RequestWatch {
  private @Nullable Timed timed;

  private record Timed(String nodeUid, long nodeVersion, RequestTimes times) {}

  /** Whether the request that the policy belonged to has ended. */
  private boolean ended;

  /** Whether the label was set while the policy existed, so that the policy belongs to it. */
  private boolean owned;

  private @Nullable Instant aloneSince;

  /** Folds a change of the Node. */
  public void changed(@Nullable Node last, @Nullable Node node, Instant now) {
    if (node == null || policy(node).isEmpty()) {
      ended = false;
      owned = false;
      aloneSince = null;
      return;
    }
    String label = node.metadata().label(NodeLabels.PENDING_STATE);
    if (last != null && last.uid().equals(node.uid()) && !policy(last).isEmpty()) {
      String before = last.metadata().label(NodeLabels.PENDING_STATE);
      if (!before.equals(label)) {
        // A commitment uses the policy up; a policy that is set afterwards belongs to the next
        // request.
        ended |= !before.isEmpty() && (label.isEmpty() || owned) && !last.isCommitted();
        owned = true;
      }
    }
    if (!label.isEmpty()) {
      aloneSince = null;
    } else if (aloneSince == null) {
      aloneSince = now;
    }
  }

  private static String policy(Node node) {
    return node.metadata().annotations().getOrDefault(NodeAnnotations.REBOOT_POLICY.key(), "");
  }

  /** Records the times that a live read of the Node returned. */
  public void timed(String nodeUid, long nodeVersion, RequestTimes times) {
    timed = new Timed(nodeUid, nodeVersion, times);
  }

  /** The times that a live read returned of the Node's present version. */
  private Optional<RequestTimes> times(@Nullable Node node) {
    return Optional.ofNullable(timed)
        .filter(read ->
            node != null
                && read.nodeUid().equals(node.uid())
                && read.nodeVersion() == node.version())
        .map(Timed::times);
  }

  /** When the request on this Node was set, and whether the last request has ended. */
  public MachineSnapshot.Requested requested(@Nullable Node node) {
    return new MachineSnapshot.Requested(times(node), ended, Optional.ofNullable(aloneSince));
  }
}
