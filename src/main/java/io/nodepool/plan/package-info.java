/**
 * The results of planning: actions, plans, findings and drafts of Events, with the settings and
 * messages of the planners. Pure.
 */
@NullMarked
package io.nodepool.plan;

import org.jspecify.annotations.NullMarked;
