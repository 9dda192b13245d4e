/** The plugin's commands about the configurations of a NodePool. */
@NullMarked
package io.nodepool.cli.kubectl.pool;

import org.jspecify.annotations.NullMarked;
