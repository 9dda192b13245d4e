/**
 * The names that clients see and their meanings: Event reasons, removal causes and metrics. No
 * logic, no dependencies.
 */
@org.jspecify.annotations.NullMarked
package io.nodepool.vocabulary;
