/** The NodePool operator. */
@org.jspecify.annotations.NullMarked
package io.nodepool;
