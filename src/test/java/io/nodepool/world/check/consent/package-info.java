/** What allows the operator to interrupt work: what clients, the fleet and machines did. */
@NullMarked
package io.nodepool.world.check.consent;

import org.jspecify.annotations.NullMarked;
