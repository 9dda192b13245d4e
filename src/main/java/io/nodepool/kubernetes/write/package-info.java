/** Intents as requests to an API server, and Events. */
@NullMarked
package io.nodepool.kubernetes.write;

import org.jspecify.annotations.NullMarked;
