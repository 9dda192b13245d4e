/** What the plugin reads and requests of a cluster. */
@NullMarked
package io.nodepool.plugin.request;

import org.jspecify.annotations.NullMarked;
