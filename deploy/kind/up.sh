#!/usr/bin/env bash
# Creates a kind cluster, builds the image, and installs the operator with a simulated data centre.
# Needs docker, kind, kubectl and helm. The cluster has a kubeconfig of its own, target/kind.kubeconfig: what kubectl
# talks to otherwise stays as it is. Remove it with: kind delete cluster --name nodepool
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

kubeconfig=$PWD/target/kind.kubeconfig
mkdir -p target
# With an attestation beside it the image is an index, which kind cannot load from every docker.
docker build --provenance=false --build-arg "REVISION=$(git describe --always --abbrev=12 --dirty --exclude '*' 2>/dev/null || true)" \
  --tag nodepool-operator:kind .
kind get clusters | grep -qx nodepool ||
  kind create cluster --config deploy/kind/cluster.yaml --kubeconfig "$kubeconfig" --wait 180s
kind export kubeconfig --name nodepool --kubeconfig "$kubeconfig"
kind load docker-image nodepool-operator:kind --name nodepool
export KUBECONFIG=$kubeconfig
# Helm does not change existing CRDs.
kubectl apply --server-side -f crds/
helm upgrade --install nodepool-operator deploy/chart \
  --namespace nodepool-system --create-namespace \
  --values deploy/kind/values.yaml --wait --timeout 5m
echo "To use it: export KUBECONFIG=$kubeconfig"
