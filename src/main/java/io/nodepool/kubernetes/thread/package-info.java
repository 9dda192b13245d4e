/** The threads, lanes and timers of a process; shared with the simulated fleet. */
@NullMarked
package io.nodepool.kubernetes.thread;

import org.jspecify.annotations.NullMarked;
