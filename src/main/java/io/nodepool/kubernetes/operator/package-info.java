/**
 * The operator as a process: its threads, loops and metrics, and the runtime that runs the pools'
 * loop.
 */
@NullMarked
package io.nodepool.kubernetes.operator;

import org.jspecify.annotations.NullMarked;
