/**
 * The words of the contract and what they mean: conditions, reasons, events, keys. No logic, no
 * dependencies.
 */
@org.jspecify.annotations.NullMarked
package io.nodepool.vocabulary;
