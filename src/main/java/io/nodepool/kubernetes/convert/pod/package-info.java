/** Converts Pods of the API to records, with their owners and workloads. */
@NullMarked
package io.nodepool.kubernetes.convert.pod;

import org.jspecify.annotations.NullMarked;
