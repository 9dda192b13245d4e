/**
 * Plans a machine: its delivery, its Node's metadata, registration and activity, and its Node's
 * termination step by step.
 */
@NullMarked
package io.nodepool.plan.node;

import org.jspecify.annotations.NullMarked;
