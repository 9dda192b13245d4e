/**
 * Generated runs in which monitors lie about machines, and true faults beside them, and what may
 * happen in them.
 */
package io.nodepool.world.liars;
