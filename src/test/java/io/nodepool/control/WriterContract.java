package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The contract of writers for every intent, for a real API server and for the virtual world: if the
 * two differed, runs in the virtual world would prove nothing.
 */
public abstract class WriterContract {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  /**
   * A cluster with some free Hosts, without the writer under test. The names of its new objects are
   * unique.
   */
  public interface Cluster {
    /** Sends through the writer under test and waits for the answer. */
    Answer<Observation> send(List<EventDraft> eventDrafts, Action action);

    /** Reads through the writer under test and waits for the answer. */
    Answer<Observation> read(Action.Subject subject);

    /** Creates a pool with target 0. */
    PoolId newPool();

    /** Deletes a pool and creates another one of its name. */
    PoolId recreated(PoolId pool);

    /** A free Host that no other test uses. */
    Host freeHost();

    /** The Host's present state in the cluster. */
    Host live(Host host);

    /**
     * Lets the fleet report the Host as running and its Node join, with a condition and a taint of
     * another client.
     */
    Node comesUp(Host host);

    /** Lets the fleet report the Host as stopped. */
    void stops(Host host);

    /** The Node's present state in the cluster. */
    Optional<Node> live(Node node);

    /** The Node after other controllers have reacted to its cordon, with a taint. */
    Node atRest(Node node);

    /** All metadata of the Node in the cluster, of any client. */
    NodeMetadata metadata(Node node);

    /** Changes labels, annotations and taints of the Node as another client; not the record. */
    void editNode(Node node, UnaryOperator<NodeMetadata> edit);

    /** Whether the Node still has the other client's condition and taint. */
    boolean foreignFactsKept(Node node);

    /** Adds a condition of another client to the pool. */
    void addForeignCondition(PoolId pool);

    /** Whether the pool still has that condition. */
    boolean foreignConditionKept(PoolId pool);

    /** The pool's present status. */
    PoolStatus status(PoolId pool);

    /** Creates a Namespace without the organization's label. */
    Namespace newNamespace();

    /** Sets the organization's label by hand. */
    void label(Namespace namespace, String organization);

    /** The Namespace's present state in the cluster. */
    Namespace live(Namespace namespace);

    /** Creates a tenant's Pod that runs on the Node and has a long grace period. */
    Pod newPod(Node node);

    /** Lets the Pod finish its work. */
    void finish(Pod pod);

    /** From now on a budget allows no eviction of the Pod. Returns the budget's name. */
    String guard(Pod pod);

    /** Gives the Pod a second budget. */
    void guardAgain(Pod pod);

    /** The Pod's present state in the cluster; empty if it does not exist. */
    Optional<Pod> live(Pod pod);

    /** Whether the Pod's status says that it is ended for a disruption, not for a fault of it. */
    boolean isDisrupted(Pod pod);

    /** Messages of the Events of this reason for this object. */
    List<String> messages(EventReason reason, String uid);
  }

  /** The cluster under test. */
  protected abstract Cluster cluster();

  @Test
  void anAssignmentGivesAFreeHostItsNextTenancy() {
    PoolId pool = cluster().newPool();
    Host host = cluster().freeHost();

    assertThat(send(assign(host, pool))).isInstanceOf(Answer.Done.class);
    Host held = cluster().live(host);
    assertThat(held.isHeldBy(pool.uid())).isTrue();
    assertThat(held.tenancy()).isEqualTo(host.tenancy() + 1);
    assertThat(held.occupancy().configuration()).isEqualTo("ncore-1");
    assertThat(held.assignment().orElseThrow().at()).isEqualTo(NOW);
  }

