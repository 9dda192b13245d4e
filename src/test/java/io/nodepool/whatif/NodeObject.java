package io.nodepool.whatif;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A Node of the virtual world as an object of a real API server. */
final class NodeObject {
  private static final String TRUE = "True";
  private static final String FALSE = "False";

  private NodeObject() {}

  static io.fabric8.kubernetes.api.model.Node of(Node node) {
    ObjectMetaBuilder metadata =
        ListedText.metadata(node.name(), node.uid(), node.version())
            .withCreationTimestamp(ObjectFacts.seconds(node.identity().createdAt()))
            .withLabels(node.metadata().labels())
            .withAnnotations(annotations(node));
    if (node.finalization().deleting()) {
      metadata
          .withDeletionTimestamp(ObjectFacts.seconds(node.identity().createdAt()))
          .withFinalizers(node.finalization().finalizers());
    }
    return new NodeBuilder()
        .withMetadata(metadata.build())
        .withNewSpec()
        .withUnschedulable(node.cordoned() ? true : null)
        .withTaints(node.metadata().taints().stream().map(NodeObject::taint).toList())
        .endSpec()
        .withNewStatus()
        .withConditions(conditions(node))
        .withVolumesAttached(
            IntStream.range(0, node.status().volumes())
                .mapToObj(i ->
                    new io.fabric8.kubernetes.api.model.AttachedVolume("/dev/" + i, "volume-" + i))
                .toList())
        .withNewNodeInfo()
        .withBootID(node.status().bootId())
        .endNodeInfo()
        .endStatus()
        .build();
  }

  /** Those that the operator reads as records are texts. */
  static SortedMap<String, String> annotations(Node node) {
    SortedMap<String, String> all = new TreeMap<>(node.metadata().annotations());
    all.put(NodeAnnotations.HOST_UID.key(), node.hostUid());
    all.put(NodeAnnotations.TENANCY.key(), Integer.toString(node.identity().tenancy()));
    node.metadata()
        .applied()
        .ifPresent(
            each -> all.put(NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(each)));
    node.disruption()
        .ifPresent(each -> all.put(NodeAnnotations.REMOVAL.key(), DisruptionRecord.write(each)));
    return all;
  }

  private static Taint taint(io.nodepool.fleet.Taint taint) {
    return new TaintBuilder()
        .withKey(taint.key())
        .withValue(ObjectFacts.orAbsent(taint.value()))
        .withEffect(taint.effect())
        .build();
  }

  private static List<NodeCondition> conditions(Node node) {
    List<NodeCondition> all = new ArrayList<>();
    Instant turned = node.status().notReadySince().orElse(node.identity().createdAt());
    all.add(condition("Ready", node.ready(), "Kubelet", "", turned));
    node.status()
        .conditions()
        .forEach((type, entry) -> {
          for (int i = 0; i < entry.entries(); i++) {
            all.add(condition(type.type(), entry));
          }
        });
    node.status().alerts().published().forEach((type, entry) -> all.add(condition(type, entry)));
    node.status()
        .alerts()
        .others()
        .forEach((type, other) ->
            all.add(
                new NodeConditionBuilder(
                        condition(type, true, "Observed", other.message(), other.since()))
                    .withLastHeartbeatTime(ObjectFacts.seconds(other.heartbeat()))
                    .build()));
    return all;
  }

  private static NodeCondition condition(String type, NodeStatus.Entry entry) {
    return condition(type, entry.status(), entry.reason(), entry.message(), entry.since());
  }

  private static NodeCondition condition(
      String type, boolean status, String reason, String message, Instant since) {
    return new NodeConditionBuilder()
        .withType(type)
        .withStatus(status ? TRUE : FALSE)
        .withReason(reason)
        .withMessage(message)
        .withLastTransitionTime(ObjectFacts.seconds(since))
        .build();
  }
}
