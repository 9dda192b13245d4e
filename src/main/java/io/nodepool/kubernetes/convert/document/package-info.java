/** Documents in ConfigMaps: the offer, and changes of alerts. */
@NullMarked
package io.nodepool.kubernetes.convert.document;

import org.jspecify.annotations.NullMarked;