  @Test
  void aSecondAssignmentIsRefusedAndChangesNothing() {
    PoolId first = cluster().newPool();
    PoolId second = cluster().newPool();
    Host host = cluster().freeHost();
    send(assign(host, first));

    assertThat(send(assign(host, second))).isInstanceOf(Answer.Refused.class);
    assertThat(send(assign(cluster().live(host), second))).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(host).isHeldBy(first.uid())).isTrue();
    assertThat(cluster().live(host).tenancy()).isEqualTo(host.tenancy() + 1);
  }

  @Test
  void theSameAssignmentSentAgainIsDoneAndChangesNothing() {
    PoolId pool = cluster().newPool();
    Host host = cluster().freeHost();
    send(assign(host, pool));
    long version = cluster().live(host).version();

    assertThat(send(assign(host, pool))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(host).version()).isEqualTo(version);
  }

  @Test
  void aBootingHostCanBeCancelledAndARunningOneCannot() {
    PoolId pool = cluster().newPool();
    Host host = cluster().freeHost();
    send(assign(host, pool));
    assertThat(send(cancel(cluster().live(host), pool))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(host).isFree()).isTrue();

    send(assign(cluster().live(host), pool));
    cluster().comesUp(cluster().live(host));
    assertThat(send(cancel(cluster().live(host), pool))).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(host).isHeldBy(pool.uid())).isTrue();
  }

  @Test
  void aHostIsReleasedOnlyAfterItWasPoweredOff() {
    PoolId pool = cluster().newPool();
    Host host = cluster().freeHost();
    send(assign(host, pool));
    cluster().comesUp(cluster().live(host));
    Host running = cluster().live(host);

    assertThat(send(release(running, pool))).isInstanceOf(Answer.Refused.class);
    assertThat(send(stop(running, pool))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(host).power()).isEqualTo(Host.Power.OFF);
    cluster().stops(cluster().live(host));
    assertThat(cluster().live(host).is(HostPhase.STOPPED)).isTrue();
    assertThat(send(release(running, pool))).isInstanceOf(Answer.Done.class);
    Host released = cluster().live(host);
    assertThat(released.assignment()).isEmpty();
    assertThat(released.isFree()).isFalse();
    assertThat(send(release(running, pool))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(host).version()).isEqualTo(released.version());
    assertThat(send(stop(running, pool))).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void aNodeIsRegisteredAndOtherClientsFieldsStay() {
    Node node = newNode();

    assertThat(send(report(node, true, new Node.Activity(false, "No tenant workloads."))))
        .isInstanceOf(Answer.Done.class);
    Node registered = cluster().live(node).orElseThrow();
    assertThat(registered.registered()).isTrue();
    assertThat(registered.activity()).contains(new Node.Activity(false, "No tenant workloads."));
    assertThat(cluster().foreignFactsKept(node)).isTrue();

    send(report(registered, false, new Node.Activity(true, "1 Pod")));
    Node active = cluster().live(node).orElseThrow();
    assertThat(active.registered()).isTrue();
    assertThat(active.activity()).contains(new Node.Activity(true, "1 Pod"));
    assertThat(cluster().foreignFactsKept(node)).isTrue();
  }

  @Test
  void metadataIsChangedInOneWriteAndOtherClientsMetadataStays() {
    Node node = newNode();
    NodeMetadata before = cluster().metadata(node);

    Answer<Observation> answer = send(apply(node, first(node)));

    assertThat(answer).isInstanceOf(Answer.Done.class);
    Node given = cluster().live(node).orElseThrow();
    assertThat(answer).isEqualTo(new Answer.Done<>(new Observation.NodeSeen(given)));
    assertThat(given.metadata().applied()).contains(FIRST);
    assertThat(given.metadata().labels()).containsEntry("team/name", "a");
    assertThat(given.metadata().annotations()).containsEntry("contact", "me");
    assertThat(given.metadata().taints())
        .startsWith(before.taints().toArray(Taint[]::new))
        .endsWith(new Taint("dedicated", "a", "NoSchedule"));

    assertThat(send(apply(given, second(given)))).isInstanceOf(Answer.Done.class);
    NodeMetadata after = cluster().metadata(node);
    assertThat(after.applied()).contains(SECOND);
    assertThat(after.labels()).doesNotContainKey("team/name").containsAllEntriesOf(before.labels());
    assertThat(after.annotations()).doesNotContainKey("contact");
    assertThat(after.taints().subList(0, before.taints().size())).isEqualTo(before.taints());
    assertThat(after.taints().subList(before.taints().size(), after.taints().size()))
        .containsExactly(new Taint("dedicated", "b", "NoSchedule"));
    assertThat(cluster().foreignFactsKept(node)).isTrue();
  }

  @Test
  void aTaintThatAnotherClientAddsMeanwhileIsNotLost() {
    Taint foreign = new Taint("maintenance", "", "NoSchedule");
    Node node = newNode();
    cluster().editNode(node, metadata -> with(metadata, append(metadata.taints(), foreign)));
    assertThat(send(apply(node, first(node)))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().metadata(node).taints()).contains(foreign);

    Node given = cluster().live(node).orElseThrow();
    Taint early = new Taint("early", "", "NoSchedule");
    cluster()
        .editNode(given, metadata -> with(metadata, append(List.of(early), metadata.taints())));
    assertThat(send(apply(given, second(given)))).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().metadata(node).taints())
        .contains(foreign, early, new Taint("dedicated", "a", "NoSchedule"));
    assertThat(cluster().metadata(node).applied()).contains(FIRST);
  }

  @Test
  void aTaintIsAddedToANodeThatHasNone() {
    Node node = newNode();
    cluster().editNode(node, metadata -> with(metadata, List.of()));
    Node bare = cluster().live(node).orElseThrow();
    assertThat(bare.metadata().taints()).isEmpty();

    assertThat(send(apply(bare, first(bare)))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().metadata(node).taints())
        .containsExactly(new Taint("dedicated", "a", "NoSchedule"));

    Node other = newNode();
    cluster().editNode(other, metadata -> with(metadata, List.of()));
    Node live = cluster().live(other).orElseThrow();
    Action change = apply(live, first(live));
    Taint foreign = new Taint("maintenance", "", "NoSchedule");
    cluster().editNode(other, metadata -> with(metadata, List.of(foreign)));
    assertThat(send(change)).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().metadata(other).taints()).containsExactly(foreign);
  }

  @Test
  void metadataThatHasChangedIsNotOverwritten() {
    Node node = newNode();
    Action late = apply(node, first(node));
    send(late);
    Node given = cluster().live(node).orElseThrow();
    Action change = apply(given, second(given));
    assertThat(send(change)).isInstanceOf(Answer.Done.class);

    assertThat(send(change)).isInstanceOf(Answer.Refused.class);
    Node another =
        node.withIdentity(new Node.Identity(node.name(), "another-uid", NOW, node.hostUid(), 1));
    assertThat(send(apply(another, first(another)))).isNotInstanceOf(Answer.Done.class);
    assertThat(cluster().metadata(node).applied()).contains(SECOND);
    assertThat(cluster().metadata(node).labels()).doesNotContainKey("team/name");
  }

  private static final NodeTemplate FIRST =
      new NodeTemplate(
          new TreeMap<>(Map.of("team/name", "a")),
          new TreeMap<>(Map.of("contact", "me")),
          List.of(new Taint("dedicated", "a", "NoSchedule")));

  private static final NodeTemplate SECOND =
      new NodeTemplate(
          new TreeMap<>(), new TreeMap<>(), List.of(new Taint("dedicated", "b", "NoSchedule")));

  /** The change from the Node's present metadata to {@link #FIRST}. */
  private static NodeChange first(Node node) {
    return new NodeChange.OfSpec(
        new MetadataChange(
            new MetadataChange.Recorded.Applied(FIRST),
            new TreeMap<>(Map.of("team/name", Optional.of("a"))),
            new TreeMap<>(Map.of("contact", Optional.of("me")))),
        NodeChange.Cordoning.KEEP,
        new NodeChange.TaintPatch(node.metadata().taints(), List.of(), FIRST.taints()));
  }

  /** The change from {@link #FIRST} to {@link #SECOND}. */
  private static NodeChange second(Node node) {
    return new NodeChange.OfSpec(
        new MetadataChange(
            new MetadataChange.Recorded.Applied(SECOND),
            new TreeMap<>(Map.of("team/name", Optional.empty())),
            new TreeMap<>(Map.of("contact", Optional.empty()))),
        NodeChange.Cordoning.KEEP,
        new NodeChange.TaintPatch(node.metadata().taints(), FIRST.taints(), SECOND.taints()));
  }

  private static Action apply(Node node, NodeChange change) {
    return Action.WriteNode.of(
        node, NodePrecondition.appliedUnchanged(node), change, NodePurpose.APPLY_METADATA);
  }

  private static NodeMetadata with(NodeMetadata metadata, List<Taint> taints) {
    return metadata.withTaints(taints);
  }

  private static List<Taint> append(List<Taint> taints, Taint taint) {
    return append(taints, List.of(taint));
  }

  private static List<Taint> append(List<Taint> taints, List<Taint> more) {
    return Stream.concat(taints.stream(), more.stream()).toList();
  }

  @Test
  void onlyTheNodeWithTheUidIsDeleted() {
    Node node = newNode();

    assertThat(send(new Action.DeleteNode(node.name(), "another-uid")))
        .isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(node)).isPresent();
    Action delete = new Action.DeleteNode(node.name(), node.uid());
    assertThat(send(delete)).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(node)).isEmpty();
    assertThat(send(delete)).isInstanceOf(Answer.Done.class);
  }

  @Test
  void aStatusIsPublishedWholeAndForeignConditionsStay() {
    PoolId pool = cluster().newPool();
    cluster().addForeignCondition(pool);
    PoolStatus status = status("NodePool configuration is valid.", 3);

    assertThat(send(new Action.PublishStatus(pool, status))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().status(pool)).isEqualTo(status);
    assertThat(cluster().foreignConditionKept(pool)).isTrue();

    PoolStatus next = status("changed", 0);
    send(new Action.PublishStatus(pool, next));
    assertThat(cluster().status(pool)).isEqualTo(next);
  }

  @Test
  void aWriteOnAPoolDoesNotReachItsSuccessorOfTheSameName() {
    PoolId old = cluster().newPool();
    PoolId successor = cluster().recreated(old);

    assertThat(send(new Action.PublishStatus(old, status("late", 1))))
        .isNotInstanceOf(Answer.Done.class);
    assertThat(cluster().status(successor)).isEqualTo(PoolStatus.NONE);
  }

  @Test
  void aPoolIsFoundEmptyOnlyWhenNothingIsHeld() {
    PoolId pool = cluster().newPool();
    assertThat(send(new Action.ConfirmEmpty(pool)))
        .isEqualTo(new Answer.Done<>(new Observation.PoolFoundEmpty(pool)));

    send(assign(cluster().freeHost(), pool));
    assertThat(send(new Action.ConfirmEmpty(pool))).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void anEventEmittedAgainIsOneEventWithTheLatestMessage() {
    PoolId pool = cluster().newPool();
    Action action = new Action.PublishStatus(pool, status("one", 1));
    cluster().send(List.of(assigned(pool, "1 Node assigned: a.", 1)), action);
    cluster()
        .send(
            List.of(assigned(pool, "2 Nodes assigned: a, b.", 2)),
            new Action.PublishStatus(pool, status("two", 2)));

    assertThat(cluster().messages(EventReason.NODE_ASSIGNED, pool.uid()))
        .containsExactly("2 Nodes assigned: a, b.");
  }

  @Test
  void aNamespaceIsLabelledAsTheControlPlanes() {
    Namespace namespace = cluster().newNamespace();
    assertThat(namespace.organization()).isEmpty();

    assertThat(send(label(namespace)))
        .isEqualTo(new Answer.Done<>(new Observation.NamespaceSeen(cluster().live(namespace))));
    assertThat(cluster().live(namespace).organization()).contains(NamespaceLabels.CONTROL_PLANE);
  }

  @Test
  void anExistingLabelIsNotOverwritten() {
    Namespace namespace = cluster().newNamespace();
    cluster().label(namespace, "acme");

    assertThat(send(label(namespace))).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(namespace).organization()).contains("acme");
  }

  @Test
  void onlyTheNamespaceWithTheUidIsLabelledAndFound() {
    Namespace namespace = cluster().newNamespace();
    Action another = new Action.LabelNamespace(namespace.name(), "another-uid", "acme");

    assertThat(send(another)).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(namespace).organization()).isEmpty();
    assertThat(cluster().read(label(namespace).subject()))
        .isEqualTo(new Answer.Done<>(new Observation.NamespaceSeen(namespace)));
    assertThat(cluster().read(another.subject()))
        .isInstanceOfSatisfying(
            Answer.Done.class,
            done -> assertThat(done.object()).isInstanceOf(Observation.NamespaceGone.class));
    assertThat(send(new Action.LabelNamespace("no-such-namespace", "u", "acme")))
        .isInstanceOf(Answer.Missing.class);
  }

  @Test
  void theOperatorsLabelIsRemovedOrOverwritten() {
    Namespace namespace = cluster().newNamespace();
    send(label(namespace));
    Namespace labelled = cluster().live(namespace);
    assertThat(author(namespace)).isEqualTo(authored(labelled, LabelAuthor.OURS));

    assertThat(send(relabel(labelled, Optional.of("acme"))))
        .isEqualTo(new Answer.Done<>(new Observation.NamespaceSeen(cluster().live(namespace))));
    Namespace acmes = cluster().live(namespace);
    assertThat(acmes.organization()).contains("acme");
    assertThat(author(namespace)).isEqualTo(authored(acmes, LabelAuthor.OURS));

    assertThat(send(relabel(acmes, Optional.empty()))).isInstanceOf(Answer.Done.class);
    assertThat(cluster().live(namespace).organization()).isEmpty();
  }

  @Test
  void anotherClientsLabelIsTheirsEvenAfterOneOfTheOperator() {
    Namespace namespace = cluster().newNamespace();
    cluster().label(namespace, NamespaceLabels.CONTROL_PLANE);
    assertThat(author(namespace))
        .isEqualTo(authored(cluster().live(namespace), LabelAuthor.OTHERS));

    Namespace another = cluster().newNamespace();
    send(label(another));
    cluster().label(another, "acme");
    assertThat(author(another)).isEqualTo(authored(cluster().live(another), LabelAuthor.OTHERS));
  }

  @Test
  void aChangedNamespaceIsNotRelabelled() {
    Namespace namespace = cluster().newNamespace();
    send(label(namespace));
    Namespace seen = cluster().live(namespace);
    cluster().label(namespace, "acme");

    assertThat(send(relabel(seen, Optional.empty()))).isInstanceOf(Answer.Refused.class);
    assertThat(cluster().live(namespace).organization()).contains("acme");
    assertThat(send(new Action.AskLabelAuthor(namespace.name(), "another-uid")))
        .isInstanceOf(Answer.Missing.class);
  }

  @Test
  void aLiveReadReturnsWhetherAnObjectExists() {
    Node node = newNode();
    assertThat(cluster().read(new Action.Subject.OfNode(node.name(), node.uid())))
        .isEqualTo(new Answer.Done<>(new Observation.NodeSeen(cluster().live(node).orElseThrow())));
    assertThat(cluster().read(new Action.Subject.OfNode(node.name(), "another-uid")))
        .isInstanceOfSatisfying(
            Answer.Done.class,
            done -> assertThat(done.object()).isInstanceOf(Observation.NodeGone.class));
  }

  /** Sends an action without Events. */
  public final Answer<Observation> send(Action action) {
    return cluster().send(List.of(), action);
  }

  /** Creates a pool with one Node. */
  public final Node newNode() {
    PoolId pool = cluster().newPool();
    Host host = cluster().freeHost();
    send(assign(host, pool));
    return cluster().comesUp(cluster().live(host));
  }

  private static Action assign(Host host, PoolId pool) {
    return new Action.OnHost(
        new HostOperation.Assign(
            host.id(),
            host.tenancy(),
            new Assignment(
                pool,
                "default",
                HostOperation.assignId(host.id(), host.tenancy(), pool),
                NOW,
                NodeTemplate.EMPTY),
            "ncore-1"));
  }

  private static Action label(Namespace namespace) {
    return new Action.LabelNamespace(
        namespace.name(), namespace.uid(), NamespaceLabels.CONTROL_PLANE);
  }

  private static Action relabel(Namespace namespace, Optional<String> organization) {
    return new Action.RelabelNamespace(
        namespace.name(),
        namespace.uid(),
        namespace.version(),
        namespace.organization().orElse(""),
        organization);
  }

  private Answer<Observation> author(Namespace namespace) {
    return send(new Action.AskLabelAuthor(namespace.name(), namespace.uid()));
  }

  private static Answer<Observation> authored(Namespace namespace, LabelAuthor author) {
    return new Answer.Done<>(new Observation.NamespaceAuthored(namespace, author));
  }

  private static Action cancel(Host host, PoolId pool) {
    return new Action.OnHost(HostOperation.Cancel.of(host, pool, Optional.empty()));
  }

  private static Action stop(Host host, PoolId pool) {
    return new Action.OnHost(
        new HostOperation.Stop(host.id(), host.tenancy(), pool, Optional.empty()));
  }

  private static Action release(Host host, PoolId pool) {
    return new Action.OnHost(new HostOperation.Release(host.id(), host.tenancy(), pool));
  }

  private static Action report(Node node, boolean register, Node.Activity activity) {
    ConditionChange active = ConditionChange.active(node, activity);
    return Action.WriteNode.report(
        node,
        NodePurpose.REPORT_ACTIVITY,
        register ? List.of(ConditionChange.registered(), active) : List.of(active));
  }

  private static PoolStatus status(String message, int nodes) {
    return PoolStatus.NONE
        .withObservedGeneration(1)
        .withCounts(new PoolStatus.NodeCounts(nodes, nodes, 0, 0, Optional.empty(), Map.of()))
        .withConfiguration(ConfigurationState.NONE.withProfile("ncore-1"))
        .withNodeMetadata("0123456789abcdef")
        .withGrowth(Optional.of(new Growth(NOW.plusMillis(5), nodes, nodes, nodes)))
        .withConditions(
            Map.of(PoolCondition.VALIDATED, new Condition(ValidatedReason.VALID, message, NOW)));
  }

  private static EventDraft assigned(PoolId pool, String message, int count) {
    return new EventDraft(
        EventReason.NODE_ASSIGNED,
        new EventDraft.Regarding(EventTarget.POOL, pool.name(), pool.uid()),
        "request",
        message,
        count);
  }
}
