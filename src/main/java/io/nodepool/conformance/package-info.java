/** The conformance suite: plays the operator's part by hand against any fleet, and checks it. */
@NullMarked
package io.nodepool.conformance;

import org.jspecify.annotations.NullMarked;
