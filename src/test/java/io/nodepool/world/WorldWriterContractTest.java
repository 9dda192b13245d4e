package io.nodepool.world;

import io.nodepool.control.RemovalWriterContract;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.FleetAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Tests the writer contract on the virtual world. Its pools have no conditions of other clients.
 */
class WorldWriterContractTest extends RemovalWriterContract {
  private final WorldCluster cluster =
      new WorldCluster(
          Drill.dataCentre(), InstanceCatalogue.bundled(), InstantSource.fixed(World.START));
  private int names;

  WorldWriterContractTest() {
    cluster.validate(CrdValidation.ALL);
  }

  @Override
  protected Cluster cluster() {
    return new InWorld();
  }

  private final class InWorld implements Cluster {
    @Override
    public Answer<Observation> send(List<EventDraft> eventDrafts, Action action) {
      eventDrafts.forEach(
          eventDraft -> cluster.eventLog().emit(eventDraft, World.START, Duration.ofMinutes(2)));
      return cluster.apply(action, World.START);
    }

    @Override
    public Answer<Observation> read(Action.Subject subject) {
      return cluster.read(subject);
    }

    @Override
    public PoolId newPool() {
      return cluster.createPool("pool-" + ++names, Fixtures.spec(0), World.START).id();
    }

    @Override
    public PoolId recreated(PoolId pool) {
      cluster.deletePool(pool.name(), World.START);
      return cluster.createPool(pool.name(), Fixtures.spec(0), World.START).id();
    }

    @Override
    public Host freeHost() {
      return cluster.hosts().values().stream().filter(Host::isFree).findFirst().orElseThrow();
    }

    @Override
    public Host live(Host host) {
      return Optional.ofNullable(cluster.hosts().get(host.id().name())).orElseThrow();
    }

    @Override
    public Node comesUp(Host host) {
      report(host, HostPhase.RUNNING);
      cluster.apply(new FleetAction.JoinNode(live(host)), World.START);
      cluster.nodeClients().metadata(host.id().name(), Scenario::withForeignFacts);
      return live(Optional.ofNullable(cluster.nodes().get(host.id().name())).orElseThrow())
          .orElseThrow();
    }

    @Override
    public void stops(Host host) {
      report(host, HostPhase.STOPPED);
    }

    private void report(Host host, HostPhase phase) {
      cluster.apply(
          new FleetAction.ReportHost(
              host, new Host.Report(phase, host.tenancy(), "boot", "ncore-1", World.START)),
          World.START);
    }

    @Override
    public Optional<Node> live(Node node) {
      return cluster.read(new Action.Subject.OfNode(node.name(), node.uid()))
              instanceof Answer.Done<Observation>(Observation.NodeSeen(Node found))
          ? Optional.of(found)
          : Optional.empty();
    }

    @Override
    public Node atRest(Node node) {
      return live(node).orElseThrow();
    }

    @Override
    public NodeMetadata metadata(Node node) {
      return Optional.ofNullable(cluster.nodes().get(node.name())).orElseThrow().metadata();
    }

    @Override
    public void editNode(Node node, UnaryOperator<NodeMetadata> edit) {
      cluster.nodeClients().metadata(node.name(), edit);
    }

    @Override
    public boolean foreignFactsKept(Node node) {
      return metadata(node).taints().stream().anyMatch(t -> t.key().equals("another-client/key"));
    }

    @Override
    public void addForeignCondition(PoolId pool) {}

    @Override
    public boolean foreignConditionKept(PoolId pool) {
      return true;
    }

    @Override
    public PoolStatus status(PoolId pool) {
      return cluster.pool(pool.name()).orElseThrow().status();
    }

    @Override
    public Namespace newNamespace() {
      return cluster.namespaces().create("namespace-" + ++names);
    }

    @Override
    public void label(Namespace namespace, String organization) {
      cluster.namespaces().label(namespace.name(), Optional.of(organization));
    }

    @Override
    public Namespace live(Namespace namespace) {
      return cluster.namespaces().find(namespace.name()).orElseThrow();
    }

    @Override
    public Pod newPod(Node node) {
      return cluster.bindPod("default", "pod-" + ++names, node.name(), "ReplicaSet");
    }

    @Override
    public void finish(Pod pod) {
      cluster.workloads().finish(pod.uid());
    }

    @Override
    public String guard(Pod pod) {
      cluster.workloads().guard(pod.uid());
      return WorldPods.GUARD;
    }

    @Override
    public void guardAgain(Pod pod) {
      cluster.workloads().guardAgain(pod.uid());
    }

    @Override
    public Optional<Pod> live(Pod pod) {
      return Optional.ofNullable(cluster.pods().get(pod.uid()));
    }

    @Override
    public boolean isDisrupted(Pod pod) {
      return cluster.workloads().isDisrupted(pod.uid());
    }

    @Override
    public List<String> messages(EventReason reason, String uid) {
      return cluster.events().values().stream()
          .map(WorldCluster.EventRecord::eventDraft)
          .filter(eventDraft ->
              eventDraft.reason() == reason && eventDraft.regarding().uid().equals(uid))
          .map(EventDraft::message)
          .toList();
    }
  }
}
