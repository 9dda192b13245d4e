/**
 * Which Nodes of a pool are repaired, or leave because their machines do not come back, and when:
 * both share their limits. Pure.
 */
@NullMarked
package io.nodepool.plan.repair;

import org.jspecify.annotations.NullMarked;
