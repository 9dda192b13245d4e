/**
 * The pure concerns: from a snapshot and an instant to actions, conditions and the reasons for
 * both.
 */
@NullMarked
package io.nodepool.plan;

import org.jspecify.annotations.NullMarked;
