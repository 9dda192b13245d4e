package io.nodepool.control.state.machine;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.node.NodeActivity;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The results of live reads of one machine and of attempts to remove its Pods. */
public final class LiveReads {
  /** The Pods that a live list returned, with the version of the Node and the time. */
  private @Nullable Listed listed;

  private record Listed(String nodeUid, long nodeVersion, MachineSnapshot.Listing listing) {
    boolean isOf(Node node) {
      return nodeUid.equals(node.uid()) && nodeVersion == node.version();
    }
  }

  /** The result of the last attempt to evict or delete each Pod, by its UID. */
  private final Map<String, MachineSnapshot.Attempt> tried = new HashMap<>();

  /** The result of the last live read, if no Node of the present tenancy was observed. */
  private @Nullable TimedRead lastRead;

  private record TimedRead(Observation.MachineRead found, Instant at) {}

  /** Observes a change of the Node. */
  public void changed(@Nullable Node node) {
    if (node == null || !node.isTerminating()) {
      listed = null;
      tried.clear();
    }
  }

  /** Records the result of a live list, if it is about the present version of this Node. */
  public boolean listed(
      @Nullable Node node, String nodeUid, long nodeVersion, List<Pod> found, Instant now) {
    Listed next = new Listed(nodeUid, nodeVersion, new MachineSnapshot.Listing(found, now));
    boolean isPresent = node != null && next.isOf(node);
    if (isPresent) {
      listed = next;
    }
    return isPresent;
  }

  /** The Pods of this Node by a live list of its present version. */
  public Optional<MachineSnapshot.Listing> listing(Node node) {
    return Optional.ofNullable(listed).filter(each -> each.isOf(node)).map(Listed::listing);
  }

  /** Records the result of an attempt to evict or delete a Pod. */
  public void tried(String podUid, Optional<String> blockedBy, Instant now) {
    tried.put(podUid, new MachineSnapshot.Attempt(blockedBy, now));
  }

  /** The results of the last attempts to evict or delete, by the Pod's UID. */
  public Map<String, MachineSnapshot.Attempt> tried() {
    return tried;
  }

  /** Discards the result for a Pod that no longer exists. */
  public void forget(String podUid) {
    tried.remove(podUid);
  }

  /** Records the result of a live read, if it is about the present tenancy of this Host. */
  public boolean read(Observation.MachineRead found, @Nullable Host host, Instant now) {
    boolean isPresent =
        host != null && host.id().equals(found.host()) && host.tenancy() == found.tenancy();
    if (isPresent) {
      lastRead = new TimedRead(found, now);
    }
    return isPresent;
  }

  /** The result of the last live read; empty once a Node of the present tenancy was observed. */
  public Optional<LiveRead> liveRead(@Nullable Host host, Instant now) {
    return Optional.ofNullable(lastRead)
        .filter(last -> host != null && last.found().tenancy() == host.tenancy())
        .map(last ->
            new LiveRead(
                last.found().nodeFound(),
                (int)
                    last.found().pods().stream()
                        .filter(pod -> NodeActivity.holdsMachine(pod, now))
                        .count(),
                last.at()));
  }

  /** The ends of the grace periods of the Pods that the last live read found. */
  public Stream<Instant> graceEnds() {
    return Stream.ofNullable(lastRead)
        .flatMap(last -> last.found().pods().stream())
        .flatMap(pod -> pod.deletedAt().stream());
  }
}
