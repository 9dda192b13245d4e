/** How the plugin prints: tables, ages and JSON in the layout of kubectl. */
@NullMarked
package io.nodepool.cli.kubectl.text;

import org.jspecify.annotations.NullMarked;
