/**
 * What this operator process found out about one machine, which is lost when the process ends, and
 * what machines share.
 */
@NullMarked
package io.nodepool.control.state.machine;

import org.jspecify.annotations.NullMarked;
