/**
 * Observations of this process about single machines, which are lost when it ends, and tables that
 * machines share.
 */
@NullMarked
package io.nodepool.control.state.machine;

import org.jspecify.annotations.NullMarked;
