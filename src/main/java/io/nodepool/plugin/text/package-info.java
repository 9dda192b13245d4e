/** How the plugin prints: tables, ages and JSON in the layout of kubectl. */
@NullMarked
package io.nodepool.plugin.text;

import org.jspecify.annotations.NullMarked;
