/** {@code kubectl nodepool}: commands for users and their pools. */
@NullMarked
package io.nodepool.plugin;

import org.jspecify.annotations.NullMarked;
