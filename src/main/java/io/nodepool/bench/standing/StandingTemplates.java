package io.nodepool.bench.standing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.bench.raw.RawTemplates;

/**
 * The objects of a load as JSON, copied from the objects of one machine: only names, UIDs, racks
 * and numbers differ. Pure.
 */
final class StandingTemplates {
  /** A tenant's Pod of a workload. */
  private static final String POD =
      """
      {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
          "name": "@pod@",
          "labels": {"app": "work", "statefulset.kubernetes.io/pod-name": "@pod@"},
          "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "work", "controller": true,
             "uid": "5f0a7c1e-7a0f-4a3a-9d52-1f1f6f7c0001"}]},
        "spec": {
          "nodeName": "@node@",
          "automountServiceAccountToken": false,
          "tolerations": [{"operator": "Exists"}],
          "containers": [
            {"name": "work", "image": "work", "env": [{"name": "RANK", "value": "@pod@"}],
             "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}
      }
      """;

  private static final String POD_STATUS =
      """
      {"status": {
        "phase": "Running", "startTime": "2026-01-01T00:00:00Z", "podIP": "100.64.0.1",
        "conditions": [
          {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
      """;

  private static final String ONE_POD = "1 Pod ";
  private static final int PER_RACK = 4;
  private static final int FIRST_RACK = 1000;
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  private final String name;
  private final String uid;
  private final ObjectNode host;
  private final String hostStatus;
  private final String idle;
  private final String busy;
  private final String untaint;

  /**
   * Creates templates from these objects.
   *
   * @param host a Host that runs for the pool
   * @param idle its Node while it had no Pod
   * @param busy its Node while it had one Pod
   */
  StandingTemplates(JsonNode host, JsonNode idle, JsonNode busy) {
    this.name = host.at("/metadata/name").asText();
    this.uid = host.at("/metadata/uid").asText();
    this.host = RawTemplates.fresh(host, name);
    this.host.set("spec", host.get("spec"));
    ObjectNode status = MAKE.objectNode();
    status.set("status", host.get("status"));
    this.hostStatus = status.toString();
    this.idle = node(idle);
    this.busy = node(busy);
    ObjectNode taints = MAKE.objectNode();
    taints.putObject("spec").set("taints", busy.at("/spec/taints"));
    this.untaint = taints.toString();
  }

  private String node(JsonNode node) {
    ObjectNode fresh = RawTemplates.fresh(node, name);
    fresh.set("spec", node.get("spec"));
    fresh.set("status", node.get("status"));
    return fresh.toString();
  }

  /** The Host number {@code index}, assigned and switched on. */
  String host(String newName, int index) {
    ObjectNode body = host.deepCopy();
    ObjectNode machine = (ObjectNode) body.at("/spec/machine");
    machine.put("rack", "" + (FIRST_RACK + index / PER_RACK)).put("slot", "" + index % PER_RACK);
    return body.toString().replace(name, newName);
  }

  /** The status that its fleet reports: the Host runs. */
  String hostStatus() {
    return hostStatus;
  }

  /** Its registered Node, whose CWActive reports this number of Pods. */
  String node(String newName, String hostUid, int pods) {
    return (pods == 0 ? idle : busy.replace(ONE_POD, podsText(pods) + " "))
        .replace(name, newName)
        .replace(uid, hostUid);
  }

  /** The words of CWActive for a number of Pods. */
  static String podsText(int pods) {
    return pods == 1 ? "1 Pod" : pods + " Pods";
  }

  /** The patch that removes the taint that the API server sets on each new Node. */
  String untaint() {
    return untaint;
  }

  /** A tenant's Pod that is bound to a Node. */
  static String pod(String podName, String node) {
    return POD.replace("@pod@", podName).replace("@node@", node);
  }

  /** The status that a kubelet reports for a running Pod. */
  static String podStatus() {
    return POD_STATUS;
  }
}
