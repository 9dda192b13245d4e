package io.nodepool.simulated.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetStatus;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The requests of a data centre. Each contains the state that it was decided on, so that the API
 * server refuses outdated requests. Pure.
 *
 * @param fleet name of the SimulatedFleet
 * @param namespace the namespace of the offer
 */
record FleetRequests(String fleet, String namespace) {
  /** The label of a Host with the name of its SimulatedFleet. */
  static final String FLEET_LABEL = "fleet.nodepool.io/fleet";

  private static final String FLEETS = "/apis/fleet.nodepool.io/v1alpha1/simulatedfleets/";

  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/";

  /** The field manager of all writes. */
  private static final String MANAGED = "?fieldManager=nodepool-simulated-fleet";

  private static final ApiSerialization JSON = ApiSerialization.shared();
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  /** Creates the Host of a machine. */
  ApiRequest createHost(DataCentre.Slot slot) {
    HostResource host = new HostResource();
    host.setMetadata(
        new ObjectMetaBuilder().withName(slot.host()).addToLabels(FLEET_LABEL, fleet).build());
    HostSpec spec = new HostSpec();
    spec.machine = HostConversion.machine(slot.machine());
    host.setSpec(spec);
    host.setStatus(null);
    return create(ApiPaths.HOSTS, host, HostResource.class);
  }

  /** Deletes a Host in exactly this state. */
  ApiRequest deleteHost(HostId host, long version) {
    return delete(
        ApiPaths.host(host.name()), DeleteOptions.of(host.uid(), version), HostResource.class);
  }

  /** Writes the first status of a Host, if its tenancy and holder are as observed. */
  ApiRequest firstReport(Host seen, Host.Report report) {
    return report(seen, report, held(seen));
  }

  /**
   * Writes a Host's status, if its tenancy, holder and boot are as observed; for a report about a
   * boot, also the boot's request. A late duplicate is refused.
   */
  ApiRequest report(Host seen, Host.Report report) {
    JsonPatch patch = held(seen).test("/status/phase", seen.report().phase().word());
    Host.Boot boot = seen.report().boot();
    test(patch, "/status/bootId", boot.id());
    if (boot.cycles() > 0) {
      patch.test("/status/reboots", boot.cycles());
    }
    if (boot.cycle().isEmpty()) {
      patch.testAbsent("/status/boot");
    }
    if (!report.boot().equals(boot)) {
      requested(seen, patch);
    }
    return report(seen, report, patch);
  }

  private static JsonNode tree(Object value) {
    return JSON.convertValue(value, JsonNode.class);
  }

  private static JsonPatch held(Host seen) {
    JsonPatch patch =
        new JsonPatch()
            .test("/metadata/uid", seen.id().uid())
            .test("/spec/tenancy", seen.tenancy());
    return seen.assignment()
        .map(held -> patch.test("/spec/assignment/poolUid", held.pool().uid()))
        .orElseGet(() -> patch.testAbsent("/spec/assignment"));
  }

  private static void requested(Host seen, JsonPatch patch) {
    patch.test("/spec/power", seen.power() == Host.Power.ON ? "On" : "Off");
    seen.boot()
        .ifPresentOrElse(
            request -> {
              patch
                  .test("/spec/boot/try", request.attempt())
                  .test("/spec/boot/kind", request.kind().word());
              test(patch, "/spec/boot/from", request.from());
              test(patch, "/spec/boot/operation", request.operation());
            },
            () -> patch.testAbsent("/spec/boot"));
  }

  /** Tests a text; an empty one is absent on the object. */
  private static void test(JsonPatch patch, String path, String text) {
    if (text.isEmpty()) {
      patch.testAbsent(path);
    } else {
      patch.test(path, text);
    }
  }

  private static ApiRequest report(Host seen, Host.Report report, JsonPatch patch) {
    patch.set("/status", tree(HostReportConversion.status(report)));
    String host = ApiPaths.host(seen.id().name());
    return status(ApiRequest.Verb.JSON_PATCH, host, patch.json(), HostResource.class);
  }

  /** Creates a Node. */
  ApiRequest join(Node node) {
    return create(ApiPaths.NODES, node, Node.class);
  }

  /** Renews the Lease of a Node, or creates it. The Lease is deleted with its Node. */
  ApiRequest renew(String node, String nodeUid, Instant now) {
    ObjectNode lease = MAKE.objectNode();
    lease.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease
        .putObject("metadata")
        .put("name", node)
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", node)
        .put("uid", nodeUid);
    lease
        .putObject("spec")
        .put("holderIdentity", node)
        .put("leaseDurationSeconds", Heartbeats.VALID.toSeconds())
        .put("renewTime", ObjectFacts.microseconds(now));
    String object = LEASES + node;
    return new ApiRequest(
        ApiRequest.Verb.APPLY,
        object + MANAGED + "&force=true",
        lease.toString(),
        object,
        Lease.class);
  }

