/** What is reported about the health of a machine, and what is published of it. */
@NullMarked
package io.nodepool.plan.health;

import org.jspecify.annotations.NullMarked;
