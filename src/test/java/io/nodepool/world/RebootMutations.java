package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Faults in the reboot of Nodes. */
final class RebootMutations {
  private RebootMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            45,
            "A reboot begins without the live list of Pods",
            built.withMachines(Seams.machineSeen(RebootMutations::listed)),
            "reboot"),
        Mutation.of(
            46,
            "The attempts of a reboot are counted from 1 again after a failed one",
            Seams.actions(RebootMutations::first),
            "second try of a reboot"),
        Mutation.of(
            47,
            "The end of a reboot leaves the Node in the state of its reboot",
            Seams.actions(RebootMutations::inState),
            "reboot"),
        Mutation.of(
            48,
            "A late duplicate of a request boots the machine again",
            built.withWire(RebootMutations::fromPresentBoot),
            "fast reboots"),
        Mutation.of(
            66,
            "The annotation of an immediate request that was left on a Node counts for a later one",
            built.withMachines(Seams.machineSeen((seen, now) -> unspent(seen))),
            "annotation left behind"));
  }

  /** The machine as if the Pods of its Node that is to be rebooted had been listed just now. */
  private static MachineSnapshot listed(MachineSnapshot seen, Instant now) {
    return seen.node()
        .filter(Node::cordoned)
        .flatMap(Node::disruption)
        .flatMap(Disruption::active)
        .filter(active -> !active.leaves())
        .map(_ ->
            seen.withEvidence(
                seen.evidence()
                    .withListed(Optional.of(new MachineSnapshot.Listing(seen.pods(), now)))))
        .orElse(seen);
  }

  /** The machine as if the annotation on its Node had been set beside the request. */
  private static MachineSnapshot unspent(MachineSnapshot seen) {
    MachineSnapshot.Requested last = seen.evidence().requested();
    boolean asks =
        seen.node()
            .filter(n -> !n.metadata().label(NodeLabels.PENDING_STATE).isEmpty())
            .isPresent();
    return seen.withEvidence(
        seen.evidence()
            .withRequested(
                new MachineSnapshot.Requested(
                    last.times()
                        .filter(_ -> asks)
                        .map(times -> new RequestTimes(times.label(), times.label())),
                    false,
                    Optional.empty())));
  }

  private static Action first(Action action) {
    if (!(action instanceof Action.OnHost(HostOperation.Boot boot))) {
      return action;
    }
    return asking(boot, boot.request().from(), 1);
  }

  private static MetadataChange stateless(MetadataChange change) {
    SortedMap<String, Optional<String>> labels = new TreeMap<>(change.labels());
    labels.remove(NodeLabels.STATE.key());
    return new MetadataChange(change.recorded(), labels, change.annotations());
  }

  private static Action inState(Action action) {
    return Seams.changing(
        action,
        NodePurpose.END,
        change -> new NodeChange.OfSpec(stateless(change.metadata()), change.cordoning()));
  }

  /** A request that names the boot of the moment at which it takes effect. */
  private static Action fromPresentBoot(Action action, WorldCluster cluster) {
    if (!(action instanceof Action.OnHost(HostOperation.Boot boot))) {
      return action;
    }
    Host host = cluster.hosts().get(boot.host().name());
    return host == null ? action : asking(boot, host.report().bootId(), boot.request().attempt());
  }

  /** The operation with a request that names another boot and attempt. */
  static Action asking(HostOperation.Boot boot, String from, int attempt) {
    return new Action.OnHost(
        new HostOperation.Boot(
            boot.host(),
            boot.tenancy(),
            boot.pool(),
            boot.request().withFrom(from).withAttempt(attempt),
            boot.stage()));
  }
}
