package io.nodepool.deploy;

import static io.nodepool.deploy.DryWrite.DRY;
import static io.nodepool.deploy.DryWrite.FOREIGN;
import static io.nodepool.deploy.DryWrite.JOBS;
import static io.nodepool.deploy.DryWrite.LEASES;
import static io.nodepool.deploy.DryWrite.NAMESPACE;
import static io.nodepool.deploy.DryWrite.NODE;
import static io.nodepool.deploy.DryWrite.OURS;
import static io.nodepool.deploy.DryWrite.POD;
import static io.nodepool.deploy.DryWrite.POOL;
import static io.nodepool.deploy.DryWrite.RECORDS;
import static io.nodepool.deploy.DryWrite.added;
import static io.nodepool.deploy.DryWrite.alert;
import static io.nodepool.deploy.DryWrite.annotations;
import static io.nodepool.deploy.DryWrite.condition;
import static io.nodepool.deploy.DryWrite.event;
import static io.nodepool.deploy.DryWrite.json;
import static io.nodepool.deploy.DryWrite.labels;
import static io.nodepool.deploy.DryWrite.lease;
import static io.nodepool.deploy.DryWrite.merge;
import static io.nodepool.deploy.DryWrite.metadata;
import static io.nodepool.deploy.DryWrite.podCondition;
import static io.nodepool.deploy.DryWrite.strategic;
import static io.nodepool.deploy.DryWrite.taint;
import static io.nodepool.deploy.DryWrite.uid;
import static io.nodepool.deploy.DryWrite.without;

import io.nodepool.kubernetes.client.ApiPaths;
import java.util.stream.Stream;

/** What the policies are there to refuse. */
final class RefusedWrites {
  private RefusedWrites() {}

  /** Refused to the account of the operator. */
  static Stream<DryWrite> toTheOperator() {
    return Stream.of(
            refusedNamespaceWrites(),
            refusedPoolWrites(),
            refusedNodeWrites(),
            refusedNodeStatusWrites(),
            refusedPodWrites(),
            refusedForeignNodeWrites(),
            refusedOtherWrites(),
            refusedJobs())
        .flatMap(writes -> writes);
  }

  private static Stream<DryWrite> refusedNamespaceWrites() {
    String labels = "The operator may write only the label ns.coreweave.cloud/org of a Namespace.";
    String rest = "The operator may write only labels of a Namespace.";
    return Stream.of(
        merge(
            "a Namespace's other label",
            NAMESPACE,
            labels("pod-security", "\"privileged\""),
            labels),
        merge("taking one off", NAMESPACE, labels("team", "null"), labels),
        merge("a Namespace's annotation", NAMESPACE, annotations("a", "\"b\""), rest),
        merge(
            "its finalizers", NAMESPACE, metadata("\"finalizers\": [\"a.example.com/b\"]"), rest));
  }

  private static Stream<DryWrite> refusedPodWrites() {
    String status = POD + "/status";
    String refusal =
        "The operator may write only the condition DisruptionTarget of a Pod's status, when it deletes the Pod.";
    return Stream.of(
        merge("a Pod's label", POD, labels("team", "\"a\""), refusal),
        merge("a Pod's phase", status, "{\"status\": {\"phase\": \"Failed\"}}", refusal),
        strategic("that a Pod is ready", status, podCondition("Ready", "True", "Ready"), refusal),
        strategic(
            "that a Pod is disrupted by another client",
            status,
            podCondition("DisruptionTarget", "True", "EvictionByEvictionAPI"),
            refusal),
        strategic(
            "that a Pod is not disrupted",
            status,
            podCondition("DisruptionTarget", "False", "DeletionByNodePool"),
            refusal));
  }

  private static Stream<DryWrite> refusedPoolWrites() {
    String finalizers =
        "The operator may write only the finalizer compute.coreweave.com/nodepool of a NodePool.";
    String rest =
        "The operator may write only the finalizer, the status and the commands of a NodePool.";
    String commands =
        "The operator may write only those annotations of a NodePool that are commands, or the record of one.";
    return Stream.of(
        merge("a pool's target", POOL, "{\"spec\": {\"targetNodes\": 9}}", rest),
        merge("a pool's label", POOL, labels("team", "\"a\""), rest),
        merge(
            "a pool's annotation",
            POOL,
            annotations("nodepool.io/node-affinity", "\"a\""),
            commands),
        merge(
            "another finalizer",
            POOL,
            metadata("\"finalizers\": [\"example.com/a\", \"example.com/b\"]"),
            finalizers),
        merge("taking another one off", POOL, metadata("\"finalizers\": []"), finalizers),
        merge(
            "a Host's label",
            ApiPaths.host("host"),
            labels("a", "\"b\""),
            "The operator may write only the spec of a Host."),
        merge(
            "a Host's finalizers",
            ApiPaths.host("host"),
            metadata("\"finalizers\": [\"example.com/a\"]"),
            "The operator may write only the spec of a Host."));
  }

