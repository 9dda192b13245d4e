/** The plugin's reads and requests. */
@NullMarked
package io.nodepool.plugin.request;

import org.jspecify.annotations.NullMarked;
