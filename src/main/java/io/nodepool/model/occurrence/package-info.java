/** What happens to Nodes, how often it did, and what of it is counted in the status of a pool. */
@NullMarked
package io.nodepool.model.occurrence;

import org.jspecify.annotations.NullMarked;
