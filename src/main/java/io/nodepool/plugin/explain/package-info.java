/** The plugin's commands that say why. */
@NullMarked
package io.nodepool.plugin.explain;

import org.jspecify.annotations.NullMarked;
