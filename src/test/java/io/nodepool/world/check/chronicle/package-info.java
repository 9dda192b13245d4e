/** What was true of each object, and when, as clients and machines made it so. */
@NullMarked
package io.nodepool.world.check.chronicle;

import org.jspecify.annotations.NullMarked;
