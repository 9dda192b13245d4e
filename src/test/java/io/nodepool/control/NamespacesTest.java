package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NamespacesTest {
  private final Namespaces namespaces = new Namespaces(ControlPlaneNamespaces.DEFAULTS);
  private final Index index =
      new Index(
          new Inventory(
              InstanceCatalogue.bundled(), namespaces, InstantSource.fixed(Instant.EPOCH)),
          InstantSource.fixed(Instant.EPOCH));
  private long version;

  private Set<Key> see(Observation seen) {
    return index.fold(seen, Index.Source.WATCH);
  }

  private Observation pod(String uid, String namespace, String node) {
    return new Observation.PodSeen(
        new Pod(
            namespace,
            uid,
            uid,
            ++version,
            node,
            "ReplicaSet",
            "web",
            false,
            false,
            Duration.ofSeconds(30),
            Pod.Interruption.NONE,
            true,
            false,
            Optional.empty()));
  }

  private Observation namespace(String name, String organization) {
    return new Observation.NamespaceSeen(
        new Namespace(
            name,
            name + "-uid",
            ++version,
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
            new Key.OfNamespace("monitoring"), new Key.OfMachine("g1"), new Key.OfMachine("g2"));
    assertThat(namespaces.areControlPlane("monitoring")).isTrue();
    assertThat(see(namespace("monitoring", "control-plane")))
        .containsExactly(new Key.OfNamespace("monitoring"));
  }

  @Test
  void aPodThatIsGoneNoLongerTiesItsMachineToTheNamespace() {
    see(namespace("monitoring", ""));
    see(pod("p-1", "monitoring", "g1"));
    see(pod("p-1", "monitoring", "g1"));
    see(pod("p-2", "monitoring", "g2"));
    see(new Observation.PodGone("g1", "p-1", ++version));

    assertThat(see(namespace("monitoring", "control-plane")))
        .containsExactly(new Key.OfNamespace("monitoring"), new Key.OfMachine("g2"));
  }

  @Test
  void aPodSeenBeforeItsNamespaceIsLookedAtAgain() {
    see(pod("p-1", "monitoring", "g1"));
    assertThat(namespaces.areControlPlane("monitoring")).isFalse();

    assertThat(see(namespace("monitoring", "control-plane"))).contains(new Key.OfMachine("g1"));
  }

  @Test
  void anOlderStateAndTheEndOfAnEarlierNamespaceChangeNothing() {
    Observation older = namespace("monitoring", "");
    see(namespace("monitoring", "control-plane"));

    assertThat(see(older)).isEmpty();
    assertThat(see(new Observation.NamespaceGone("monitoring", "earlier", ++version))).isEmpty();
    assertThat(namespaces.areControlPlane("monitoring")).isTrue();
  }

  @Test
  void anAnswerNeverIntroducesANamespace() {
    assertThat(index.fold(namespace("monitoring", "control-plane"), Index.Source.ANSWER)).isEmpty();
    assertThat(namespaces.find("monitoring")).isEmpty();
  }

  @Test
  void nothingIsLeftOfANamespaceThatIsGone() {
    see(namespace("monitoring", "control-plane"));
    see(pod("p-1", "monitoring", "g1"));
    see(new Observation.NamespaceGone("monitoring", "monitoring-uid", ++version));
    see(new Observation.PodGone("g1", "p-1", ++version));

    assertThat(namespaces.names()).isEmpty();
  }
}
