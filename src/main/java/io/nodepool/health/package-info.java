/** Signals about the health of machines, and the alerts that follow from them. Pure. */
@NullMarked
package io.nodepool.health;

import org.jspecify.annotations.NullMarked;
