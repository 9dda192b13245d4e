package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Namespace;
import io.nodepool.model.Node;
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
  void knownNamespacesAreLabelledOnceAndOthersAreLeftAlone() {
    Drill drill = Drill.calm(1);
    drill.world.cluster().namespaces().create("cw-hpc-verification");
    drill.world.cluster().namespaces().create("cw-research");
    drill.world.cluster().namespaces().label("cw-research", Optional.of("acme"));
    drill.settle();

    assertThat(organization(drill, "kube-system")).contains("control-plane");
    assertThat(organization(drill, "cw-hpc-verification")).contains("control-plane");
    assertThat(organization(drill, "cw-research")).contains("acme");
    assertThat(organization(drill, "default")).isEmpty();
    assertThat(drill.world.cluster().tally().of("label Namespace")).isEqualTo(2);
  }

  @Test
  void aLabelThatIsTakenOffComesBackAndOneThatIsChangedStays() {
    Drill drill = Drill.calm(2);
    drill.settle();
    drill.world.cluster().namespaces().label("kube-system", Optional.empty());
    drill.settle();
    assertThat(organization(drill, "kube-system")).contains("control-plane");

    drill.world.cluster().namespaces().label("kube-system", Optional.of("acme"));
    drill.settle();
    assertThat(organization(drill, "kube-system")).contains("acme");
  }

  @Test
  void aNodesActivityFollowsTheNamespacesOfItsPods() {
    Drill drill = Drill.calm(3);
    drill.world.cluster().namespaces().create("monitoring");
    drill.pool("a").target(1);
    drill.settle();
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
