/** What a Node boots: its configuration, and the releases that configurations are built from. */
@NullMarked
package io.nodepool.fleet.configuration;

import org.jspecify.annotations.NullMarked;
