/** The local control plane: etcd and the Kubernetes programs as child processes. */
@org.jspecify.annotations.NullMarked
package io.nodepool.local;