  /** Sets these labels on the Node with this UID; kubelets may change them with the status. */
  ApiRequest label(String node, String nodeUid, Map<String, String> labels) {
    ObjectNode patch = MAKE.objectNode();
    patch.putObject("metadata").put("uid", nodeUid).set("labels", tree(labels));
    return status(
        ApiRequest.Verb.STRATEGIC_PATCH, ApiPaths.node(node), patch.toString(), Node.class);
  }

  /** Reports the Node with this UID Ready. */
  ApiRequest reportReady(String node, String nodeUid, Instant now) {
    ObjectNode patch = MAKE.objectNode();
    patch.putObject("metadata").put("uid", nodeUid);
    patch.putObject("status").set("conditions", tree(NodeBlueprint.kubeletConditions(now)));
    return status(
        ApiRequest.Verb.STRATEGIC_PATCH, ApiPaths.node(node), patch.toString(), Node.class);
  }

  /**
   * Reports a Node Ready or not, with the boot id of its machine and what it booted, as kubelets
   * do: labels go with the status, so one write updates the Node.
   */
  ApiRequest reportReadiness(
      FleetAction.ReportReadiness action, NodeBlueprint.Booted booted, Instant now) {
    ObjectNode patch = MAKE.objectNode();
    ObjectNode metadata = patch.putObject("metadata").put("uid", action.nodeUid());
    String driver = booted.driverLabel();
    metadata
        .putObject("labels")
        .put(NodeLabels.GPU_DRIVER_VERSION.key(), driver.isEmpty() ? null : driver);
    ObjectNode status = patch.putObject("status");
    status.set(
        "conditions",
        tree(
            action.ready()
                ? NodeBlueprint.kubeletConditions(now)
                : List.of(notReady(action.host(), now))));
    status
        .putObject("nodeInfo")
        .put("bootID", booted.info().getBootID())
        .put("kernelVersion", booted.info().getKernelVersion())
        .put("kubeletVersion", booted.info().getKubeletVersion())
        .put("osImage", booted.info().getOsImage());
    String object = ApiPaths.node(action.host().id().name());
    return status(ApiRequest.Verb.STRATEGIC_PATCH, object, patch.toString(), Node.class);
  }

  private static NodeCondition notReady(Host host, Instant now) {
    return host.report().boot().cycle().isPresent()
        ? NodeBlueprint.shuttingDown(now)
        : NodeBlueprint.withoutNetwork(now);
  }

  /** Reports the status of a Pod. */
  ApiRequest reportPod(Pod reported) {
    String pod =
        ApiPaths.pod(reported.getMetadata().getNamespace(), reported.getMetadata().getName());
    return status(ApiRequest.Verb.STRATEGIC_PATCH, pod, JSON.asJson(reported), Pod.class);
  }

  /** Removes a Pod whose containers have ended. */
  ApiRequest end(FleetAction.PodId pod) {
    return delete(
        ApiPaths.pod(pod.namespace(), pod.name()),
        DeleteOptions.of(pod.uid(), Optional.of(Duration.ZERO)),
        Pod.class);
  }

  /** Creates the ConfigMap with the offer. */
  ApiRequest createOffer(FleetOffer offer) {
    ConfigMap map =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName(OfferDocument.NAME)
            .endMetadata()
            .withData(Map.of(OfferDocument.KEY, OfferDocument.write(offer)))
            .build();
    return create(offers(), map, ConfigMap.class);
  }

  /** Changes the offer in the ConfigMap that exists. */
  ApiRequest changeOffer(FleetOffer offer) {
    ObjectNode patch = MAKE.objectNode();
    patch.putObject("data").put(OfferDocument.KEY, OfferDocument.write(offer));
    String object = offers() + "/" + OfferDocument.NAME;
    return new ApiRequest(
        ApiRequest.Verb.MERGE_PATCH, object + MANAGED, patch.toString(), object, ConfigMap.class);
  }

  /** Publishes the status of the SimulatedFleet. */
  ApiRequest status(SimulatedFleetStatus status) {
    ObjectNode patch = MAKE.objectNode();
    patch
        .putObject("status")
        .put("hosts", status.hosts)
        .put("free", status.free)
        .put("message", status.message)
        .put("observedGeneration", status.observedGeneration);
    return status(
        ApiRequest.Verb.MERGE_PATCH, FLEETS + fleet, patch.toString(), SimulatedFleet.class);
  }

  private String offers() {
    return ApiPaths.namespace(namespace) + "/configmaps";
  }

  private static <T extends HasMetadata> ApiRequest create(
      String collection, T object, Class<T> type) {
    return new ApiRequest(
        ApiRequest.Verb.POST,
        collection + MANAGED,
        JSON.asJson(object),
        collection + "/" + object.getMetadata().getName(),
        type);
  }

  /** A change of the status of an object. */
  private static ApiRequest status(
      ApiRequest.Verb verb, String object, String body, Class<? extends HasMetadata> type) {
    return new ApiRequest(verb, object + "/status" + MANAGED, body, object, type);
  }

  private static ApiRequest delete(
      String object, ObjectNode options, Class<? extends HasMetadata> type) {
    return new ApiRequest(ApiRequest.Verb.DELETE, object, options.toString(), object, type);
  }
}
