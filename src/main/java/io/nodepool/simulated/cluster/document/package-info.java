/** Reads the spec of a SimulatedFleet: as the description of a data centre, or as a mistake. */
@NullMarked
package io.nodepool.simulated.cluster.document;

import org.jspecify.annotations.NullMarked;
