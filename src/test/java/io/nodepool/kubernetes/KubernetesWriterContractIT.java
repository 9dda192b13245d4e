package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.control.RemovalWriterContract;
import io.nodepool.fleet.Answer;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of a writer, on the writer to a real API server. */
@WithLocalCluster
class KubernetesWriterContractIT extends RemovalWriterContract {
  private final ContractCluster cluster;

  KubernetesWriterContractIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = new ContractCluster(cluster, admin);
  }

  @AfterEach
  void cleanUp() {
    cluster.close();
  }

  @Override
  protected Cluster cluster() {
    return cluster;
  }

  /** Earlier versions labelled Namespaces without a field manager. */
  @Test
  void theLabelOfAnEarlierVersionIsTheOperators() {
    Namespace namespace = cluster.labelledByEarlierVersion();

    assertThat(send(new Action.AskLabelAuthor(namespace.name(), namespace.uid())))
        .isEqualTo(
            new Answer.Done<>(new Observation.NamespaceAuthored(namespace, LabelAuthor.OURS)));
  }

  /** The same field manager also wrote other fields, so it may be any program. */
  @Test
  void aNamespaceThatAnotherJavaProgramCreatedWithTheLabelIsNotTheOperators() {
    Namespace namespace = cluster.newNamespace();
    cluster.label(namespace, NamespaceLabels.CONTROL_PLANE);

    assertThat(send(new Action.AskLabelAuthor(namespace.name(), namespace.uid())))
        .isEqualTo(
            new Answer.Done<>(
                new Observation.NamespaceAuthored(cluster.live(namespace), LabelAuthor.OTHERS)));
  }

  /** Another client that applies the label with the same value also owns it. */
  @Test
  void aLabelThatAnotherClientAlsoAppliesIsTheirs() {
    Namespace namespace = cluster.newNamespace();
    send(
        new Action.LabelNamespace(
            namespace.name(), namespace.uid(), NamespaceLabels.CONTROL_PLANE));
    cluster.applyLabel(namespace, NamespaceLabels.CONTROL_PLANE);

    assertThat(send(new Action.AskLabelAuthor(namespace.name(), namespace.uid())))
        .isEqualTo(
            new Answer.Done<>(
                new Observation.NamespaceAuthored(cluster.live(namespace), LabelAuthor.OTHERS)));
  }
}
