/** Labels, annotations and taints that have a meaning, and the rules for their keys. */
@NullMarked
package io.nodepool.vocabulary.metadata;

import org.jspecify.annotations.NullMarked;
