package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlPlaneNamespacesTest {
  private static final String ORG = "acme";
  private static final ControlPlaneNamespaces KNOWN =
      ControlPlaneNamespaces.DEFAULTS.and("our-operator");

  private static Namespace seen(String name, String organization) {
    return new Namespace(
        name, "u-1", 7, false, Optional.of(organization).filter(value -> !value.isEmpty()));
  }

  private static boolean include(Namespace namespace, LabelAuthor author) {
    return KNOWN.include(namespace.name(), Optional.of(namespace), author);
  }

  private static Optional<Action> plan(String name, String organization, LabelAuthor author) {
    return plan(seen(name, organization), author, ORG);
  }

  private static Optional<Action> plan(Namespace namespace, LabelAuthor author, String own) {
    return KNOWN
        .plan(namespace, author, Optional.of(own).filter(value -> !value.isEmpty()))
        .map(PlannedAction::action);
  }

  private static Action set(String name, String value) {
    return new Action.LabelNamespace(name, "u-1", value);
  }

  @Test
  void withoutTheLabelTheNameDecides() {
    for (String name :
        new String[] {
          "kube-system",
          "kube-public",
          "kube-node-lease",
          "cw-anything",
          "node-problem-detector",
          "hpc-verification",
          "our-operator"
        }) {
      assertThat(include(seen(name, ""), LabelAuthor.UNKNOWN)).as(name).isTrue();
      assertThat(KNOWN.include(name, Optional.empty(), LabelAuthor.UNKNOWN)).as(name).isTrue();
    }
    assertThat(include(seen("default", ""), LabelAuthor.UNKNOWN)).isFalse();
    assertThat(KNOWN.include("research", Optional.empty(), LabelAuthor.UNKNOWN)).isFalse();
  }

  @Test
  void aTenantsKubePrometheusIsTenantWork() {
    assertThat(include(seen("kube-prometheus", ""), LabelAuthor.UNKNOWN)).isFalse();
    assertThat(plan("kube-prometheus", "", LabelAuthor.UNKNOWN))
        .contains(set("kube-prometheus", ORG));
  }

  @Test
  void configuredNamesAreAddedToTheBuiltInOnes() {
    ControlPlaneNamespaces configured = new ControlPlaneNamespaces(java.util.Set.of("metrics"));

    assertThat(configured.include("metrics", Optional.empty(), LabelAuthor.UNKNOWN)).isTrue();
    assertThat(configured.include("kube-system", Optional.empty(), LabelAuthor.UNKNOWN)).isTrue();
  }

  @Test
  void aLabelOfAnotherClientTakesPrecedenceOverTheName() {
    assertThat(include(seen("monitoring", "control-plane"), LabelAuthor.OTHERS)).isTrue();
    assertThat(include(seen("kube-prometheus", "control-plane"), LabelAuthor.OTHERS)).isTrue();
    assertThat(include(seen("cw-research", ORG), LabelAuthor.OTHERS)).isFalse();
    assertThat(include(seen("kube-system", "beta"), LabelAuthor.UNKNOWN)).isFalse();
    assertThat(include(seen("kube-system", "control-plane"), LabelAuthor.UNKNOWN)).isTrue();
  }

  @Test
  void aLabelOfTheOperatorDecidesNothing() {
    assertThat(include(seen("kube-prometheus", "control-plane"), LabelAuthor.OURS)).isFalse();
    assertThat(include(seen("cw-research", ORG), LabelAuthor.OURS)).isTrue();
  }

  @Test
  void podsAreProtectedWhileTheAuthorOfTheLabelIsUnknown() {
    Namespace open = seen("kube-prometheus", "control-plane");

    assertThat(KNOWN.isOpen(open, LabelAuthor.UNKNOWN)).isTrue();
    assertThat(include(open, LabelAuthor.UNKNOWN)).isFalse();
    assertThat(KNOWN.isOpen(open, LabelAuthor.OTHERS)).isFalse();
    assertThat(KNOWN.isOpen(seen("kube-system", "control-plane"), LabelAuthor.UNKNOWN)).isFalse();
  }

  @Test
  void aNamespaceWithoutTheLabelIsLabelledWithItsOwner() {
    assertThat(plan("kube-system", "", LabelAuthor.UNKNOWN))
        .contains(set("kube-system", "control-plane"));
    assertThat(plan("research", "", LabelAuthor.UNKNOWN)).contains(set("research", ORG));
  }

  @Test
  void aLabelOfAnotherClientStaysAndItsAuthorIsNotReadIfItCannotBeTheOperators() {
    assertThat(plan("kube-system", "control-plane", LabelAuthor.UNKNOWN)).isEmpty();
    assertThat(plan("kube-system", "beta", LabelAuthor.UNKNOWN)).isEmpty();
    assertThat(plan("research", ORG, LabelAuthor.UNKNOWN)).isEmpty();
    assertThat(plan("research", "beta", LabelAuthor.UNKNOWN)).isEmpty();
    assertThat(plan("monitoring", "control-plane", LabelAuthor.OTHERS)).isEmpty();
    assertThat(plan("cw-research", ORG, LabelAuthor.OTHERS)).isEmpty();
  }

  @Test
  void theAuthorIsReadBeforeALabelIsRemoved() {
    assertThat(plan("kube-prometheus", "control-plane", LabelAuthor.UNKNOWN))
        .contains(new Action.AskLabelAuthor("kube-prometheus", "u-1"));
    assertThat(plan("cw-research", ORG, LabelAuthor.UNKNOWN))
        .contains(new Action.AskLabelAuthor("cw-research", "u-1"));
  }

  @Test
  void aLabelOfTheOperatorFollowsTheName() {
    assertThat(plan("kube-prometheus", "control-plane", LabelAuthor.OURS))
        .contains(
            new Action.RelabelNamespace(
                "kube-prometheus", "u-1", 7, "control-plane", Optional.of(ORG)));
    assertThat(plan(seen("kube-prometheus", "control-plane"), LabelAuthor.OURS, ""))
        .contains(
            new Action.RelabelNamespace(
                "kube-prometheus", "u-1", 7, "control-plane", Optional.empty()));
    assertThat(plan("cw-research", ORG, LabelAuthor.OURS))
        .contains(
            new Action.RelabelNamespace(
                "cw-research", "u-1", 7, ORG, Optional.of("control-plane")));
  }

  @Test
  void anOrganisationThatIsNoLabelValueIsNotWritten() {
    for (String own : new String[] {"", "control-plane", "no label value", "x".repeat(64), "-x"}) {
      assertThat(plan(seen("research", ""), LabelAuthor.UNKNOWN, own)).as(own).isEmpty();
    }
    assertThat(plan(seen("kube-system", ""), LabelAuthor.UNKNOWN, ""))
        .contains(set("kube-system", "control-plane"));
  }

  @Test
  void aNamespaceThatIsBeingDeletedIsNotChanged() {
    for (String name : new String[] {"kube-system", "research"}) {
      Namespace leaving = new Namespace(name, "u-1", 7, true, Optional.empty());
      assertThat(plan(leaving, LabelAuthor.UNKNOWN, ORG)).isEmpty();
    }
  }
}
