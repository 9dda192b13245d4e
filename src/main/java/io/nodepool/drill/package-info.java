/**
 * Drills: a data centre, pools and workloads of users in the virtual world, a script of deeds, and
 * expectations.
 */
@NullMarked
package io.nodepool.drill;

import org.jspecify.annotations.NullMarked;
