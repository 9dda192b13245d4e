package io.nodepool.deploy;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiRequests.PatchType;
import io.nodepool.kubernetes.client.Reply;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A write that is not stored, to see whether the server would take it.
 *
 * @param refusal the words of the policy that refuses it; empty where none does
 */
record DryWrite(String what, Function<ApiRequests, Reply> request, String refusal) {
  static final String DRY = "?dryRun=All";
  static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

  static final String JOBS = ApiPaths.jobs("work");

  static final String OURS = ApiPaths.node("ours");
  static final String FOREIGN = ApiPaths.node("foreign");
  static final String POOL = ApiPaths.pool("pool");
  static final String NAMESPACE = ApiPaths.namespace("work");

  static final String NODE =
      """
      {"apiVersion": "v1", "kind": "Node",
       "metadata": {"name": "%s", "finalizers": ["example.com/volumes"],
                    "labels": {"topology.kubernetes.io/zone": "a", "team": "a",
                               "node.coreweave.cloud/state": "production"},
                    "annotations": {%s}},
       "spec": {"providerID": "nodepool://a/1",
                "taints": [{"key": "node.coreweave.cloud/evict", "effect": "NoSchedule"},
                           {"key": "is_gpu", "value": "true", "effect": "PreferNoSchedule"}]},
       "status": {"capacity": {"cpu": "8"},
                  "conditions": [{"type": "KernelDeadlock", "status": "False"},
                                 {"type": "CWActive", "status": "False"}]}}
      """;

  static final String NAMESPACE_WITH_LABEL =
      """
      {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "work", "labels": {"team": "a"}}}
      """;

  static final String POD = ApiPaths.pod("default", "work");

  static final String WORK =
      """
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "work"},
       "spec": {"nodeName": "ours", "containers": [{"name": "main", "image": "example.com/i"}]}}
      """;

  /** A Pod's status with a condition. */
  static String podCondition(String type, String status, String reason) {
    return "{\"status\": {\"conditions\": [{\"type\": \"%s\", \"status\": \"%s\", \"reason\": \"%s\"}]}}"
        .formatted(type, status, reason);
  }

  static final String RECORDS =
      """
      "fleet.nodepool.io/host-uid": "u", "fleet.nodepool.io/tenancy": "1"\
      """;

  /** Asks the server. */
  Reply send(KubernetesClient client) {
    return request.apply(new ApiRequests(client, () -> true));
  }

  @Override
  public String toString() {
    return what;
  }

  /** Creates what the writes are about. */
  static Stream<Reply> setUp(ApiRequests requests) {
    return Stream.of(
        requests.post("/api/v1/namespaces", NAMESPACE_WITH_LABEL),
        requests.post(ApiPaths.NODES, NODE.formatted("ours", RECORDS)),
        requests.post(ApiPaths.NODES, NODE.formatted("foreign", "")),
        requests.post(ApiPaths.POOLS, pool()),
        requests.post(ApiPaths.HOSTS, host()),
        requests.post("/api/v1/namespaces/default/pods", WORK),
        requests.post(ApiPaths.EVENTS, event("ours", "nodepool-operator")),
        requests.post(ApiPaths.EVENTS, event("kubelets", "kubelet")));
  }

  static DryWrite merge(String what, String path, String body, String... refusal) {
    return patch(what, path, PatchType.MERGE, body, refusal);
  }

  static DryWrite strategic(String what, String path, String body, String... refusal) {
    return patch(what, path, PatchType.STRATEGIC, body, refusal);
  }

  static DryWrite json(String what, String path, String body, String... refusal) {
    return patch(what, path, PatchType.JSON, body, refusal);
  }

  /**
   * Takes the taint with a key off the Node, wherever the controllers of the cluster have moved it.
   */
  static DryWrite without(String what, String key, String... refusal) {
    return new DryWrite(
        what,
        requests -> {
          List<Taint> taints = node(requests, OURS).getSpec().getTaints();
          int place = taints.stream().map(Taint::getKey).toList().indexOf(key);
          return requests.patch(
              OURS + DRY,
              PatchType.JSON,
              "[{\"op\": \"test\", \"path\": \"/spec/taints/%1$d/key\", \"value\": \"%2$s\"}, {\"op\": \"remove\", \"path\": \"/spec/taints/%1$d\"}]"
                  .formatted(place, key));
        },
        String.join("", refusal));
  }

  static DryWrite patch(String what, String path, PatchType type, String body, String... refusal) {
    return new DryWrite(
        what, requests -> requests.patch(path + DRY, type, body), String.join("", refusal));
  }

  static Node node(ApiRequests requests, String path) {
    return requests.parse((Reply.Ok) requests.get(path), Node.class);
  }

  static String uid(ApiRequests requests, String path) {
    return node(requests, path).getMetadata().getUid();
  }

  static String metadata(String field) {
    return "{\"metadata\": {%s}}".formatted(field);
  }

  static String labels(String key, String value) {
    return metadata("\"labels\": {\"%s\": %s}".formatted(key, value));
  }

  static String annotations(String key, String value) {
    return metadata("\"annotations\": {\"%s\": %s}".formatted(key, value));
  }

  static String condition(String type, String status) {
    return "{\"status\": {\"conditions\": [{\"type\": \"%s\", \"status\": \"%s\"}]}}"
        .formatted(type, status);
  }

  /** The condition of an alert. */
  static String alert(String type) {
    return "{\"status\": {\"conditions\": [{\"type\": \"%s\", \"status\": \"True\", \"reason\": \"Alert triggered %s\"}]}}"
        .formatted(type, type);
  }

  static String added(String path, String value) {
    return "[{\"op\": \"add\", \"path\": \"%s\", \"value\": %s}]".formatted(path, value);
  }

  static String taint(String key) {
    return "{\"key\": \"%s\", \"effect\": \"NoSchedule\"}".formatted(key);
  }

  static String lease(String name) {
    return "{\"apiVersion\": \"coordination.k8s.io/v1\", \"kind\": \"Lease\", \"metadata\": {\"name\": \"%s\"}}"
        .formatted(name);
  }

  /** A Job as the operator makes it, but for a change. */
  static String job(String is, String instead) {
    return """
    {"apiVersion": "batch/v1", "kind": "Job",
     "metadata": {"name": "nodepool-verify-1", "labels": {"nodepool.io/node": "ours"}},
     "spec": {"parallelism": 1, "completions": 1, "backoffLimit": 0, "activeDeadlineSeconds": 1800,
              "ttlSecondsAfterFinished": 3600, "suspend": false,
              "template": {"spec": {"restartPolicy": "Never", "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "check", "image": "example.com/check"}],
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                  {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["ours"]}]}]}}}}}}}
    """
        .replace(is, instead);
  }

  static String event(String name, String component) {
    return """
    {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "%s"},
     "involvedObject": {"kind": "Node", "name": "ours"}, "reason": "Test", "message": "a",
     "source": {"component": "%2$s"}, "reportingComponent": "%2$s", "reportingInstance": "%2$s"}
    """
        .formatted(name, component);
  }

  static String pool() {
    return """
    {"apiVersion": "compute.coreweave.com/v1alpha1", "kind": "NodePool",
     "metadata": {"name": "pool", "finalizers": ["example.com/a"]},
     "spec": {"instanceType": "turin-gp", "targetNodes": 1}}
    """;
  }

  static String host() {
    return """
    {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "Host", "metadata": {"name": "host"},
     "spec": {"machine": {"zone": "US-EAST-04A", "instanceType": "turin-gp", "rack": "1", "slot": "1"}}}
    """;
  }
}
