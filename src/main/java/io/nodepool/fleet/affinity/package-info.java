/** Which machines a pool admits, and the labels that this is asked by. */
@NullMarked
package io.nodepool.fleet.affinity;

import org.jspecify.annotations.NullMarked;
