/** The plugin's commands that say what would happen. */
@NullMarked
package io.nodepool.plugin.whatif;

import org.jspecify.annotations.NullMarked;
