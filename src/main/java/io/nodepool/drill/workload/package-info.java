/**
 * Workloads of a drill: their controllers, a scheduler, and work that is done and lost. Pods exist
 * in the virtual world.
 */
@NullMarked
package io.nodepool.drill.workload;

import org.jspecify.annotations.NullMarked;
