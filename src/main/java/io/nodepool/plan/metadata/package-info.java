/** Which labels, annotations and taints a Node must have, and the write that brings them there. */
@NullMarked
package io.nodepool.plan.metadata;

import org.jspecify.annotations.NullMarked;
