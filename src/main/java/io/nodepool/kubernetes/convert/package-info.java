/** API objects as records and back, and the records that the operator keeps on objects as text. */
@NullMarked
package io.nodepool.kubernetes.convert;

import org.jspecify.annotations.NullMarked;
