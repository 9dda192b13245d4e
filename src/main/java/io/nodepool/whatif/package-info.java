/**
 * What would happen: objects that were listed are played on in a virtual world, by the planners of
 * the operator, and nothing is written.
 */
@NullMarked
package io.nodepool.whatif;

import org.jspecify.annotations.NullMarked;
