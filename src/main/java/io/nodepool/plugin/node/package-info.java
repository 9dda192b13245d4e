/** The plugin's commands about Nodes. */
@NullMarked
package io.nodepool.plugin.node;

import org.jspecify.annotations.NullMarked;
