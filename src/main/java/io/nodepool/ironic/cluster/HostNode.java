package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.ironic.MachineKubelet;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The fleet's writes to the Node of a Host. The Node is created before the machine's kubelet
 * registers, so that it has its taints from the start; its Host and tenancy follow later. Pure.
 */
record HostNode(FleetOffer offer, InstanceCatalogue catalogue) {
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  /** A Node that does not belong to a pool yet. */
  ObjectNode created(Host host) {
    ObjectNode node = MAKE.objectNode().put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = node.putObject("metadata").put("name", host.id().name());
    put(metadata.putObject("labels"), labels(host));
    put(metadata.putObject("annotations"), annotations(host));
    node.putObject("spec")
        .put("providerID", "ironic://" + host.id().name())
        .set("taints", taints(host));
    return node;
  }

  /** The strategic patch that gives the pool a Node in exactly the observed state. */
  ObjectNode identified(Host host, MachineKubelet seen) {
    ObjectNode patch = MAKE.objectNode();
    ObjectNode metadata =
        patch.putObject("metadata").put("uid", seen.uid()).put("resourceVersion", seen.version());
    put(metadata.putObject("labels"), labels(host));
    ObjectNode annotations = metadata.putObject("annotations");
    put(annotations, annotations(host));
    annotations
        .put(NodeAnnotations.HOST_UID.key(), host.id().uid())
        .put(NodeAnnotations.TENANCY.key(), Integer.toString(host.tenancy()));
    // A kubelet that registered by itself sets no taints; lists of taints are merged by key.
    patch.putObject("spec").set("taints", taints(host));
    return patch;
  }

  private static void put(ObjectNode object, Map<String, String> texts) {
    texts.forEach(object::put);
  }

  private static NodeTemplate template(Host host) {
    return host.assignment().map(Assignment::node).orElse(NodeTemplate.EMPTY).permitted();
  }

  private static Map<String, String> annotations(Host host) {
    Map<String, String> annotations = new TreeMap<>(template(host).annotations());
    annotations.put(NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(template(host)));
    return annotations;
  }

  private Map<String, String> labels(Host host) {
    Map<String, String> labels = new TreeMap<>(template(host).labels());
    host.assignment()
        .ifPresent(held -> {
          labels.put(NodeLabels.NODE_POOL.key(), held.pool().name());
          labels.put(NodeLabels.NODE_POOL_UID.key(), held.pool().uid());
          labels.put(NodeLabels.COMPUTE_CLASS.key(), held.computeClass());
        });
    String type = host.machine().instanceType();
    for (NodeLabels key :
        List.of(NodeLabels.INSTANCE_TYPE, NodeLabels.LEGACY_TYPE, NodeLabels.TYPE)) {
      labels.put(key.key(), type);
    }
    type(host)
        .ifPresent(found -> labels.put(NodeLabels.CLASS.key(), found.isGpu() ? "gpu" : "cpu"));
    putIfSaid(labels, NodeLabels.ZONE, host.machine().location().zone());
    putIfSaid(labels, NodeLabels.REGION, host.machine().location().region());
    putIfSaid(labels, NodeLabels.RACK, host.machine().rack());
    putIfSaid(labels, NodeLabels.RACK_NAME, host.machine().location().rackName());
    putIfSaid(labels, NodeLabels.ORGANIZATION, offer.organization());
    labels.put(NodeLabels.SLOT.key(), Integer.toString(host.machine().slot()));
    labels.put(NodeLabels.STATE.key(), Reservation.PRODUCTION);
    labels.put(NodeLabels.RESERVED.key(), reserved(host));
    return labels;
  }

  private static void putIfSaid(Map<String, String> labels, NodeLabels key, String value) {
    if (!value.isEmpty()) {
      labels.put(key.key(), value);
    }
  }

  private String reserved(Host host) {
    String pool = host.assignment().map(held -> held.pool().name()).orElse("");
    return Reservation.of(Reservation.PRODUCTION, pool, offer.organization());
  }

  private Optional<InstanceType> type(Host host) {
    return catalogue.find(host.machine().instanceType());
  }

  private ArrayNode taints(Host host) {
    ArrayNode taints = MAKE.arrayNode();
    Stream.of(
            type(host).map(InstanceType::kindTaint).stream(),
            Reservation.taint(Reservation.PRODUCTION, reserved(host)).stream(),
            template(host).taints().stream())
        .flatMap(each -> each)
        .map((Taint taint) -> AppliedMetadata.json(taint))
        .forEach(taints::add);
    return taints;
  }
}
