/** The fleet port over Host objects: the controller that reconciles them is the fleet. */
@NullMarked
package io.nodepool.kubernetes.fleet;

import org.jspecify.annotations.NullMarked;
