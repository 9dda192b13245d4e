/**
 * Answers why, from objects that an account can list, with the operator's planners and their
 * values.
 */
@NullMarked
package io.nodepool.explain;

import org.jspecify.annotations.NullMarked;
