/** The published state of the repairs of a pool's machines. */
@NullMarked
package io.nodepool.model.repair;

import org.jspecify.annotations.NullMarked;
