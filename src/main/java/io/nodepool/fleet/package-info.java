/** The port to the fleet and its values: the offer, the Hosts, and the operations on them. */
@org.jspecify.annotations.NullMarked
package io.nodepool.fleet;
