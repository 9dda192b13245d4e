/** Lists and watches of an API server, as observations. */
@NullMarked
package io.nodepool.kubernetes.watch;

import org.jspecify.annotations.NullMarked;
