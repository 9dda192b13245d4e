// The definitions of the Prometheus Operator, at one version, for the test of the chart's objects of these kinds.
module nodepool.io/hack/monitoring/definitions

go 1.24.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
