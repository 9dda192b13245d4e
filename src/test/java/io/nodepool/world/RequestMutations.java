package io.nodepool.world;

import io.nodepool.control.LoopSettings;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults in requests, in the handling of their answers, and in the metadata that they write. */
final class RequestMutations {
  private RequestMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.concat(
        Stream.of(
            Mutation.of(
                9,
                "Operation ids are random",
                built.withWriter(writer -> {
                  SplittableRandom random = new SplittableRandom(1);
                  return Seams.writer(
                      writer,
                      (eventDrafts, action, answer) ->
                          writer.submit(eventDrafts, randomized(action, random), answer));
                }),
                "growth"),
            Mutation.of(
                10,
                "A lost answer counts as a success",
                built.withWriter(Seams.understood(RequestMutations::optimistic)),
                "priorities"),
            Mutation.of(
                11,
                "A failed write is retried immediately, without a back-off",
                built.withTimings(RequestMutations::restless),
                "outage"),
            Mutation.of(
                18,
                "An operator that lost its Lease continues to write: the gate is bypassed",
                built.ungated(),
                "hand-over")),
        Stream.concat(untested(), metadata()));
  }

  private static Action randomized(Action action, SplittableRandom random) {
    if (!(action instanceof Action.OnHost(HostOperation.Assign assign))) {
      return action;
    }
    Assignment derived = assign.assignment();
    return new Action.OnHost(
        new HostOperation.Assign(
            assign.host(),
            assign.tenancy(),
            new Assignment(
                derived.pool(),
                derived.computeClass(),
                "assign/" + random.nextLong(),
                derived.at(),
                derived.node()),
            assign.configuration()));
  }

  private static Answer<Observation> optimistic(Action action, Answer<Observation> answer) {
    return answer instanceof Answer.Unknown<Observation> ? Seams.NO_OBJECT : answer;
  }

  private static LoopSettings restless(LoopSettings timings) {
    return new LoopSettings(
        timings.betweenPlans(),
        timings.betweenStatuses(),
        new BackOff(Duration.ZERO, Duration.ZERO),
        timings.health(),
        timings.exceptions());
  }

  // Requests that carry the present state instead of the observed one, so that their tests always
  // pass.

  private static Stream<Mutation> untested() {
    return Stream.of(
        Mutation.of(
            12,
            "An admission is written without a test of the Node's version",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedAdmission),
            "drain",
            "wavering target"),
        Mutation.of(
            13,
            "A drain begins without a test of the Node's version",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedDrain),
            "churn"),
        Mutation.of(
            14,
            "An admission is removed without a test of the Node's version",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedWithdrawal),
            "wavering target"),
        Mutation.of(
            15,
            "A Node is deleted without a test of its UID",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedDelete),
            "fast machines"),
        Mutation.of(
            16,
            "A machine is powered off without a test of its tenancy",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedStop),
            "fast machines"),
        Mutation.of(
            17,
            "A Host is assigned without a test that it is free",
            OperatorOverrides.AS_BUILT.withWire(RequestMutations::untestedAssignment),
            "fast machines"));
  }

  private static Optional<Node> node(WorldCluster cluster, Action action) {
    return action.subject() instanceof Action.Subject.OfNode(String name, String _)
        ? Optional.ofNullable(cluster.nodes().get(name))
        : Optional.empty();
  }

  private static Action untestedAdmission(Action action, WorldCluster cluster) {
    return action instanceof Action.WriteNode record
            && record.purpose().isOfDisruption()
            && !record.isFor(NodePurpose.WITHDRAW, NodePurpose.COMMIT)
        ? untested(record, cluster)
        : action;
  }

  private static Action untested(Action.WriteNode write, WorldCluster cluster) {
    return node(cluster, write)
        .<Action>map(node ->
            new Action.WriteNode(
                write.node(),
                write.nodeUid(),
                NodePrecondition.unchanged(node),
                write.change(),
                write.purpose()))
        .orElse(write);
  }

  private static Action untestedDrain(Action action, WorldCluster cluster) {
    return action instanceof Action.WriteNode commit && commit.isFor(NodePurpose.COMMIT)
        ? untested(commit, cluster)
        : action;
  }

  private static Action untestedWithdrawal(Action action, WorldCluster cluster) {
    return action instanceof Action.WriteNode record && record.isFor(NodePurpose.WITHDRAW)
        ? untested(record, cluster)
        : action;
  }

  private static Action untestedDelete(Action action, WorldCluster cluster) {
    return action instanceof Action.DeleteNode delete
        ? node(cluster, action)
            .<Action>map(node -> new Action.DeleteNode(delete.node(), node.uid()))
            .orElse(action)
        : action;
  }

  private static Action untestedStop(Action action, WorldCluster cluster) {
    if (!(action instanceof Action.OnHost(HostOperation.Stop stop))) {
      return action;
    }
    Host host = cluster.hosts().get(stop.host().name());
    return host == null
        ? action
        : new Action.OnHost(
            new HostOperation.Stop(host.id(), host.tenancy(), stop.pool(), stop.failed()));
  }

  private static Action untestedAssignment(Action action, WorldCluster cluster) {
    if (!(action instanceof Action.OnHost(HostOperation.Assign assign))) {
      return action;
    }
    cluster.fleetOwner().admitSecondHolders();
    Host host = cluster.hosts().get(assign.host().name());
    return host == null
        ? action
        : new Action.OnHost(
            new HostOperation.Assign(
                host.id(), host.tenancy(), assign.assignment(), assign.configuration()));
  }

  // Metadata.

  private static Stream<Mutation> metadata() {
    return Stream.of(
        Mutation.of(
            19,
            "Taints are written as a whole list",
            Seams.written(action -> otherMetadata(action, RequestMutations::wholeTaints)),
            "metadata"),
        Mutation.of(
            20,
            "Applied metadata is not recorded",
            Seams.written(action -> otherMetadata(action, RequestMutations::unrecorded)),
            "metadata"));
  }

  private static Action otherMetadata(Action action, UnaryOperator<NodeChange.OfSpec> other) {
    return action
                instanceof
                Action.WriteNode(
                    String node,
                    String uid,
                    NodePrecondition seen,
                    NodeChange.OfSpec change,
                    NodePurpose purpose)
            && !purpose.isOfDisruption()
        ? new Action.WriteNode(node, uid, seen, other.apply(change), purpose)
        : action;
  }

  /** As with a merge patch: other clients' entries in the list are removed. */
  private static NodeChange.OfSpec wholeTaints(NodeChange.OfSpec change) {
    List<Taint> added = change.taints().added();
    return added.isEmpty()
        ? change
        : new NodeChange.OfSpec(
            change.metadata(),
            change.cordoning(),
            new NodeChange.TaintPatch(change.taints().seen(), change.taints().seen(), added));
  }

  private static NodeChange.OfSpec unrecorded(NodeChange.OfSpec change) {
    return new NodeChange.OfSpec(
        change.metadata().with(new MetadataChange.Recorded.Nothing()),
        change.cordoning(),
        change.taints());
  }
}
