/**
 * Workloads of a drill: their controllers, a scheduler, and the work that is done and lost. Pods
 * are those of the virtual world.
 */
@NullMarked
package io.nodepool.drill.workload;

import org.jspecify.annotations.NullMarked;
