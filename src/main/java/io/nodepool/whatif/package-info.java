/**
 * Forecasts: a virtual world continues from listed objects, with the planners of the operator.
 * Nothing is written.
 */
@NullMarked
package io.nodepool.whatif;

import org.jspecify.annotations.NullMarked;
