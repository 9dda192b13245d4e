package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Namespace;
import io.nodepool.model.node.Node;
import io.nodepool.world.cluster.WorldNamespaces;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NamespaceTest {
  private static Optional<String> organization(Drill drill, String namespace) {
    return drill.world.cluster().namespaces().find(namespace).flatMap(Namespace::organization);
  }

  private static boolean active(Drill drill) {
    return drill.pool("a").nodes().getFirst().activity().map(Node.Activity::active).orElseThrow();
  }

  @Test
  void eachNamespaceIsLabelledOnceWithItsOwnerUnlessAnotherClientDid() {
    Drill drill = Drill.calm(1);
    drill.world.cluster().namespaces().create("cw-hpc-verification");
    drill.world.cluster().namespaces().create("cw-research");
    drill.world.cluster().namespaces().label("cw-research", Optional.of("acme"));
    drill.toRest();

    assertThat(organization(drill, "kube-system")).contains("control-plane");
    assertThat(organization(drill, "cw-hpc-verification")).contains("control-plane");
    assertThat(organization(drill, "cw-research")).contains("acme");
    assertThat(organization(drill, "default")).contains("example-org");
    assertThat(drill.world.cluster().appliedWrites().of("label Namespace")).isEqualTo(3);
  }

  @Test
  void aRemovedLabelIsRestoredAndAChangedOneStays() {
    Drill drill = Drill.calm(2);
    drill.toRest();
    drill.world.cluster().namespaces().label("kube-system", Optional.empty());
    drill.toRest();
    assertThat(organization(drill, "kube-system")).contains("control-plane");

    drill.world.cluster().namespaces().label("kube-system", Optional.of("acme"));
    drill.toRest();
    assertThat(organization(drill, "kube-system")).contains("acme");
  }

  @Test
  void aLabelOfAnEarlierVersionIsRemovedAndAnotherClientsStays() {
    Drill drill = Drill.calm(4);
    WorldNamespaces namespaces = drill.world.cluster().namespaces();
    for (String name : new String[] {"kube-prometheus", "kube-flannel"}) {
      namespaces.create(name);
    }
    namespaces.labelAsOperator("kube-prometheus", "control-plane");
    namespaces.label("kube-flannel", Optional.of("control-plane"));
    drill.toRest();

    assertThat(organization(drill, "kube-prometheus")).contains("example-org");
    assertThat(organization(drill, "kube-flannel")).contains("control-plane");
  }

  @Test
  void withoutAnOrganizationItIsStillRemoved() {
    Drill drill = Drill.calm(5);
    drill.world.cluster().fleetOwner().loseOffer("no offer");
    drill.world.cluster().namespaces().create("kube-prometheus");
    drill.world.cluster().namespaces().labelAsOperator("kube-prometheus", "control-plane");
    drill.toRest();

    assertThat(organization(drill, "kube-prometheus")).isEmpty();
    assertThat(organization(drill, "default")).isEmpty();
    assertThat(organization(drill, "kube-system")).contains("control-plane");
  }

  @Test
  void aNamespaceThatIsBeingDeletedIsUnchanged() {
    Drill drill = Drill.calm(6);
    drill.world.cluster().namespaces().create("research");
    drill.world.cluster().namespaces().terminate("research");
    drill.toRest();

    assertThat(organization(drill, "research")).isEmpty();
  }

  @Test
  void aRestartDoesNotMakeANodeBusyWhoseNamespaceIsRead() {
    Drill drill = Drill.calm(7);
    drill.world.cluster().namespaces().create("kube-flannel");
    drill.world.cluster().namespaces().label("kube-flannel", Optional.of("control-plane"));
    drill.pool("a").target(1).toRest();
    drill
        .world
        .cluster()
        .bindPod("kube-flannel", "agent", drill.pool("a").nodes().getFirst().name(), "ReplicaSet");
    drill.toRest();
    assertThat(active(drill)).isFalse();
    int reports = drill.world.cluster().appliedWrites().of("report Node");

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.toRest();

    assertThat(active(drill)).isFalse();
    assertThat(drill.world.cluster().appliedWrites().of("report Node")).isEqualTo(reports);
  }

  @Test
  void aNodesActivityFollowsTheNamespacesOfItsPods() {
    Drill drill = Drill.calm(3);
    drill.world.cluster().namespaces().create("monitoring");
    drill.pool("a").target(1);
    drill.toRest();
    drill
        .world
        .cluster()
        .bindPod("monitoring", "agent", drill.pool("a").nodes().getFirst().name(), "ReplicaSet");
    drill.advance(1, MINUTES);
    assertThat(active(drill)).isTrue();

    drill.world.cluster().namespaces().label("monitoring", Optional.of("control-plane"));
    drill.advance(1, MINUTES);
    assertThat(active(drill)).isFalse();

    drill.world.cluster().namespaces().label("monitoring", Optional.of("acme"));
    drill.advance(1, MINUTES);
    assertThat(active(drill)).isTrue();

    drill.world.cluster().namespaces().delete("monitoring");
    drill.advance(1, MINUTES);
    assertThat(active(drill)).isFalse();
  }
}
