/** Affinities: which machines a pool admits, by which labels. */
@NullMarked
package io.nodepool.fleet.affinity;

import org.jspecify.annotations.NullMarked;
