package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.plan.Action;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.disruption.cause.PreemptionCause;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The part of the writer contract for Nodes in removal and their Pods. */
public abstract class RemovalWriterContract extends WriterContract {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00.125Z");
  private static final Instant FORCE_AT = Instant.parse("2026-01-01T10:30:00.125Z");
  private static final Disruption.Committed DRAINING =
      Disruptions.committed(CandidateRank.IDLE, NOW, FORCE_AT);
  private static final Node.Removing SAYS =
      new Node.Removing(NodeRemovalReason.DRAINING, "1 Pod left");

  private static final String POLICY = NodeAnnotations.REBOOT_POLICY.key();
  private static final String REQUEST = "production-reboot";

  @Test
  void aRequestIsRecordedAndTheNodeStaysSchedulable() {
    Node node = foreignAnnotated(newNode());

    Answer<Observation> answer = send(admit(node, Disruptions.requested(NOW)));

    Node noted = live(node);
    assertThat(answer).isEqualTo(new Answer.Done<>(new Observation.NodeSeen(noted)));
    assertThat(noted.disruption()).contains(Disruptions.requested(NOW));
    assertThat(noted.cordoned()).isFalse();
    assertForeignStays(node);
  }

  @Test
  void aMarkCordonsAndIsTakenBackWithItsCordon() {
    Node node = foreignAnnotated(newNode());
    Disruption admitted = Disruptions.admitted(CandidateRank.IDLE, NOW, true);

    assertThat(send(admit(node, admitted))).isInstanceOf(Answer.Done.class);
    Node cordoned = atRest(node);
    assertThat(cordoned.disruption()).contains(admitted);
    assertThat(cordoned.cordoned()).isTrue();
    assertForeignStays(node);

    assertThat(send(withdraw(cordoned, true))).isInstanceOf(Answer.Done.class);
    assertThat(live(node).disruption()).isEmpty();
    assertThat(live(node).cordoned()).isFalse();
    assertForeignStays(node);
  }

