#!/usr/bin/env bash
# Run by .ci/cluster as the first process of namespaces of its own (network, mounts, processes): starts a Node and tries
# the chart on it. Everything that is started here ends with this process.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

source hack/cluster/checks.sh
source hack/cluster/node.sh
source hack/cluster/questions.sh
source hack/cluster/steps.sh

export PATH=$programs:$PATH HOME=$work/home
mkdir -p "$HOME"

step "A kubelet, a container runtime and a control plane"
start_node
kubectl get nodes -o wide

install_anew
confinement
smoke
leader_is_killed
eviction
kubelet_restarts
uninstall

upgrade_and_back
uninstall

hand_over
uninstall
