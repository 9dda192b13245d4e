/** Conditions and Events of a pool: the changes since the published status, and their messages. */
@NullMarked
package io.nodepool.plan.report;

import org.jspecify.annotations.NullMarked;
