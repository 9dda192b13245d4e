/** Reads scenarios of drills: YAML with ordinary manifests. */
@NullMarked
package io.nodepool.drill.document;

import org.jspecify.annotations.NullMarked;
