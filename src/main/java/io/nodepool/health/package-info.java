/** What is reported about the health of machines, and what stands of it. Pure. */
@NullMarked
package io.nodepool.health;

import org.jspecify.annotations.NullMarked;
