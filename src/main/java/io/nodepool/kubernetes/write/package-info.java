/** Actions and Events as requests to an API server. */
@NullMarked
package io.nodepool.kubernetes.write;

import org.jspecify.annotations.NullMarked;
