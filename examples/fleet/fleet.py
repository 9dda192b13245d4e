#!/usr/bin/env python3
"""A fleet in one file (docs/write-a-fleet.md): its machines only wait; put your own in their place.

    pip install -r requirements.txt
    python3 fleet.py --kubeconfig FILE
"""

import argparse
import datetime
import json
import time
import uuid

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

HOSTS = ("fleet.nodepool.io", "v1alpha1", "hosts")
ZONE, TYPE = "EXAMPLE-01A", "turin-gp"
MACHINES = ["example-1", "example-2", "example-3"]
OFFER = {
    "zone": ZONE,
    "instanceTypes": [TYPE],
    "quota": {TYPE: len(MACHINES)},
    "configurations": [{"profile": "image-1"}, {"profile": "image-2"}],
    "capabilities": {"boots": ["Reboot"]},
}
# How long the machines take, and after how long their power is read anew, in seconds.
BOOT, REBOOT, CLEAN, RENEWAL = 3, 2, 2, 600


def text(now):
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def age(at, now):
    return (now - datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))).total_seconds()


def decide(spec, status, now):
    """What the status becomes; None if it stays. Pure: all that it needs is on the Host, so the
    process may die at any moment. Where a machine only waits here, ask yours what it does."""
    phase, waited = status.get("phase"), age(status.get("since", text(now)), now)

    def begin(phase, **more):
        kept = {key: status[key] for key in ("reboots",) if key in status}
        on = phase in ("Booting", "Running")
        power = {"state": "On" if on else "Off", "checkedAt": text(now)}
        return dict(kept, phase=phase, tenancy=spec["tenancy"], since=text(now), power=power, **more)

    if phase is None:
        return begin("Free")
    if "assignment" not in spec:
        if phase in ("Booting", "Running", "Stopped"):
            return begin("Cleaning")
        if phase == "Cleaning" and waited >= CLEAN:
            return begin("Free")
    elif spec["power"] == "Off":
        if phase not in ("Stopped", "Failed"):
            return begin("Stopped")
    elif phase == "Free":
        return begin("Booting")
    elif phase == "Booting" and waited >= BOOT:
        return begin("Running", **booted(spec.get("configuration")))
    elif phase == "Running":
        next_status = reboot(spec, status, now)
        if next_status:
            return next_status
    if age(status["power"]["checkedAt"], now) >= RENEWAL:
        return dict(status, power=dict(status["power"], checkedAt=text(now)))
    return None


def booted(configuration):
    """A machine's kernel gives each boot an id; this one has no kernel."""
    boot = {"bootId": str(uuid.uuid4())}
    return dict(boot, bootedConfiguration=configuration) if configuration else boot


def reboot(spec, status, now):
    """A boot on request: one power cycle for each try, and none for a try that is begun."""
    asked, begun = spec.get("boot"), status.get("boot")
    if asked and asked["kind"] in OFFER["capabilities"]["boots"] and asked.get("from") == status["bootId"]:
        if not begun or begun["try"] != asked["try"]:
            cycle = {"from": status["bootId"], "try": asked["try"], "startedAt": text(now)}
            if "configuration" in spec:
                cycle["configuration"] = spec["configuration"]
            return dict(status, boot=cycle, reboots=status.get("reboots", 0) + 1)
    if begun and age(begun["startedAt"], now) >= REBOOT:
        rest = {key: value for key, value in status.items() if key != "boot"}
        return dict(rest, bootedAt=text(now), **booted(begun.get("configuration")))
    return None


