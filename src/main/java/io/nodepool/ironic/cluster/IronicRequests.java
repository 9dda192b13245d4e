package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Machine;
import io.nodepool.ironic.MachineKubelet;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.client.DeleteOptions;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.util.Map;

/**
 * The fleet's requests to the API server. Each contains the version that it was decided on, so that
 * an outdated or repeated request is refused.
 */
record IronicRequests(ApiRequests api) {
  /** The label of a Host of this fleet. */
  static final String FLEET_LABEL = "fleet.nodepool.io/fleet";

  /** The value of that label. */
  static final String FLEET = "ironic";

  private static final String MANAGED = "?fieldManager=nodepool-ironic-fleet";

  /** Creates the Host of a machine. */
  Answer<HostResource> create(String name, Machine machine) {
    HostResource host = new HostResource();
    host.setMetadata(
        new ObjectMetaBuilder().withName(name).addToLabels(FLEET_LABEL, FLEET).build());
    HostSpec spec = new HostSpec();
    spec.machine = HostConversion.machine(machine);
    host.setSpec(spec);
    host.setStatus(null);
    return answer(api.post(ApiPaths.HOSTS + MANAGED, api.json(host)), HostResource.class);
  }

  /** Writes a Host's status, if the Host is exactly as observed. */
  Answer<HostResource> report(Host seen, Host.Report report) {
    String patch =
        new JsonPatch()
            .test("/metadata/uid", seen.id().uid())
            .test("/metadata/resourceVersion", Long.toString(seen.version()))
            .set(
                "/status",
                ApiSerialization.shared()
                    .convertValue(HostReportConversion.status(report), JsonNode.class))
            .json();
    return answer(
        api.patch(
            ApiPaths.host(seen.id().name()) + "/status" + MANAGED,
            ApiRequests.PatchType.JSON,
            patch),
        HostResource.class);
  }

  /** Reads a Host live. */
  Answer<HostResource> read(Host seen) {
    return answer(api.get(ApiPaths.host(seen.id().name())), HostResource.class);
  }

  /** Deletes a Host in exactly this state. */
  Answer<HostResource> delete(Host seen) {
    return answer(
        api.delete(
            ApiPaths.host(seen.id().name()),
            DeleteOptions.of(seen.id().uid(), seen.version()).toString()),
        HostResource.class);
  }

  /** Creates a Node. */
  Answer<Node> join(ObjectNode node) {
    return answer(api.post(ApiPaths.NODES + MANAGED, node.toString()), Node.class);
  }

  /** Writes the Host and tenancy of a Node. */
  Answer<Node> identify(Host host, MachineKubelet seen, HostNode nodes) {
    return answer(
        api.patch(
            ApiPaths.node(host.id().name()) + MANAGED,
            ApiRequests.PatchType.STRATEGIC,
            nodes.identified(host, seen).toString()),
        Node.class);
  }

  /** Approves a request for a certificate. */
  Reply approve(String name, ObjectNode patch) {
    return api.patch(
        "/apis/certificates.k8s.io/v1/certificatesigningrequests/%s/approval%s"
            .formatted(name, MANAGED),
        ApiRequests.PatchType.MERGE,
        patch.toString());
  }

  /** Publishes the offer, if the ConfigMap contains another one. */
  Reply offer(String namespace, String text) {
    String path = ApiPaths.configMap(namespace, OfferDocument.NAME);
    Reply found = api.get(path);
    if (found.isNotFound()) {
      ConfigMap map =
          new ConfigMapBuilder()
              .withNewMetadata()
              .withNamespace(namespace)
              .withName(OfferDocument.NAME)
              .endMetadata()
              .withData(Map.of(OfferDocument.KEY, text))
              .build();
      return api.post(ApiPaths.namespace(namespace) + "/configmaps" + MANAGED, api.json(map));
    }
    if (!(found instanceof Reply.Ok ok)
        || text.equals(api.parse(ok, ConfigMap.class).getData().get(OfferDocument.KEY))) {
      return found;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("data").put(OfferDocument.KEY, text);
    return api.patch(path + MANAGED, ApiRequests.PatchType.MERGE, patch.toString());
  }

  private <T extends HasMetadata> Answer<T> answer(Reply reply, Class<T> type) {
    return api.answer(reply, type, Answer.Done::new);
  }
}
