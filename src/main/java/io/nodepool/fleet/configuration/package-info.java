/** What a Node boots: its configuration, and the releases of which a fleet makes configurations. */
@NullMarked
package io.nodepool.fleet.configuration;

import org.jspecify.annotations.NullMarked;
