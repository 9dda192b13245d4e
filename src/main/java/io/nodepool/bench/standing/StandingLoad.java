package io.nodepool.bench.standing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.bench.raw.RawClient;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Creates a load with a plain client: Hosts that run for a pool, their registered Nodes, Pods that
 * run on four in five of them, and the pool's spec and status as an operator leaves them.
 */
final class StandingLoad {
  /** One in this number of Nodes has no Pod. */
  static final int IDLE_EVERY = 5;

  /** The namespace of all Pods. */
  static final String NAMESPACE = "default";

  private static final String PODS = "/api/v1/namespaces/" + NAMESPACE + "/pods";

  /** The field manager with which an operator writes a pool's status. */
  private static final String AS_OPERATOR = "?fieldManager=nodepool-operator&force=true";

  private final ApiRequests requests;
  private final StandingTemplates templates;

  StandingLoad(ApiRequests requests, StandingTemplates templates) {
    this.requests = requests;
    this.templates = templates;
  }

  /**
   * The number of Pods of each Node, by name.
   *
   * @param nodes the number of Nodes, without the Node of the templates
   */
  static Map<String, Integer> shares(int nodes, int pods) {
    int busy = nodes - nodes / IDLE_EVERY;
    Map<String, Integer> shares = new TreeMap<>();
    int rank = 0;
    for (int node = 0; node < nodes; node++) {
      boolean idle = node % IDLE_EVERY == IDLE_EVERY - 1;
      int share = idle ? 0 : pods / busy + (rank < pods % busy ? 1 : 0);
      shares.put("standing-%06d".formatted(node), share);
      rank += idle ? 0 : 1;
    }
    return shares;
  }

  /** The name of a Node's Pod. */
  static String podName(String node, int number) {
    return node + "-work-" + number;
  }

  /** Writes all machines with their Nodes and Pods. */
  void write(Map<String, Integer> shares) {
    Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    int index = 0;
    for (Map.Entry<String, Integer> share : shares.entrySet()) {
      int place = index++;
      work.add(() -> writeMachine(share.getKey(), place, share.getValue()));
    }
    RawClient.run(work);
  }

  private void writeMachine(String name, int index, int pods) {
    JsonNode host = sent(requests.post(ApiPaths.HOSTS, templates.host(name, index)));
    RawClient.check(
        requests.patch(
            ApiPaths.host(name) + "/status", ApiRequests.PatchType.MERGE, templates.hostStatus()));
    String uid = host.at("/metadata/uid").asText();
    RawClient.check(requests.post(ApiPaths.NODES, templates.node(name, uid, pods)));
    RawClient.check(
        requests.patch(ApiPaths.node(name), ApiRequests.PatchType.STRATEGIC, templates.untaint()));
    for (int pod = 0; pod < pods; pod++) {
      bind(name, podName(name, pod));
    }
  }

  /** Binds a tenant's Pod to a Node and reports it as running. */
  private void bind(String node, String pod) {
    create(node, pod);
    RawClient.check(
        requests.patch(
            ApiPaths.pod(NAMESPACE, pod) + "/status",
            ApiRequests.PatchType.MERGE,
            StandingTemplates.podStatus()));
  }

  /** Binds a tenant's Pod to a Node. */
  void create(String node, String pod) {
    RawClient.check(requests.post(PODS, StandingTemplates.pod(pod, node)));
  }

  private JsonNode sent(Reply reply) {
    return requests.parse(RawClient.done(reply), JsonNode.class);
  }

  /**
   * Sets the target of a pool that is at its target, and the matching status.
   *
   * @param nodes the new number of Nodes
   */
  void resize(String pool, int nodes) {
    JsonNode resized =
        sent(
            requests.patch(
                ApiPaths.pool(pool),
                ApiRequests.PatchType.MERGE,
                "{\"spec\":{\"targetNodes\":%d}}".formatted(nodes)));
    ObjectNode status = resized.path("status").deepCopy();
    status.put("targetNodes", nodes).put("currentNodes", nodes);
    status.put("observedGeneration", resized.at("/metadata/generation").asLong());
    status.withObject("/growth").put("target", nodes).put("granted", nodes).put("reached", nodes);
    status.withObject("/eventState").put("reachedTarget", nodes).put("registrations", nodes);
    status
        .path("nodeConfigurationRevisions")
        .forEach(revision -> ((ObjectNode) revision).put("activeNodes", nodes));
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.set("apiVersion", resized.get("apiVersion"));
    body.set("kind", resized.get("kind"));
    body.putObject("metadata").put("name", pool);
    body.set("status", status);
    RawClient.check(
        requests.patch(
            ApiPaths.pool(pool) + "/status" + AS_OPERATOR,
            ApiRequests.PatchType.APPLY,
            body.toString()));
  }
}
