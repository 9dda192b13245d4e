/** The simulated data centre: machines and kubelets as a pure, seeded function of the objects. */
@NullMarked
package io.nodepool.simulated;

import org.jspecify.annotations.NullMarked;
