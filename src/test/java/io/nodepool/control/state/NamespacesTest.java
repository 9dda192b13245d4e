package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.Fixtures;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NamespacesTest {
  private final ClusterState state = ClusterStates.empty(InstantSource.fixed(Instant.EPOCH));
  private final Namespaces namespaces = state.namespaces();
  private long version;

  private Set<ReconcileKey> see(Observation seen) {
    return state.fold(seen, ClusterState.Source.WATCH);
  }

  private Observation pod(String uid, String namespace, String node) {
    return new Observation.PodSeen(
        new Pod(
            new Pod.Id(namespace, uid, uid),
            ++version,
            node,
            new Pod.Owner("ReplicaSet", "web", false),
            new Pod.Eviction(false, Duration.ofSeconds(30), Pod.Interruption.NONE),
            Pod.Execution.bound(Instant.EPOCH)));
  }

  private Observation namespace(String name, String organization) {
    return new Observation.NamespaceSeen(
        new Namespace(
            name,
            name + "-uid",
            ++version,
            false,
            Optional.of(organization).filter(value -> !value.isEmpty())));
  }

  @Test
  void aChangedLabelWakesTheMachinesWithPodsOfThatNamespaceAndNoOthers() {
    see(namespace("monitoring", ""));
    see(namespace("research", ""));
    see(pod("p-1", "monitoring", "g1"));
    see(pod("p-2", "monitoring", "g2"));
    see(pod("p-3", "research", "g3"));

    assertThat(see(namespace("monitoring", "control-plane")))
        .containsExactlyInAnyOrder(
            new ReconcileKey.OfNamespace("monitoring"),
            new ReconcileKey.OfMachine("g1"),
            new ReconcileKey.OfMachine("g2"));
    see(authored("monitoring", "control-plane", LabelAuthor.OTHERS));
    assertThat(namespaces.areControlPlane("monitoring")).isTrue();
    assertThat(see(namespace("monitoring", "control-plane")))
        .containsExactly(new ReconcileKey.OfNamespace("monitoring"));
  }

  @Test
  void aRemovedPodNoLongerLinksItsMachineToTheNamespace() {
    see(namespace("monitoring", ""));
    see(pod("p-1", "monitoring", "g1"));
    see(pod("p-1", "monitoring", "g1"));
    see(pod("p-2", "monitoring", "g2"));
    see(new Observation.PodGone("g1", "p-1", ++version));

    assertThat(see(namespace("monitoring", "control-plane")))
        .containsExactly(
            new ReconcileKey.OfNamespace("monitoring"), new ReconcileKey.OfMachine("g2"));
  }

  @Test
  void aPodObservedBeforeItsNamespaceIsReconciledAgain() {
    see(pod("p-1", "monitoring", "g1"));
    assertThat(namespaces.areControlPlane("monitoring")).isFalse();

    assertThat(see(namespace("monitoring", "control-plane")))
        .contains(new ReconcileKey.OfMachine("g1"));
  }

  @Test
  void anOlderStateAndTheEndOfAnEarlierNamespaceChangeNothing() {
    Observation older = namespace("monitoring", "");
    see(namespace("monitoring", "control-plane"));
    see(authored("monitoring", "control-plane", LabelAuthor.OTHERS));

    assertThat(see(older)).isEmpty();
    assertThat(see(new Observation.NamespaceGone("monitoring", "earlier", ++version))).isEmpty();
    assertThat(namespaces.areControlPlane("monitoring")).isTrue();
  }

  @Test
  void anAnswerNeverIntroducesANamespace() {
    assertThat(state.fold(namespace("monitoring", "control-plane"), ClusterState.Source.ANSWER))
        .isEmpty();
    assertThat(namespaces.find("monitoring")).isEmpty();
  }

  private Observation authored(String name, String organization, LabelAuthor author) {
    return new Observation.NamespaceAuthored(
        new Namespace(name, name + "-uid", version, false, Optional.of(organization)), author);
  }

  @Test
  void aMachineWaitsForTheAuthorOfItsPodsNamespaceLabel() {
    see(pod("p-1", "kube-prometheus", "g1"));

    assertThat(see(namespace("kube-prometheus", "control-plane")))
        .contains(new ReconcileKey.OfMachine("g1"));
    assertThat(namespaces.isOpen("kube-prometheus")).isTrue();
    assertThat(namespaces.areControlPlane("kube-prometheus")).isFalse();

    assertThat(see(authored("kube-prometheus", "control-plane", LabelAuthor.OTHERS)))
        .containsExactlyInAnyOrder(
            new ReconcileKey.OfNamespace("kube-prometheus"), new ReconcileKey.OfMachine("g1"));
    assertThat(namespaces.isOpen("kube-prometheus")).isFalse();
    assertThat(namespaces.areControlPlane("kube-prometheus")).isTrue();
  }

  @Test
  void anotherClientsLabelStaysTheirsWhileItsValueStays() {
    see(namespace("kube-prometheus", "control-plane"));
    see(authored("kube-prometheus", "control-plane", LabelAuthor.OTHERS));

    see(namespace("kube-prometheus", "control-plane"));
    assertThat(namespaces.isOpen("kube-prometheus")).isFalse();
    see(namespace("kube-prometheus", ""));
    see(namespace("kube-prometheus", "control-plane"));
    assertThat(namespaces.isOpen("kube-prometheus")).isTrue();
  }

  @Test
  void theAuthorOfAnEarlierLabelDoesNotApplyToALaterOne() {
    see(namespace("kube-prometheus", "control-plane"));
    Observation late = authored("kube-prometheus", "control-plane", LabelAuthor.OURS);
    see(namespace("kube-prometheus", "control-plane"));

    see(late);

    assertThat(namespaces.author("kube-prometheus")).isEqualTo(LabelAuthor.UNKNOWN);
  }

  @Test
  void aNewlyObservedOrganizationWakesTheNamespaces() {
    see(namespace("research", ""));

    assertThat(see(new Observation.OfferSeen(offer("acme"))))
        .contains(new ReconcileKey.OfNamespace("research"));
    assertThat(see(new Observation.OfferSeen(offer("acme")))).isEmpty();
    assertThat(see(new Observation.OfferSeen(offer("beta"))))
        .contains(new ReconcileKey.OfNamespace("research"));
  }

  private static FleetOffer offer(String organization) {
    return Fixtures.offer(
        "US-EAST-04A",
        "US-EAST-04",
        organization,
        new TreeSet<>(),
        new TreeSet<>(),
        new TreeMap<>(),
        List.of());
  }

  @Test
  void aDeletedNamespaceLeavesNoEntry() {
    see(namespace("monitoring", "control-plane"));
    see(pod("p-1", "monitoring", "g1"));
    see(new Observation.NamespaceGone("monitoring", "monitoring-uid", ++version));
    see(new Observation.PodGone("g1", "p-1", ++version));

    assertThat(state.completed()).isEmpty();
  }
}
