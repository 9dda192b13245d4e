/**
 * The adapter to a Kubernetes API server: what is watched becomes observations, intents become
 * requests, one process of several leads.
 */
@NullMarked
package io.nodepool.kubernetes;

import org.jspecify.annotations.NullMarked;
