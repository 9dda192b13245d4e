/**
 * Drills: a data centre, pools and workloads of users in the virtual world, a script of what
 * happens to them, and what is expected of it.
 */
@NullMarked
package io.nodepool.drill;

import org.jspecify.annotations.NullMarked;
