/** Reads the spec of a SimulatedFleet: as the description of a data centre, or as a mistake. */
@NullMarked
package io.nodepool.kubernetes.simulated.document;

import org.jspecify.annotations.NullMarked;
