package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Namespace;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlPlaneNamespacesTest {
  private static final ControlPlaneNamespaces KNOWN =
      ControlPlaneNamespaces.DEFAULTS.and("our-operator");

  private static Namespace seen(String name, String organization) {
    return new Namespace(
        name, "u-1", 1, Optional.of(organization).filter(value -> !value.isEmpty()));
  }

  private static boolean include(Namespace namespace) {
    return KNOWN.include(namespace.name(), Optional.of(namespace));
  }

  @Test
  void withoutTheLabelTheNameDecides() {
    for (String name :
        new String[] {
          "kube-system", "kube-flannel", "cw-anything", "node-problem-detector", "our-operator"
        }) {
      assertThat(include(seen(name, ""))).as(name).isTrue();
      assertThat(KNOWN.include(name, Optional.empty())).as(name).isTrue();
    }
    assertThat(include(seen("default", ""))).isFalse();
    assertThat(KNOWN.include("research", Optional.empty())).isFalse();
  }

  @Test
  void theLabelGoesBeforeTheName() {
    assertThat(include(seen("monitoring", "control-plane"))).isTrue();
    assertThat(include(seen("cw-research", "acme"))).isFalse();
    assertThat(include(seen("kube-system", "acme"))).isFalse();
  }

  @Test
  void aKnownNamespaceWithoutTheLabelGetsItAndNoOtherIsTouched() {
    assertThat(KNOWN.plan(seen("kube-system", "")).map(Step::action))
        .contains(new Action.LabelNamespace("kube-system", "u-1"));
    assertThat(KNOWN.plan(seen("kube-system", "control-plane"))).isEmpty();
    assertThat(KNOWN.plan(seen("kube-system", "acme"))).isEmpty();
    assertThat(KNOWN.plan(seen("research", ""))).isEmpty();
  }
}
