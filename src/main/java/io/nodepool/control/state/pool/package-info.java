/** What this operator process found out about one pool, and what changes when it is observed. */
@NullMarked
package io.nodepool.control.state.pool;

import org.jspecify.annotations.NullMarked;
