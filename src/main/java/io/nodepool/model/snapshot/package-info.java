/** What planners read: immutable snapshots of a machine and of a pool. */
@NullMarked
package io.nodepool.model.snapshot;

import org.jspecify.annotations.NullMarked;
