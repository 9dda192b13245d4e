/** The command {@code nodepool fleet}: fleets of real machines. */
@NullMarked
package io.nodepool.cli.fleet;

import org.jspecify.annotations.NullMarked;
