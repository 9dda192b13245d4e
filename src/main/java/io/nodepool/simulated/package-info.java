/**
 * The simulated data centre: machines and kubelets as a pure, seeded function of what is on the
 * objects.
 */
@NullMarked
package io.nodepool.simulated;

import org.jspecify.annotations.NullMarked;
