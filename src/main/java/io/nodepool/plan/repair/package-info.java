/**
 * Which Nodes of a pool are repaired, or leave since their machines do not come back, and when: the
 * limits that these share. Pure.
 */
@NullMarked
package io.nodepool.plan.repair;

import org.jspecify.annotations.NullMarked;