  @Test
  void aNodeIsCordonedAgainIfItsRecordIsAsItWas() {
    Node node = newNode();
    send(commit(node));
    Node draining = live(node);
    Disruption other = Disruptions.committed(CandidateRank.IDLE, NOW, NOW.plusSeconds(60));

    assertThat(send(Disruptions.cordonAgain(draining.withDisruption(Optional.of(other)))))
        .isInstanceOf(Answer.Refused.class);
    assertThat(live(node).cordoned()).isFalse();

    foreignAnnotated(draining);
    assertThat(send(Disruptions.cordonAgain(draining))).isInstanceOf(Answer.Done.class);
    assertThat(live(node).cordoned()).isTrue();
    assertThat(send(Disruptions.cordonAgain(draining))).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void labelsAndTheReasonOfTheCordonAreWrittenWithTheRecordAndRemovedWithIt() {
    Node node = foreignAnnotated(newNode());
    Disruption admitted = Disruptions.admitted(new PreemptionCause(NOW), NOW, true);
    String label = NodeLabels.PENDING_PREEMPTION.key();
    String reason = NodeAnnotations.CORDON_REASON.key();
    MetadataChange metadata =
        MetadataChange.NONE
            .recording(Optional.of(admitted))
            .withLabel(label, Optional.of("true"))
            .withAnnotation(reason, Optional.of("Preemption"));

    assertThat(send(change(node, NodePurpose.ADMIT, metadata, NodeChange.Cordoning.CORDON)))
        .isInstanceOf(Answer.Done.class);
    Node cordoned = atRest(node);
    assertThat(cordoned.metadata().labels()).containsEntry(label, "true");
    assertThat(cordoned.metadata().annotations()).containsEntry(reason, "Preemption");
    assertForeignStays(node);

    MetadataChange without =
        MetadataChange.NONE
            .recording(Optional.of(Disruptions.passedOver(NOW, NOW, false)))
            .withLabel(label, Optional.empty())
            .withAnnotation(reason, Optional.empty());
    assertThat(send(change(cordoned, NodePurpose.WITHDRAW, without, NodeChange.Cordoning.UNCORDON)))
        .isInstanceOf(Answer.Done.class);
    assertThat(live(node).metadata().labels()).doesNotContainKey(label);
    assertThat(live(node).metadata().annotations()).doesNotContainKey(reason);
    assertForeignStays(node);
  }

  @Test
  void aCommitmentMayCarryLabels() {
    Node node = newNode();
    Map<String, String> labels = Map.of(NodeLabels.EVICTED_AT.key(), "20260101T100000Z");

    assertThat(
            send(
                Disruptions.commit(
                    node,
                    DRAINING,
                    SAYS,
                    MetadataChange.NONE.withLabel(
                        NodeLabels.EVICTED_AT.key(), Optional.of("20260101T100000Z")))))
        .isInstanceOf(Answer.Done.class);

    assertThat(live(node).disruption()).contains(DRAINING);
    assertThat(live(node).metadata().labels()).containsAllEntriesOf(labels);
  }

  @Test
  void aCommitmentMayUseAPolicyUp() {
    Node node = requested(newNode());

    assertThat(
            send(
                Disruptions.commit(
                    node,
                    DRAINING,
                    SAYS,
                    MetadataChange.NONE.withAnnotation(POLICY, Optional.empty()))))
        .isInstanceOf(Answer.Done.class);

    assertThat(live(node).metadata().annotations()).doesNotContainKey(POLICY);
    assertThat(live(node).metadata().label(NodeLabels.PENDING_STATE)).isEqualTo(REQUEST);
    assertForeignStays(node);
  }

  @Test
  void theTimesOfARequestAreReadAsTheServerRecordsThem() {
    Node node = foreignAnnotated(newNode());
    assertThat(times(node)).isEqualTo(new RequestTimes(Optional.empty(), Optional.empty()));

    Node set = requested(node);
    RequestTimes times = times(set);
    assertThat(times.label()).isPresent().isEqualTo(times.policy());
    assertThat(send(new Action.AskRequestTimes(node.name(), "another-uid", node.version())))
        .isInstanceOf(Answer.Missing.class);
  }

  private RequestTimes times(Node node) {
    Answer<Observation> answer =
        send(new Action.AskRequestTimes(node.name(), node.uid(), node.version()));
    assertThat(answer).isInstanceOf(Answer.Done.class);
    Observation.RequestTimed timed =
        (Observation.RequestTimed) ((Answer.Done<Observation>) answer).object();
    assertThat(timed.nodeVersion()).isEqualTo(live(node).version());
    return timed.times();
  }

  @Test
  void aPolicyIsTakenOffTheNodeThatWasSeen() {
    Node seen = requested(newNode());

    assertThat(send(drop(seen.withVersion(seen.version() - 1)))).isInstanceOf(Answer.Refused.class);
    assertThat(send(drop(seen))).isInstanceOf(Answer.Done.class);
    assertThat(live(seen).metadata().annotations()).doesNotContainKey(POLICY);
    assertThat(live(seen).metadata().label(NodeLabels.PENDING_STATE)).isEqualTo(REQUEST);
    assertForeignStays(seen);
  }

  private static Action drop(Node seen) {
    return change(
        seen,
        NodePurpose.DROP_REBOOT_POLICY,
        MetadataChange.NONE.withAnnotation(POLICY, Optional.empty()),
        NodeChange.Cordoning.KEEP);
  }

  /** The Node after a client set a request and its policy in one write. */
  private Node requested(Node node) {
    foreignAnnotated(node);
    cluster()
        .editNode(
            node,
            metadata -> {
              SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
              labels.put(NodeLabels.PENDING_STATE.key(), REQUEST);
              SortedMap<String, String> annotations = new TreeMap<>(metadata.annotations());
              annotations.put(POLICY, NodeAnnotations.IMMEDIATE);
              return metadata.withLabels(labels).withAnnotations(annotations);
            });
    return live(node);
  }

  private static Action change(
      Node node, NodePurpose purpose, MetadataChange metadata, NodeChange.Cordoning cordoning) {
    return Action.WriteNode.of(
        node,
        NodePrecondition.unchanged(node),
        new NodeChange.OfSpec(metadata, cordoning),
        purpose);
  }

  @Test
  void anotherClientsCordonStaysWhenTheMarkIsRemoved() {
    Node node = newNode();
    send(admit(node, Disruptions.admitted(CandidateRank.IDLE, NOW, true)));
    Disruption admitted = Disruptions.admitted(CandidateRank.CORDONED, NOW, false);

    assertThat(send(admit(atRest(node), admitted))).isInstanceOf(Answer.Done.class);
    assertThat(live(node).disruption()).contains(admitted);
    assertThat(send(withdraw(live(node), false))).isInstanceOf(Answer.Done.class);
    assertThat(live(node).disruption()).isEmpty();
    assertThat(live(node).cordoned()).isTrue();
  }

  @Test
  void aMarkWithoutACordonLeavesTheNodeSchedulable() {
    Node node = newNode();

    send(admit(node, Disruptions.admitted(CandidateRank.CORDONED, NOW, false)));

    assertThat(live(node).cordoned()).isFalse();
  }

  @Test
  void aChangedNodeIsNeitherAdmittedNorWithdrawn() {
    Node seen = newNode();
    Node moved = foreignAnnotated(seen);
    Disruption admitted = Disruptions.admitted(CandidateRank.IDLE, NOW, true);

    assertThat(send(admit(seen, admitted))).isInstanceOf(Answer.Refused.class);
    assertThat(live(seen).disruption()).isEmpty();
    assertThat(live(seen).cordoned()).isFalse();

    send(admit(moved, admitted));
    assertThat(send(withdraw(moved, true))).isInstanceOf(Answer.Refused.class);
    assertThat(live(seen).disruption()).contains(admitted);
    assertThat(live(seen).cordoned()).isTrue();
  }

  @Test
  void anotherNodeOfTheNameIsNotMarkedOrDrained() {
    Node node = newNode();
    Node.Identity own = node.identity();
    Node.Identity another =
        new Node.Identity(own.name(), "another-uid", own.createdAt(), own.hostUid(), own.tenancy());
    Disruption admitted = Disruptions.admitted(CandidateRank.IDLE, NOW, true);

    assertThat(send(admit(node.withIdentity(another), admitted)))
        .isNotInstanceOf(Answer.Done.class);
    assertThat(send(Disruptions.commit(node.withIdentity(another), DRAINING, SAYS)))
        .isNotInstanceOf(Answer.Done.class);
    assertThat(send(Action.WriteNode.reportRemoval(node.withIdentity(another), Optional.of(SAYS))))
        .isNotInstanceOf(Answer.Done.class);
    assertThat(live(node)).isEqualTo(node);
  }

  @Test
  void theDrainIsRecordedAndReportedInOneWrite() {
    Node node = foreignAnnotated(newNode());

    Answer<Observation> answer = send(commit(node));

    Node draining = live(node);
    assertThat(answer).isEqualTo(new Answer.Done<>(new Observation.NodeSeen(draining)));
    assertThat(draining.disruption()).contains(DRAINING);
    assertThat(draining.removing()).contains(SAYS);
    assertThat(draining.cordoned()).isEqualTo(node.cordoned());
    assertForeignStays(node);
  }

  @Test
  void theDrainOfAChangedNodeDoesNotBegin() {
    Node seen = newNode();
    Node moved = foreignAnnotated(seen);

    assertThat(send(commit(seen))).isInstanceOf(Answer.Refused.class);
    assertThat(live(seen)).isEqualTo(moved);

    assertThat(send(commit(moved))).isInstanceOf(Answer.Done.class);
    assertThat(send(withdraw(moved, false))).isInstanceOf(Answer.Refused.class);
    assertThat(live(seen).disruption()).contains(DRAINING);
  }

  @Test
  void theReportOfTheRemovalChangesAndTheRecordStays() {
    Node node = newNode();
    send(commit(node));
    Node.Removing next =
        new Node.Removing(NodeRemovalReason.BLOCKED_BY_BUDGET, "default/a (budget b)");

    assertThat(send(Action.WriteNode.reportRemoval(live(node), Optional.of(next))))
        .isInstanceOf(Answer.Done.class);

    assertThat(live(node).removing()).contains(next);
    assertThat(live(node).disruption()).contains(DRAINING);
    assertThat(cluster().foreignFactsKept(node)).isTrue();
  }

  @Test
  void thePodsBoundToTheNodeAreListedWithoutFinishedOnes() {
    Node node = newNode();
    assertThat(send(list(node))).isEqualTo(listed(node));
    Pod pod = cluster().newPod(node);
    Pod finished = cluster().newPod(node);
    cluster().finish(finished);
    cluster().newPod(newNode());

    assertThat(send(list(node))).isEqualTo(listed(node, cluster().live(pod).orElseThrow()));
  }

  @Test
  void aPodIsEvicted() {
    Pod pod = cluster().newPod(newNode());

    assertThat(send(evict(pod))).isEqualTo(tried(pod));
    assertThat(cluster().live(pod).orElseThrow().deletedAt()).isPresent();
    assertThat(send(evict(pod))).isEqualTo(tried(pod));
  }

  @Test
  void aPodIsEvictedWithItsOwnGraceOrAShorterOne() {
    Node node = newNode();
    Pod own = cluster().newPod(node);
    Pod shorter = cluster().newPod(node);

    send(evict(own));
    assertThat(send(new Action.EvictPod(subject(shorter), Optional.of(Duration.ofSeconds(1)))))
        .isEqualTo(tried(shorter));

    assertThat(ends(shorter)).isBefore(ends(own).minus(own.eviction().grace().dividedBy(2)));
  }

  private Instant ends(Pod pod) {
    return cluster().live(pod).orElseThrow().deletedAt().orElseThrow();
  }

  @Test
  void theBudgetThatRefusesAnEvictionIsNamed() {
    Pod pod = cluster().newPod(newNode());
    String budget = cluster().guard(pod);

    assertThat(send(evict(pod))).isEqualTo(tried(pod, budget));
    assertThat(cluster().live(pod).orElseThrow().deletedAt()).isEmpty();
  }

  /** The API server answers 500, which otherwise leaves a write in doubt. */
  @Test
  void aPodWithSeveralBudgetsIsBlockedByThem() {
    Pod pod = cluster().newPod(newNode());
    cluster().guard(pod);
    cluster().guardAgain(pod);

    assertThat(send(evict(pod)))
        .isEqualTo(tried(pod, "more than one budget, which the API server refuses"));
    assertThat(cluster().live(pod).orElseThrow().deletedAt()).isEmpty();
  }

  @Test
  void theEvictionOfAMissingPodIsNoFailure() {
    Pod pod = cluster().newPod(newNode());
    Action.Subject.OfPod none =
        new Action.Subject.OfPod(pod.namespace(), "no-such-pod", "no-such-uid", pod.nodeName());
    Answer<Observation> done =
        new Answer.Done<>(
            new Observation.EvictionTried(pod.nodeName(), "no-such-uid", Optional.empty()));

    assertThat(send(new Action.EvictPod(none, Optional.empty()))).isEqualTo(done);
    assertThat(send(new Action.DeletePod(none, Optional.empty()))).isEqualTo(done);
  }

  @Test
  void anotherPodOfTheNameIsNotHarmed() {
    Pod pod = cluster().newPod(newNode());
    Action.Subject.OfPod another =
        new Action.Subject.OfPod(pod.namespace(), pod.name(), "another-uid", pod.nodeName());

    send(new Action.EvictPod(another, Optional.empty()));
    send(new Action.DeletePod(another, Optional.of(Duration.ofSeconds(1))));

    assertThat(cluster().live(pod)).contains(pod);
    assertThat(cluster().isDisrupted(pod)).isFalse();
  }

  @Test
  void aPodIsDeletedWithItsOwnGraceOrAShorterOneWhateverItsBudgetsSay() {
    Pod pod = cluster().newPod(newNode());
    cluster().guard(pod);

    assertThat(cluster().isDisrupted(pod)).isFalse();
    assertThat(send(new Action.DeletePod(subject(pod), Optional.empty()))).isEqualTo(tried(pod));
    assertThat(cluster().isDisrupted(pod)).isTrue();
    Instant own = ends(pod);
    assertThat(send(new Action.DeletePod(subject(pod), Optional.of(Duration.ofSeconds(5)))))
        .isEqualTo(tried(pod));
    assertThat(ends(pod)).isBefore(own.minus(pod.eviction().grace().dividedBy(2)));
  }

  /** The Node after the controllers that taint a cordoned Node have reacted. */
  private Node atRest(Node node) {
    return cluster().atRest(node);
  }

  private Node live(Node node) {
    return cluster().live(node).orElseThrow();
  }

  private Node foreignAnnotated(Node node) {
    cluster()
        .editNode(
            node,
            metadata -> {
              SortedMap<String, String> annotations = new TreeMap<>(metadata.annotations());
              annotations.put("another-client/key", "theirs");
              return metadata.withAnnotations(annotations);
            });
    return live(node);
  }

  private void assertForeignStays(Node node) {
    assertThat(cluster().metadata(node).annotations())
        .containsEntry("another-client/key", "theirs");
    assertThat(cluster().foreignFactsKept(node)).isTrue();
  }

  @Test
  void aNodeThatStaysReportsIt() {
    Node node = newNode();
    send(Action.WriteNode.reportRemoval(node, Optional.of(SAYS)));
    assertThat(live(node).removing()).contains(SAYS);

    assertThat(send(Action.WriteNode.reportRemoval(live(node), Optional.empty())))
        .isInstanceOf(Answer.Done.class);
    assertThat(live(node).removing()).isEmpty();
  }

  @Test
  void aMarkMayLeaveBehindThatTheNodeIsPassedOver() {
    Node node = newNode();
    send(admit(node, Disruptions.admitted(CandidateRank.IDLE, NOW, true)));
    Node cordoned = atRest(node);
    Disruption.PassedOver passed = Disruptions.passedOver(NOW, NOW.plusSeconds(60), false);

    assertThat(send(Disruptions.withdraw(cordoned, true, Optional.of(passed))))
        .isInstanceOf(Answer.Done.class);

    assertThat(live(node).disruption()).contains(passed);
    assertThat(live(node).cordoned()).isFalse();
  }

  @Test
  void aLiveReadOfAMachineReturnsWhetherItHasANode() {
    Node node = newNode();
    HostId host = new HostId(node.name(), node.hostUid());
    HostId without = new HostId("no-such-machine", "host-uid");

    assertThat(send(new Action.ReadMachine(host, 1)))
        .isEqualTo(new Answer.Done<>(new Observation.MachineRead(host, 1, true, List.of())));
    assertThat(send(new Action.ReadMachine(without, 2)))
        .isEqualTo(new Answer.Done<>(new Observation.MachineRead(without, 2, false, List.of())));
  }

  @Test
  void aLiveReadConfirmsThatAnObjectExistsOrDoesNot() {
    Node node = newNode();

    assertThat(send(new Action.Confirm(new Action.Subject.OfNode(node.name(), node.uid()))))
        .isEqualTo(new Answer.Done<>(new Observation.NodeSeen(node)));
    assertThat(send(new Action.Confirm(new Action.Subject.OfNode(node.name(), "another-uid"))))
        .isInstanceOfSatisfying(
            Answer.Done.class,
            done -> assertThat(done.object()).isInstanceOf(Observation.NodeGone.class));
  }

  private static Action admit(Node node, Disruption removal) {
    return Disruptions.record(node, removal);
  }

  private static Action withdraw(Node node, boolean uncordon) {
    return Disruptions.withdraw(node, uncordon, Optional.empty());
  }

  private static Action commit(Node node) {
    return Disruptions.commit(node, DRAINING, SAYS);
  }

  private static Action list(Node node) {
    return new Action.ListPods(node.name(), node.uid(), node.version());
  }

  private static Answer<Observation> listed(Node node, Pod... pods) {
    return new Answer.Done<>(
        new Observation.PodsListed(node.name(), node.uid(), node.version(), List.of(pods)));
  }

  private static Action.Subject.OfPod subject(Pod pod) {
    return new Action.Subject.OfPod(pod.namespace(), pod.name(), pod.uid(), pod.nodeName());
  }

  private static Action evict(Pod pod) {
    return new Action.EvictPod(subject(pod), Optional.empty());
  }

  private static Answer<Observation> tried(Pod pod) {
    return new Answer.Done<>(
        new Observation.EvictionTried(pod.nodeName(), pod.uid(), Optional.empty()));
  }

  private static Answer<Observation> tried(Pod pod, String budget) {
    return new Answer.Done<>(
        new Observation.EvictionTried(pod.nodeName(), pod.uid(), Optional.of(budget)));
  }
}
