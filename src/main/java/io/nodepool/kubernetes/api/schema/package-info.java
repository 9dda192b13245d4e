/** Annotations and rules that the classes of custom resources share in their definitions. */
@NullMarked
package io.nodepool.kubernetes.api.schema;

import org.jspecify.annotations.NullMarked;
