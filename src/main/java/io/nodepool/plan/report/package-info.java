/**
 * Conditions and Events of a pool: what changed since the published status, and in which words it
 * is said.
 */
@NullMarked
package io.nodepool.plan.report;

import org.jspecify.annotations.NullMarked;
