/** The documents in which a fleet says what it offers. */
@NullMarked
package io.nodepool.kubernetes.convert.document;

import org.jspecify.annotations.NullMarked;
