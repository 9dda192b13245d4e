/** Converts Pods of the API to records, with what owns them and what runs in them. */
@NullMarked
package io.nodepool.kubernetes.convert.pod;

import org.jspecify.annotations.NullMarked;
