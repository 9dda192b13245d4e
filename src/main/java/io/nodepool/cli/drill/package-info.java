/** The command that plays drills. */
@NullMarked
package io.nodepool.cli.drill;

import org.jspecify.annotations.NullMarked;
