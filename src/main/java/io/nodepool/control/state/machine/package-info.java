/** What this operator process found out about one machine; lost when the process ends. */
@NullMarked
package io.nodepool.control.state.machine;

import org.jspecify.annotations.NullMarked;
