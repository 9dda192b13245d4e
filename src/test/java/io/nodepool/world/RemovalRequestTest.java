package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the reports about a client's request to remove a Node, by a label or by a taint. */
class RemovalRequestTest {
  private final Drill drill = Drill.calm(31);
  private String node = "";

  private void grown() {
    drill.pool("a").target(2).toRest();
    node = drill.pool("a").nodes().getFirst().name();
  }

  /** The Cluster Autoscaler taints the Node with this second, or removes its taint. */
  private void taint(Optional<String> second) {
    NodeTaints taint = NodeTaints.AUTOSCALER_DELETION;
    edit(metadata -> {
      List<Taint> taints =
          new java.util.ArrayList<>(
              metadata.taints().stream().filter(each -> !each.key().equals(taint.key())).toList());
      second.ifPresent(value -> taints.add(new Taint(taint.key(), value, taint.effect().word())));
      return metadata.withTaints(taints);
    });
  }

  private void label(String value) {
    edit(metadata -> {
      SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
      labels.put(NodeLabels.REMOVE_NODE.key(), value);
      return metadata.withLabels(labels);
    });
  }

  private void edit(java.util.function.UnaryOperator<NodeMetadata> edit) {
    drill.world.cluster().nodeClients().metadata(node, edit);
    drill.advance(1, MINUTES);
  }

  private Optional<Disruption> record() {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node)).flatMap(Node::disruption);
  }

  private int emitted() {
    return drill.emitted(EventReason.NODE_DELETION_REQUEST_SUCCESS);
  }

  @Test
  void theTaintOfTheAutoscalerIsReportedOnceAndItsRecordIsRemovedWithIt() {
    grown();
    taint(Optional.of("1795237200"));
    assertThat(record()).get().isInstanceOf(Disruption.Requested.class);
    assertThat(emitted()).isEqualTo(1);
    assertThat(drill.events(EventReason.NODE_DELETION_REQUEST_SUCCESS))
        .allMatch(event -> event.eventDraft().message().contains("Cluster Autoscaler"));

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.toRest();
    assertThat(emitted()).isEqualTo(1);

    taint(Optional.empty());
    assertThat(record()).isEmpty();
    assertThat(emitted()).isEqualTo(1);
  }

  @Test
  void anotherTaintOfTheAutoscalerIsReportedAgain() {
    grown();
    taint(Optional.of("1795237200"));
    taint(Optional.empty());
    taint(Optional.of("1795240800"));

    assertThat(emitted()).isEqualTo(2);
  }

  @Test
  void aRecordStaysWhileEitherRequestDoes() {
    grown();
    taint(Optional.of("1795237200"));
    label("true");
    taint(Optional.empty());
    assertThat(record()).get().isInstanceOf(Disruption.Requested.class);

    label("false");
    assertThat(record()).isEmpty();
    assertThat(emitted()).isEqualTo(1);
  }
}
