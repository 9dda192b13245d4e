/** All members of a pool, kept in the orders in which planners ask for them. */
@NullMarked
package io.nodepool.model.members;

import org.jspecify.annotations.NullMarked;
