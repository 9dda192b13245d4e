/**
 * The port to the machines and its values: what there is, what a pool holds, what machines are told
 * and what they say.
 */
@org.jspecify.annotations.NullMarked
package io.nodepool.fleet;
