/** What a pool publishes of the repair of its machines. */
@NullMarked
package io.nodepool.model.repair;

import org.jspecify.annotations.NullMarked;
