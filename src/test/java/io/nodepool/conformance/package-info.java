/** Tests of the conformance suite, with fleets that lie. */
@NullMarked
package io.nodepool.conformance;

import org.jspecify.annotations.NullMarked;
