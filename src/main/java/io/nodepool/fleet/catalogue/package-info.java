/** The catalogue of instance types. */
@NullMarked
package io.nodepool.fleet.catalogue;

import org.jspecify.annotations.NullMarked;
