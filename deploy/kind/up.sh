#!/usr/bin/env bash
# Creates a kind cluster, builds the image, and installs the operator with a simulated data centre.
# Needs docker, kind, kubectl and helm. Remove it with: kind delete cluster --name nodepool
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

docker build -t nodepool-operator:kind .
kind get clusters | grep -qx nodepool || kind create cluster --config deploy/kind/cluster.yaml --wait 180s
kind load docker-image nodepool-operator:kind --name nodepool
kubectl config use-context kind-nodepool
# Helm does not change existing CRDs.
kubectl apply --server-side -f crds/
helm upgrade --install nodepool-operator deploy/chart \
  --namespace nodepool-system --create-namespace \
  --values deploy/kind/values.yaml --wait --timeout 5m
