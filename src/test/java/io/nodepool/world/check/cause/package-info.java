/** What the checks know of causes of disruption: one file for each group of them. */
@NullMarked
package io.nodepool.world.check.cause;

import org.jspecify.annotations.NullMarked;