def node_of(host):
    """The Node of a Host, complete: its identity, and what the assignment wants."""
    assigned = host["spec"]["assignment"]
    wanted = assigned.get("node", {})
    name = host["metadata"]["name"]
    labels = dict(
        wanted.get("labels", {}),
        **{
            "kubernetes.io/hostname": name,
            "node.kubernetes.io/instance-type": TYPE,
            "topology.kubernetes.io/zone": ZONE,
            "compute.coreweave.com/node-pool": assigned["pool"],
            "compute.coreweave.com/node-pool-uid": assigned["poolUid"],
            "compute.coreweave.com/compute-class": assigned.get("computeClass", "default"),
            "node.coreweave.cloud/type": TYPE,
            "node.coreweave.cloud/class": "cpu",
            "node.coreweave.cloud/state": "production",
        },
    )
    identity = {
        "fleet.nodepool.io/host-uid": host["metadata"]["uid"],
        "fleet.nodepool.io/tenancy": str(host["spec"]["tenancy"]),
    }
    taints = wanted.get("taints", []) + [{"key": "is_cpu_compute", "value": "true", "effect": "PreferNoSchedule"}]
    annotations = dict(wanted.get("annotations", {}), **identity)
    metadata = {"name": name, "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": taints}}


def kubelet(core, host, node, now):
    """What the kubelet of a machine does by itself: the Node is Ready, and shows the boot."""
    ready = "False" if "boot" in host["status"] else "True"
    conditions = node.status.conditions or []
    shown = next((each.status for each in conditions if each.type == "Ready"), None)
    info = node.status.node_info
    if shown == ready and info and info.boot_id == host["status"]["bootId"]:
        return
    condition = {"type": "Ready", "status": ready, "reason": "Example", "message": "", "lastHeartbeatTime": text(now)}
    versions = ("machineID", "systemUUID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion")
    versions += ("kubeProxyVersion", "operatingSystem", "architecture")
    status = {"conditions": [condition], "nodeInfo": dict.fromkeys(versions, "")}
    status["nodeInfo"]["bootID"] = host["status"]["bootId"]
    core.patch_node_status(node.metadata.name, {"metadata": {"uid": node.metadata.uid}, "status": status})


def reconcile(core, hosts, host, node):
    """At most one write for a Host, and one for its Node. A write that comes too late is refused."""
    now = datetime.datetime.now(datetime.timezone.utc)
    spec, status = host["spec"], host.get("status", {})
    next_status = decide(spec, status, now)
    if next_status:
        # With the resourceVersion that was read: a 409 if the Host is not as it was decided on.
        hosts.replace_cluster_custom_object_status(*HOSTS, host["metadata"]["name"], dict(host, status=next_status))
    elif status["phase"] == "Running" and "assignment" in spec and spec["power"] == "On":
        if node is None:
            core.create_node(node_of(host))
        elif node.metadata.annotations.get("fleet.nodepool.io/tenancy") == str(spec["tenancy"]):
            kubelet(core, host, node, now)


def publish(core, hosts, namespace):
    offer = {"metadata": {"name": "fleet-offer"}, "data": {"offer.json": json.dumps(OFFER)}}
    facts = {"instanceType": TYPE, "zone": ZONE}
    attempts = [lambda: core.create_namespaced_config_map(namespace, offer)]
    for name in MACHINES:
        host = {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "Host", "spec": {"machine": facts}}
        host["metadata"] = {"name": name, "labels": {"fleet.nodepool.io/fleet": "example"}}
        attempts.append(lambda host=host: hosts.create_cluster_custom_object(*HOSTS, host))
    for attempt in attempts:
        try:
            attempt()
        except ApiException as refusal:
            if refusal.status != 409:
                raise


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--namespace", default="nodepool-system")
    given = options.parse_args()
    config.load_kube_config(given.kubeconfig)
    core, hosts = client.CoreV1Api(), client.CustomObjectsApi()
    publish(core, hosts, given.namespace)
    while True:
        listed = hosts.list_cluster_custom_object(*HOSTS, label_selector="fleet.nodepool.io/fleet=example")
        nodes = {node.metadata.name: node for node in core.list_node().items}
        for host in listed["items"]:
            try:
                reconcile(core, hosts, host, nodes.get(host["metadata"]["name"]))
            except ApiException as refusal:
                if refusal.status not in (404, 409):
                    print(host["metadata"]["name"], refusal.status, refusal.reason, flush=True)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