  private static Stream<DryWrite> refusedNodeWrites() {
    String labels =
        "The operator may not write labels of a Node that describe its machine or belong to others.";
    String annotations =
        "The operator may not write annotations of a Node that belong to its fleet, the provider or Kubernetes.";
    String taints =
        "The operator may not write taints of a Node that belong to Kubernetes, the provider or the autoscaler.";
    String rest =
        "The operator may write only labels, annotations, taints and the cordon of a Node.";
    return Stream.of(
        merge("where a machine is", OURS, labels("topology.kubernetes.io/zone", "\"b\""), labels),
        merge("taking that off", OURS, labels("topology.kubernetes.io/zone", "null"), labels),
        merge(
            "the state of a machine",
            OURS,
            labels("node.coreweave.cloud/state", "\"test\""),
            labels),
        merge(
            "a mark of a client",
            OURS,
            labels("compute.coreweave.com/remove-node", "\"true\""),
            labels),
        merge(
            "whose machine it is",
            OURS,
            annotations("fleet.nodepool.io/host-uid", "\"v\""),
            annotations),
        merge(
            "making it foreign",
            OURS,
            annotations("fleet.nodepool.io/host-uid", "null"),
            annotations),
        merge(
            "an annotation of ours that there is not",
            OURS,
            annotations("nodepool.io/other", "\"v\""),
            annotations),
        merge(
            "one of Kubernetes",
            OURS,
            annotations("node.alpha.kubernetes.io/ttl", "\"1\""),
            annotations),
        merge(
            "one of the provider",
            OURS,
            annotations("node.CoreWeave.cloud/cordonReason", "\"a\""),
            annotations),
        json(
            "a taint of Kubernetes",
            OURS,
            added("/spec/taints/-", taint("node.kubernetes.io/unreachable")),
            taints),
        without("taking one off", "node.coreweave.cloud/evict", taints),
        json(
            "a taint of the autoscaler",
            OURS,
            added("/spec/taints/-", taint("ToBeDeletedByClusterAutoscaler")),
            taints),
        json(
            "a taint of the provider",
            OURS,
            added("/spec/taints/-", taint("qos.coreweave.cloud/interruptable")),
            taints),
        merge("a Node's finalizers", OURS, metadata("\"finalizers\": []"), rest),
        merge(
            "a Node's addresses for Pods",
            OURS,
            "{\"spec\": {\"podCIDR\": \"10.0.0.0/24\", \"podCIDRs\": [\"10.0.0.0/24\"]}}",
            rest));
  }

  private static Stream<DryWrite> refusedNodeStatusWrites() {
    String status = OURS + "/status";
    String refusal =
        "The operator may write only the conditions CWActive, CWRegistered, CWNodeRemoval, PhaseState, PendingPhaseState and NLCCImmediateReboot of a Node's status, and those of alerts.";
    return Stream.of(
        strategic("the condition Ready", status, condition("Ready", "True"), refusal),
        strategic("the condition Ready as an alert", status, alert("Ready"), refusal),
        strategic(
            "a condition of another owner", status, condition("KernelDeadlock", "True"), refusal),
        strategic(
            "its capacity", status, "{\"status\": {\"capacity\": {\"cpu\": \"9\"}}}", refusal),
        strategic(
            "its address",
            status,
            "{\"status\": {\"addresses\": [{\"type\": \"InternalIP\", \"address\": \"10.0.0.1\"}]}}",
            refusal),
        strategic(
            "a label through the status",
            status,
            labels("topology.kubernetes.io/zone", "\"b\""),
            "The operator may not write labels of a Node that describe its machine or belong to others."));
  }

