/** The options and the surroundings that the plugin's commands share. */
@NullMarked
package io.nodepool.plugin.input;

import org.jspecify.annotations.NullMarked;
