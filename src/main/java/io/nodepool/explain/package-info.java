/**
 * Answers why, from what an account can list: the same planners, and the values that they decide
 * by.
 */
@NullMarked
package io.nodepool.explain;

import org.jspecify.annotations.NullMarked;
