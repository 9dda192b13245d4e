/** Labels, annotations and taints that are defined, and the rules for their keys. */
@NullMarked
package io.nodepool.vocabulary.metadata;

import org.jspecify.annotations.NullMarked;
