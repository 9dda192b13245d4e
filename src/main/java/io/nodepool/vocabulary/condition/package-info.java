/** Condition types and their reasons. */
@NullMarked
package io.nodepool.vocabulary.condition;

import org.jspecify.annotations.NullMarked;
