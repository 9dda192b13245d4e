/**
 * Converts API objects to records and back, and the records that the operator stores on objects as
 * text.
 */
@NullMarked
package io.nodepool.kubernetes.convert;

import org.jspecify.annotations.NullMarked;
