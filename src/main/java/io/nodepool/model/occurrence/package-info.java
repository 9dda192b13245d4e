/** Occurrences on Nodes, their counts, and the counts in the status of a pool. */
@NullMarked
package io.nodepool.model.occurrence;

import org.jspecify.annotations.NullMarked;
