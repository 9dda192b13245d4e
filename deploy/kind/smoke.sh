#!/usr/bin/env bash
# usage: deploy/kind/smoke.sh [KUBECONFIG]
# Grows pools on a cluster's simulated data centre, runs work on them, checks that the cluster keeps their Nodes Ready
# without kubelets, and removes everything. Leaves nothing behind if it succeeds. Without a file it is the cluster of up.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export KUBECONFIG=${1:-$PWD/target/kind.kubeconfig}

# Longer than a cluster waits for a silent kubelet: 40 or 50 s, depending on its version.
quiet_seconds=${QUIET_SECONDS:-75}

step() { printf '\n== %s\n' "$*"; }

step "Pools reach their targets"
kubectl apply -f examples/gpu-pool.yaml -f examples/cpu-pool.yaml
kubectl wait nodepool/example-nodepool nodepool/example-cpu-nodepool --for=condition=AtTarget --timeout=5m
kubectl get nodepools

step "Work without tolerations is scheduled to simulated Nodes"
kubectl apply -f examples/workload.yaml
kubectl run cpu-work --image=example.com/work:1 --restart=Never \
  --overrides='{"spec": {"nodeSelector": {"compute.coreweave.com/node-pool": "example-cpu-nodepool"}}}'
kubectl rollout status deployment/training --timeout=3m
kubectl wait pod/cpu-work --for=condition=Ready --timeout=3m

step "A label of the provider is rejected"
node=$(kubectl get nodes -l compute.coreweave.com/node-pool=example-nodepool -o jsonpath='{.items[0].metadata.name}')
refusal=$(kubectl label node "$node" foo.coreweave.cloud/bar=true 2>&1) && { echo "it was accepted" >&2; exit 1; }
grep -F 'Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.' <<<"$refusal"

step "The cluster keeps the Nodes Ready for $quiet_seconds s"
if grep -m 1 NotReady < <(timeout "$quiet_seconds" kubectl get nodes -l compute.coreweave.com/node-pool --watch --no-headers); then
  echo "a Node became NotReady" >&2
  exit 1
fi
kubectl wait nodes -l compute.coreweave.com/node-pool --for=condition=Ready --timeout=5s >/dev/null

step "Everything is removed"
kubectl delete pod/cpu-work --timeout=2m
kubectl delete -f examples/workload.yaml --timeout=2m
kubectl delete -f examples/gpu-pool.yaml -f examples/cpu-pool.yaml --timeout=5m
left=$(kubectl get nodes -l compute.coreweave.com/node-pool -o name)
if [[ -n $left ]]; then
  printf 'Nodes are left:\n%s\n' "$left" >&2
  exit 1
fi
echo "Done."
