/** Leader election: one process of several holds the Lease and may write. */
@NullMarked
package io.nodepool.kubernetes.leader;

import org.jspecify.annotations.NullMarked;
