/** The plugin's commands about the configurations of a NodePool. */
@NullMarked
package io.nodepool.plugin.pool;

import org.jspecify.annotations.NullMarked;
