/** Runs the health checks of {@code docs/gitops.md} on NodePools. */
@NullMarked
package io.nodepool.gitops;

import org.jspecify.annotations.NullMarked;
