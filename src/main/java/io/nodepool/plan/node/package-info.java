/**
 * Plans the steps of one machine: its delivery, the metadata, registration and activity of its
 * Node, and the termination of its Node.
 */
@NullMarked
package io.nodepool.plan.node;

import org.jspecify.annotations.NullMarked;