  private static Stream<DryWrite> refusedForeignNodeWrites() {
    String writes = "The operator may write only to Nodes of the fleet's machines.";
    return Stream.of(
        merge("cordoning a foreign Node", FOREIGN, "{\"spec\": {\"unschedulable\": true}}", writes),
        merge("a foreign Node's label", FOREIGN, labels("team", "\"b\""), writes),
        merge("claiming it", FOREIGN, annotations("fleet.nodepool.io/host-uid", "\"v\""), writes),
        strategic(
            "a foreign Node's condition",
            FOREIGN + "/status",
            condition("CWActive", "True"),
            writes),
        new DryWrite(
            "deleting a foreign Node",
            requests ->
                requests.delete(
                    FOREIGN + DRY,
                    "{\"preconditions\": {\"uid\": \"%s\"}}".formatted(uid(requests, FOREIGN))),
            "The operator may delete only Nodes of the fleet's machines."),
        new DryWrite(
            "deleting a Node by its name only",
            requests -> requests.delete(OURS + DRY, "{}"),
            "The operator must delete a Node by its UID."));
  }

  private static Stream<DryWrite> refusedOtherWrites() {
    String events = "The operator may create and change only its own Events.";
    return Stream.of(
        new DryWrite(
            "another Lease",
            requests -> requests.post(LEASES + DRY, lease("kube-controller-manager-2")),
            "The operator may create only the Lease nodepool-operator."),
        new DryWrite(
            "an Event of another component",
            requests -> requests.post(ApiPaths.EVENTS + DRY, event("new", "kubelet")),
            events),
        merge(
            "another component's Event",
            ApiPaths.EVENTS + "/kubelets",
            "{\"message\": \"b\"}",
            events),
        merge(
            "claiming it",
            ApiPaths.EVENTS + "/kubelets",
            "{\"reportingComponent\": \"nodepool-operator\"}",
            events));
  }

  private static Stream<DryWrite> refusedJobs() {
    String once =
        "A Job of the operator runs one Pod at a time, once, within the deadline of such Jobs, and is kept for an hour.";
    String node =
        "A Job of the operator runs on the one Node that its label nodepool.io/node names.";
    String name =
        "The operator may only create Jobs, of the names nodepool-verify-*, without owners and finalizers, in the Namespace for them.";
    return Stream.of(
        job("a Job on many Nodes", "\"parallelism\": 1", "\"parallelism\": 9", once),
        job("one that runs often", "\"completions\": 1", "\"completions\": 9", once),
        job("one that runs for long", "1800", "7200", once),
        job("one that runs for ever", "\"activeDeadlineSeconds\": 1800,", "", once),
        job("one that goes at once", "3600", "60", once),
        job("one on another Node", "[\"ours\"]", "[\"foreign\"]", node),
        job("one on any Node", "\"In\"", "\"NotIn\"", node),
        job(
            "one that is bound",
            "\"restartPolicy\"",
            "\"nodeName\": \"foreign\", \"restartPolicy\"",
            node),
        job("one without a Node", "\"nodepool.io/node\"", "\"other\"", node),
        job("one of another name", "nodepool-verify-1", "other", name),
        job(
            "one with an owner",
            "\"labels\"",
            "\"ownerReferences\": [{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"name\": \"ours\", \"uid\": \"u\"}], \"labels\"",
            name));
  }

  private static DryWrite job(String what, String is, String instead, String refusal) {
    return new DryWrite(
        what, requests -> requests.post(JOBS + DRY, DryWrite.job(is, instead)), refusal);
  }

  /** Refused to everybody but the operator and the fleet. */
  static Stream<DryWrite> toOthers() {
    String refusal =
        "Only the operator and the fleet may write Node annotations under nodepool.io and fleet.nodepool.io, except nodepool.io/reboot-policy and nodepool.io/repair.";
    return Stream.of(
        merge("a record of a removal", OURS, annotations("nodepool.io/removal", "\"{}\""), refusal),
        merge(
            "a record of metadata",
            OURS,
            annotations("nodepool.io/applied-metadata", "\"{}\""),
            refusal),
        merge("another tenancy", OURS, annotations("fleet.nodepool.io/tenancy", "\"2\""), refusal),
        merge(
            "taking the machine away",
            OURS,
            annotations("fleet.nodepool.io/host-uid", "null"),
            refusal),
        merge(
            "giving a Node a machine",
            FOREIGN,
            annotations("fleet.nodepool.io/host-uid", "\"u\""),
            refusal),
        strategic(
            "the same through the status",
            FOREIGN + "/status",
            annotations("fleet.nodepool.io/host-uid", "\"u\""),
            refusal),
        new DryWrite(
            "a new Node with a machine",
            // Labels of the provider and conditions of the operator would be refused to users as
            // well.
            requests ->
                requests.post(
                    ApiPaths.NODES + DRY,
                    NODE.formatted("new", RECORDS)
                        .replace("node.coreweave.cloud/state", "state")
                        .replace("CWActive", "Active")),
            refusal));
  }
}
