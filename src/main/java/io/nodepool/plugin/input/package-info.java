/** What the plugin's commands share: their options, outputs and surroundings. */
@NullMarked
package io.nodepool.plugin.input;

import org.jspecify.annotations.NullMarked;
