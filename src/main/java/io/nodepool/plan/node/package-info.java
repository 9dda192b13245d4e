/**
 * Plans the steps of one machine: its delivery, the registration and activity of its Node, and the
 * disruption of its Node until the reboot or the termination.
 */
@NullMarked
package io.nodepool.plan.node;

import org.jspecify.annotations.NullMarked;
